package classify

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// LOCATION in Chinese, Japanese and Korean: from the region down to the house, without
// capitals and mostly without blanks. It is found from the house number: before it stand at
// least two units (a city and a district, a district and a road), and what follows is no
// word for a year or an amount.

const (
	denseUnits   = "省市区區县縣郡州旗镇鎮乡鄉町村都道府県路街巷弄段里" // end what they name
	denseHouse   = "号號丁番弄栋幢棟楼樓室层階座"            // behind a number
	denseNot     = "年月日時时点點人名元円圆個个件回歳岁倍億亿万萬千百分秒週周天次世位种種页頁章节節級级期"
	densePreface = "在住是为為址至到从從寄往于於のはにをでがへと：" // may stand before an address without a blank
	koreanUnits  = "시도군구읍면동로길가리"
)

// denseAddress takes an address around the digits from start to end.
func (s *scan) denseAddress(start, end int) {
	t := s.text
	if start < s.addressEnd {
		return
	}
	before, _ := utf8.DecodeLastRune(t[:start])
	if before == ' ' {
		before, _ = utf8.DecodeLastRune(bytes.TrimRight(t[:start], " "))
	}
	switch {
	case unicode.Is(unicode.Hangul, before):
		s.koreanAddress(start, end)
		return
	case !unicode.In(before, unicode.Han, unicode.Katakana, unicode.Hiragana):
		return
	}
	after, _ := utf8.DecodeRune(t[end:])
	if strings.ContainsRune(denseNot, after) {
		return
	}
	// Back over all that can be of it.
	from, n := start, 0
	for from > 0 && t[from-1] == ' ' {
		from--
	}
	for from > 0 && n < 40 {
		r, size := utf8.DecodeLastRune(t[:from])
		if is(byte(r), cAlpha) && r < utf8.RuneSelf && strings.HasPrefix(string(t[from:min(len(t), from+3)]), "座") { // A座
			from -= size
			continue
		}
		if !unicode.In(r, unicode.Han, unicode.Katakana, unicode.Hiragana) && r != 0x30FC && !(r == ' ' && n > 0) && !(r >= '0' && r <= '9') && r != '-' && r != 0x3012 {
			break
		}
		from -= size
		n++
	}
	if strings.ContainsAny(string(t[from:start]), "はをにでともい第和与與") && !strings.ContainsAny(string(after), "号號丁番") {
		return // a sentence
	}
	units, first := 0, -1
	for i, r := range string(t[from:start]) {
		if strings.ContainsRune(denseUnits, r) && i > 0 {
			if units++; first < 0 {
				first = i
			}
		}
	}
	// A road and a house number with its sign are enough.
	if units < 2 && !(units == 1 && strings.ContainsRune("路街道巷弄", before) && strings.ContainsRune("号號巷弄", after)) {
		return
	}
	// A word of the sentence may stand before it without a blank.
	head := string(t[from : from+first])
	if k := strings.LastIndexAny(head, densePreface); k >= 0 {
		_, size := utf8.DecodeRuneInString(head[k:])
		from += k + size
		head = head[k+size:]
	}
	if code := len(head) - len(strings.TrimLeft(head, "0123456789- ")); code > 0 { // a post code
		from, head = from+code, head[code:]
	}
	if strings.HasPrefix(head, "第") || utf8.RuneCountInString(head) < 1 || utf8.RuneCountInString(head) > 9 {
		return
	}
	code := bytes.TrimRight(t[max(0, from-12):from], " ")
	if m := len(code) - len(bytes.TrimRight(code, "0123456789-")); m >= 3 && m <= 8 {
		from = max(0, from-12) + len(code) - m
	}
	s.add(hit{typ: "LOCATION", start: from, end: s.denseTail(end), score: 0.8})
	s.addressEnd = s.denseTail(end)
}

// denseTail takes the rest of a house number: 4-15-2, 3丁目2番1号, 5栋302室, 101호.
func (s *scan) denseTail(end int) int {
	t := s.text
	for end < len(t) {
		r, n := utf8.DecodeRune(t[end:])
		switch {
		case r == '-' && is(s.at(end+1), cDigit), r >= '0' && r <= '9':
		case strings.ContainsRune(denseHouse+"目地の之单元單房호동층번지길로", r):
		default:
			return end
		}
		end += n
	}
	return end
}

// koreanAddress takes words that end in units, with blanks between them, and the number.
func (s *scan) koreanAddress(start, end int) {
	t := s.text
	from, units := start, 0
	for range 6 {
		k := from
		for k > 0 && from-k < 2 && t[k-1] == ' ' {
			k--
		}
		stop := k
		for k > 0 {
			r, size := utf8.DecodeLastRune(t[:k])
			if !unicode.Is(unicode.Hangul, r) && !(r >= '0' && r <= '9' && k < stop) {
				break
			}
			k -= size
		}
		last, _ := utf8.DecodeLastRune(t[:stop])
		if n := utf8.RuneCount(t[k:stop]); n < 2 || n > 8 || !strings.ContainsRune(koreanUnits, last) {
			break
		}
		units++
		from = k
	}
	if after, _ := utf8.DecodeRune(t[end:]); units < 2 || strings.ContainsRune("년월일시분명원개회", after) {
		return
	}
	tail := s.denseTail(end)
	s.add(hit{typ: "LOCATION", start: from, end: tail, score: 0.8})
	s.addressEnd = tail
}
