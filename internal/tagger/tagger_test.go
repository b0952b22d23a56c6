package tagger

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// found marks the names that the embedded model finds.
func found(text string) string {
	var b strings.Builder
	at := 0
	for _, s := range Default().Find([]byte(text), Options{}) {
		b.WriteString(text[at:s.Start] + "[" + text[s.Start:s.End] + "]")
		at = s.End
	}
	return b.String() + text[at:]
}

// SPEC: RED-3
func TestFind(t *testing.T) {
	for _, want := range []string{
		"Dear [Helena], please ask [Tomasz Wieczorek] for the keys.",
		"Kind regards,\n[Priyanka Deshmukh]",
		"The invoice was signed by [Ludwig van der Berg] in Hamburg.",
		"[Nneka Okafor]'s parcel went to Lagos.",
		"hi [sandra], the file is here",
		"PATIENT: [MARGARET O'NEILL]",
		"Sehr geehrte Frau [Hofmann], Ihre Buchung ist bestätigt.",
		"Me llamo [Lucía Fernández] y vivo en Sevilla.",
		"请联系[王小明]先生。",
		"[田中]さんに電話してください。",
		"[김민수] 씨에게 전화하세요.",
		"Lovely! We will come again in May.",
		"ERROR Failed to connect to host. INFO Done.",
		"Settings > Account > Security",
		"const Button = styled.div; export default Button;",
		"Monday, Tuesday and Wednesday in London, Paris and Berlin",
		"皆様、お客様へ",
		"고객님 안녕하세요",
	} {
		text := strings.NewReplacer("[", "", "]", "").Replace(want)
		if diff := cmp.Diff(want, found(text)); diff != "" {
			t.Error(diff)
		}
	}
}

// Blocks must not change what is found, nor where.
func TestBlocks(t *testing.T) {
	line := "On Friday Mrs Catherine Walsh paid the bill for the room.\n"
	text := strings.Repeat(line, 400)
	spans := Default().Find([]byte(text), Options{})
	if len(spans) != 400 {
		t.Fatalf("%d names, want 400", len(spans))
	}
	for _, s := range spans {
		if got := text[s.Start:s.End]; got != "Catherine Walsh" {
			t.Fatalf("found %q", got)
		}
	}
}

func TestModelRoundTrip(t *testing.T) {
	w := make([]float32, 2<<8)
	w[3], w[100] = 1.5, -9
	m := NewModel(8, w, [Labels + 1][Labels]float32{{1, 2, 3}}, Thresholds{0.5, -1})
	var b bytes.Buffer
	if err := m.Encode(&b); err != nil {
		t.Fatal(err)
	}
	got, err := Decode(bytes.NewReader(b.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if !cmp.Equal(m.w, got.w) || m.thresholds != got.thresholds || m.trans != got.trans || m.scale != got.scale || m.bits != got.bits {
		t.Error("the model changed on its way")
	}
	for _, n := range []int{0, 5, len(magic), len(magic) + 8, b.Len() / 2} {
		if _, err := Decode(bytes.NewReader(b.Bytes()[:n])); err == nil {
			t.Errorf("a model of %d bytes was read", n)
		}
	}
}

// Whatever the bytes are, spans are in order, disjoint and inside.
func FuzzFind(f *testing.F) {
	for _, s := range []string{"Dear Anna,", "\xe2\x80", "a'", "O'", "Mc", "x://y@z", "王先生", "\\n'’s", strings.Repeat("A", 5000)} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		end := 0
		for _, s := range Default().Find(b, Options{Bias: 2}) {
			if s.Start < end || s.End <= s.Start || s.End > len(b) || s.Score <= 0 || s.Score > 1.0001 {
				t.Fatalf("span %+v after %d in %d bytes", s, end, len(b))
			}
			end = s.End
		}
	})
}
