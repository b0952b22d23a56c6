package view

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The table of pairs is what the texts of the corpus say; a few more texts may shift it a
// little. With -v it is printed as they say it now: go test ./pkg/view -run PairTable -v
func TestPairTable(t *testing.T) {
	// English counts three times.
	weights := map[string]float64{"en": 3, "es": 1, "fr": 1, "de": 1, "pt": 1, "it": 1, "nl": 1, "pl": 1, "tr": 1, "id": 1}
	counts := map[string]*[27][27]float64{}
	for _, dir := range []string{"honest", "attacks"} {
		files, err := filepath.Glob(filepath.Join("../../corpus", dir, "*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			parts := strings.Split(strings.TrimSuffix(filepath.Base(name), ".txt"), "-")
			at := slices.IndexFunc(parts, func(s string) bool { return weights[s] > 0 })
			if at < 0 {
				continue
			}
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			var v View
			Fold(&v, text)
			c := counts[parts[at]]
			if c == nil {
				c = new([27][27]float64)
				counts[parts[at]] = c
			}
			for i := 1; i < len(v.Text); i++ {
				c[letterClass[v.Text[i-1]]][letterClass[v.Text[i]]]++
			}
		}
	}
	var mean [27][27]float64
	all := 0.0
	for lang, c := range counts {
		sum := 0.0
		for a := range c {
			for b := range c[a] {
				sum += c[a][b]
			}
		}
		sum -= c[0][0]
		for a := range c {
			for b := range c[a] {
				mean[a][b] += weights[lang] * (c[a][b] + 0.5) / sum
			}
		}
		all += weights[lang]
	}
	rows := strings.Fields(pairRows)
	off, cells := 0, 0
	for a := range mean {
		row := ""
		for b := range mean[a] {
			x := 0
			if a+b > 0 {
				x = int(math.Round(2 * math.Log((mean[a][b]+1e-7*all)/all*27*27)))
			}
			row += fmt.Sprintf("%x", max(-8, min(7, x))+8)
		}
		t.Log(row)
		for b := range row {
			cells++
			if d := hexVal(row[b]) - hexVal(rows[a][b]); d != 0 {
				off += int(d * d)
			}
		}
	}
	if len(counts) != len(weights) || cells != 27*27 || off > cells/5 {
		t.Errorf("%d languages, %d cells, squares of differences %d: make the table anew", len(counts), cells, off)
	}
}

// readings are texts with what ciphers make of them: no word of them is one of the lexicon's
// attacks.
var readings = []string{
	"Whoever waters the plants in the corridor writes the date on the card beside the door.",
	"Wer die Pflanzen im Flur giesst, schreibt das Datum auf die Karte neben der Tuer und schliesst ab.",
	"Quien riega las plantas del pasillo escribe la fecha en la tarjeta que cuelga junto a la puerta.",
	"Celui qui arrose les plantes du couloir note la date sur la carte qui pend devant la porte.",
}

func encipher(c cipher, s string) string {
	b := []byte(s)
	switch {
	case c < 26:
		for i, x := range b {
			b[i] = caesar(26 - int(c))(x)
		}
	case c >= ciphAffine:
		var back [256]byte
		for x, y := range affine(c) {
			back[y] = byte(x)
		}
		for i, x := range b {
			b[i] = back[x]
		}
	case c.byByte() != nil:
		for i, x := range b {
			b[i] = c.byByte()(x)
		}
	case c == ciphBack:
		slices.Reverse(b)
	default:
		b = b[:0]
		for i := range len(s) {
			b = append(b, s[i])
			for k := 1; k < c.every(); k++ {
				if c == ciphTwice {
					b = append(b, s[i])
				} else {
					b = append(b, "qxzvkj"[(i+k)%6])
				}
			}
		}
	}
	return string(b)
}

// SPEC: DET-2
//
// A cipher is undone whatever the text says, alone and inside another text, and each byte
// points to where it came from.
func TestCiphers(t *testing.T) {
	around := "The report of the spring is ready and lies on the table of the office, as every year.\n\n"
	tried, affines := 0, 0
	defer func() {
		if affines*5 < tried*4 {
			t.Errorf("%d of %d affine ciphers are undone", affines, tried)
		}
	}()
	for c := cipher(1); c < ciphers; c++ {
		if trickAt(c) != nil || c == ciphSwap || c >= ciphTyped && c <= ciphFew || c > ciphAffine && c%7 != 0 {
			continue // see TestTricks and TestPutBack
		}
		for _, s := range readings {
			for _, frame := range []string{"", around} {
				text := frame + encipher(c, s) + "\n\n" + frame
				found := false
				var d Decoder
				views, _ := d.Decode([]byte(text), d.Probe([]byte(text), 0), math.MaxInt)
				for _, v := range views {
					at := strings.Index(string(v.Text), s[8:len(s)-8])
					if at < 0 || v.Name != c.name() {
						continue
					}
					found = true
					from, to := v.Span(at, at+1)
					want := len(frame) + 8*c.every()
					if c == ciphBack {
						want = len(frame) + len(s) - 1 - 8
					}
					if from != want || to != want+c.every() {
						t.Errorf("%s: the letter stands at [%d,%d), want %d", c.name(), from, to, want)
					}
				}
				if c >= ciphAffine { // a guess from the letters of one block
					tried++
					affines += int(bit(found))
				} else if !found {
					t.Errorf("%s (%d) is not undone: %q", c.name(), c, text)
				}
			}
		}
	}
}

// Texts that are no cipher ask for nothing.
func TestNoCipher(t *testing.T) {
	for _, s := range []string{
		"func (d *Decoder) look(text []byte) { for i := range d.letter { d.letter[i] = mask(text[64*i:]).letter } }",
		"d41d8cd98f00b204e9800998ecf8427e da39a3ee5e6b4b0d3255bfef95601890afd80709 e3b0c44298fc1c149afbf4c8996fb92427ae41e4",
		"XKCD QWRT PLMK ZXCV BNMK QWPL RTYP LKJH GFDS MNBV CXZL KJHG POIU YTRW QLKJ",
		"!function(e,t){var n=e.fn,r=t.hk;for(k in n)r[k]&&(n[k]=r[k].bind(x,vq));return n}(wq,zk);xq=function(){};",
		"mkdir tmp; cd tmp; cp -r ../src ./src; rm -f *.o; gcc -O2 -Wall -c src/*.c; ar rcs lib.a *.o; ls -lh",
		"NNE NE ENE E ESE SE SSE S SSW SW WSW W WNW NW NNW N kts kts gust gust hPa hPa vis vis rvr rvr",
		"gcgtacgtacgatcgatcgatgcatgcatgcatcgatcgatgctagctagctagcatcgatcgatcgatcgtagctagctag",
		"aaaaaaaaaaaaaaaaaaaaaaaabbbbbbbbbbbbbbbbbbbbbbccccccccccccccccccdddddddddddddddd",
	} {
		if w := Probe([]byte(s), nil); w&WantCipher != 0 {
			t.Errorf("asks for a cipher: %q", s)
		}
	}
	for _, s := range readings {
		if w := Probe([]byte(s), nil); w != 0 {
			t.Errorf("asks for %b: %q", w, s)
		}
	}
}

// What is summed up for all shifts at once is what each of them comes to, and what is known of
// a row of letters from its pairs holds of the row backwards.
func TestCipherSums(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 2000 {
		text := make([]byte, 1+r.IntN(64))
		for i := range text {
			text[i] = "abcdefghijklmnopqrstuvwxyz ETAON,."[r.IntN(34)]
		}
		var count [27]int
		for _, c := range text {
			count[letterClass[c]]++
		}
		sums := shiftSums(&count, &shifted[0])
		for n := range 26 {
			want := 0
			for _, c := range text {
				if x := int(letterClass[c]); x > 0 {
					want += usual[1+(x-1+n)%26]
				}
			}
			if sums[n] != want {
				t.Fatalf("%q shifted by %d: %d, want %d", text, n, sums[n], want)
			}
		}
		back := slices.Clone(text)
		slices.Reverse(back)
		usual, order, n := sumOf(text)
		if got, want := backwardsFit(letterClass[text[0]], letterClass[text[len(text)-1]], usual, order, n), fitOf(back).usual; got != want {
			t.Fatalf("%q backwards: %d, want %d", text, got, want)
		}
	}
}
