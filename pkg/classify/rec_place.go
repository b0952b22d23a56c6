package classify

import (
	"bytes"
	"sync"
)

var geoContext = recogniser{words: "lat,latitude,lng,lon,longitude,gps,coordinates,coordinate,coords,geo,geolocation,location,position,koordinaten,standort,coordonnées,ubicación,coordenadas,posizione,坐标,位置,座標,좌표"}

var geoIndex = sync.OnceValue(func() int { return recogniserIndex(&geoContext) })

// LOCATION from coordinates: a latitude and a longitude with at least four decimals,
// side by side. Fewer decimals do not find a house.

func (s *scan) coordinates(start int) {
	t := s.text
	from := start
	if p := s.at(from - 1); p == '-' || p == '+' {
		from--
	}
	i := start
	lat, n, ok := s.decimal(&i)
	if !ok || lat > 90 || n < 4 {
		return
	}
	k := i
	for k < len(t) && k-i < 4 && (t[k] == ' ' || t[k] == ',' || t[k] == ';' || t[k] == '/') {
		k++
	}
	hemi := false
	if k < len(t) && (t[k] == 'N' || t[k] == 'S') {
		k++
		hemi = true
		for k < len(t) && (t[k] == ' ' || t[k] == ',') {
			k++
		}
	}
	if k == i {
		return
	}
	if s.at(k) == '-' || s.at(k) == '+' {
		k++
	}
	lon, n2, ok := s.decimal(&k)
	if !ok || lon > 180 || n2 < 4 || is(s.at(k), cAlnum) && !hemi {
		return
	}
	if hemi && s.at(k) == ' ' && (s.at(k+1) == 'E' || s.at(k+1) == 'W') {
		k += 2
	}
	if c := s.at(k); c == ',' && bytes.IndexByte([]byte(" -0123456789"), s.at(k+1)) >= 0 && (is(s.at(k+1), cDigit) || is(s.at(k+2), cDigit) || s.at(k+2) == '-') {
		return // a list of numbers, not a pair
	}
	score := 0.4 // two numbers with many decimals are mostly a matrix
	if near, far := s.context(from, k); hemi || near.has(geoIndex()) || far.has(geoIndex()) {
		score = 0.8
	}
	s.add(hit{typ: "LOCATION", start: from, end: k, score: score})
}

// decimal reads 12.3456 at *i: the whole part and the number of decimals.
func (s *scan) decimal(i *int) (whole, decimals int, ok bool) {
	from := *i
	for *i < len(s.text) && is(s.text[*i], cDigit) && *i-from < 4 {
		whole = whole*10 + int(s.text[*i]-'0')
		*i++
	}
	if *i == from || *i-from > 3 || s.at(*i) != '.' {
		return
	}
	*i++
	d := *i
	for *i < len(s.text) && is(s.text[*i], cDigit) {
		*i++
	}
	return whole, *i - d, *i > d
}
