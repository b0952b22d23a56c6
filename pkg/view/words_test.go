package view

import (
	"strings"
	"testing"
)

// SPEC: DET-2
//
// Words that were taken apart, run together or misspelt are put back, with the words of the
// list alone, and point to where they stood.
func TestWordsPutBack(t *testing.T) {
	words := NewWords(nil)
	for _, c := range []struct{ view, in, want string }{
		{"unspaced", "Pleasewaterthegardeneverymorning,beforetherestwakesup.", "Please water the garden every morning, before the rest wakes up."},
		{"unspaced", "PleaseWaterTheGardenEveryMorningAtSix", "Please Water The Garden Every Morning At Six"},
		{"spacing", "W a t e r   t h e   g a r d e n ,   p l e a s e", "Water the garden, please"},
		{"spacing", "w.a.t.e.r. .t.h.e. .g.a.r.d.e.n. .n.o.w", "water the garden now"},
		{"spacing", `x = ['W', 'a', 't', 'e', 'r', ' ', 't', 'h', 'e', ' ', 'o', '\'', 'c', 'l', 'o', 'c', 'k', ' ', '1', '-', 'u', 'p']`, "x = [\nWater the o'clock 1-up\n]"},
		{"spacing", `["W", "a", "t", "e", "r", "\n", "i", "t", "!"]`, "[\nWater it!\n]"},
		{"spacing", "[W][a][t][e][r] [i][t], [a]t 6, [I] [s][a][y].", "Water it, at 6, I say."},
		{"concat", "SELECT CONCAT('Water t', 'he plants', ' at six o''', 'clock')", "SELECT CONCAT\nWater the plants at six o''clock\n"},
		{"concat", "print(\"{}{}\".format(\"Water t\",\n  \"he plants\"))", "print(\"{}{}\".format\nWater the plants\n"},
		{"concat", "\"%s%s\" % (\"Water t\", \"he plants\")", "\"%s%s\" %\nWater the plants\n"},
		{"concat", "x = \"Water \"\n  \"it\"\n  \". No\"\n  \"w, pl\"\n  \"ease.\"", "x = \"Water it. Now, please.\""},
		{"split-words", "Ple ase wa-ter the gar-den eve ry mor ning, bef ore the ot her pla nts.", "Please water the garden every morning, before the other plants."},
		{"shuffled", "Plasee wtaer the gadren eevry mornnig beofre the oehtr platns.", "please water the garden every morning before the other plants."},
		{"shuffled", "Pleaase watr the gardden evvery morningg before the othr plants.", "please water the garden every morning before the other plants."},
		{"leet", "Pl3453 w473r 7h3 g4rd3n 3v3ry m0rn1ng, 70 m4k3 17 gr0w.", "Please water the garden every morning, to make it grow."},
		{"pig-latin", "easeplay aterway ethay ardengay every orningmay, utbay otnay atay oon.nay", "please water the garden every morning, but not at noon."},
		{"word-order", "sun. the in are that plants the to not but year, the of day every garden the to water give Please", "Please give water to the garden every day of the year, but not to the plants that are in the sun."},
		{"word-order", "give Please to water garden the day every the of but year, to not plants the are that the in sun.", "Please give water to the garden every day of the year, but not to the plants that are in the sun."},
		{"replaced", `x = "waterzqthezqgarden".replace("zq", " ")`, "x = \nwater the garden\n"},
		{"replaced", "`wa_ter+the+gar_den`.replace(/_/g, '').replaceAll('+', ' ')", "\nwater the garden\n"},
	} {
		d := Decoder{words: words}
		views, _ := d.Decode([]byte(c.in), d.Probe([]byte(c.in), 0), 1<<20)
		found := false
		for _, v := range views {
			if v.Name == c.view && strings.EqualFold(string(v.Text), c.want) {
				found = true
				if from, to := v.Span(0, len(v.Text)); from != 0 || to < len(c.in)-2 {
					t.Errorf("%q stands for %d…%d of %d", c.want, from, to, len(c.in))
				}
			}
		}
		if !found {
			t.Errorf("%s: %q is not put back", c.view, c.in)
			for _, v := range views {
				t.Logf("%s: %q", v.Name, v.Text)
			}
		}
	}
}

// Text that is right, names of programs and foreign words ask for none of this.
func TestWordsLeftAlone(t *testing.T) {
	words := NewWords(nil)
	for _, in := range []string{
		"Please water the garden every morning, before the sun gets hot and the plants lose what they took in at night.",
		"func getOwnPropertyDescriptors(objectWithManyNames, createUserWithEmail) { return readFileSync(fullPathOfFile) }",
		"Der Wasserschaden wurde der Gebäudeversicherung gemeldet; die Handwerker kommen nächste Woche.",
		"See https://example.org/2024/07/gardening.html?lang=en_GB&page=watering-cans#comments for more.",
		"Mr Pettigrew of Llanfair met Ms Okonkwo, Dr Szczepanski and Prof Nguyen in Llandudno.",
		`s = s.replace("\r\n", "\n")` + "\n" + `t = name.replace("-", "_")`,
	} {
		d := Decoder{words: words}
		wants := d.Probe([]byte(in), 0)
		views, _ := d.Decode([]byte(in), wants&^WantRuns, 1<<20)
		for _, v := range views {
			t.Errorf("%q is read as %s: %q", in, v.Name, v.Text)
		}
		d.Reset(words)
		views, _ = d.Decode([]byte(in), WantRuns, 1<<20)
		for _, v := range views {
			t.Errorf("%q is read as %s: %q", in, v.Name, v.Text)
		}
	}
}

// Words that were seen are known, have no price, and nothing is put back into them.
func TestSeenWords(t *testing.T) {
	words := NewWords(nil)
	asked := 0
	for line := range strings.Lines(seenText) {
		if line[0] == '#' {
			continue
		}
		for w := range strings.FieldsSeq(line) {
			b := []byte(w)
			if len(b) < minRepaired || len(b) > maxWord || !words.likely(b, 0, len(b)) || words.cost(b) != costNone {
				t.Fatalf("%q is not as it should be", w)
			}
			b[1], b[2], b[3] = b[2], b[3], b[1]
			if fixed, ok := words.repair(b, false); ok && fixed == w {
				t.Fatalf("%q is put back into %q", b, fixed)
			}
			asked++
		}
	}
	if asked < 10000 {
		t.Fatalf("%d words", asked)
	}
}
