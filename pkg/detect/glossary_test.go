package detect

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stoplog/stoplog/pkg/view"
)

// Languages and meanings of the tests.
const (
	testEn = iota
	testTr
	testVi
	testJa
	testAr
	testFr
)

const (
	testSend = 1 + iota
	testReport
	testThe
	testMachine
	testDie
)

func testGlossary(t testing.TB) *Glossary {
	t.Helper()
	g, err := NewGlossary([]GlossaryForm{
		{testEn, testSend, "send", false}, {testEn, testReport, "report", false}, {testEn, testDie, "die", false},
		{testTr, testSend, "gönder", true}, {testTr, testReport, "rapor", true},
		{testVi, testSend, "gửi", false}, {testVi, testReport, "báo cáo", false}, {testVi, testMachine, "máy", false},
		{testJa, testSend, "送信", false}, {testJa, testReport, "報告", false}, {testJa, testReport, "報告書", false},
		{testAr, testReport, "تقرير", false}, {testAr, testSend, "أرسل", true},
		{testFr, testThe, "le", false}, {testFr, testReport, "rapport", true}, {testFr, testSend, "envoi", true}, {testFr, testReport, "compte rendu", false},
	})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestGlossaryTellsWhatWordsMean(t *testing.T) {
	g := testGlossary(t)
	for _, c := range []struct {
		text string
		want []uint16
	}{
		{"Send the REPORT.", []uint16{testSend, testReport}},
		{"sender reporting", nil}, // whole words
		{"Raporları gönderin", []uint16{testReport, testSend}},
		{"gửi báo cáo, báo", []uint16{testSend, testReport}}, // báo alone is no form
		{"報告書を送信して", []uint16{testReport, testSend}},         // the longer form
		{"وبالتقرير أرسلها", []uint16{testReport, testSend}}, // and, with, the
		{"l'envoi du compte-rendu, le compte", []uint16{testSend, testReport, testThe}},
		{"送信AI rapor送信", []uint16{testSend, testSend}},
		{"die Raporu gönder", []uint16{testReport, testSend}}, // the language of most words
		{"", nil},
		{"¿¡… 12 ÷ \xff", nil},
	} {
		got, _ := meanings(nil, g.forms(nil, []byte(view.FoldString(c.text)), 0))
		if !cmp.Equal(got, c.want) {
			t.Errorf("%q: %v, want %v", c.text, got, c.want)
		}
	}
}

func TestGlossaryRefusesForms(t *testing.T) {
	for _, f := range []GlossaryForm{
		{Text: ""}, {Text: "\u200b"}, {Text: "..."}, {Text: "a", Lang: glossLangs}, {Text: "a", Meaning: glossMeanings}, {Text: "a", Lang: -1},
		{Text: strings.Repeat("a", glossLong+1)}, {Text: strings.Repeat("報", glossDense/3+1)},
	} {
		if _, err := NewGlossary([]GlossaryForm{f}); err == nil {
			t.Errorf("%+v is taken", f)
		}
	}
}

func TestGlossaryIsReadAsWritten(t *testing.T) {
	g := testGlossary(t)
	b := writeGlossary([]byte("x"), g)
	got, rest, ok := readGlossary(append(b, 'y')[1:])
	if !ok || string(rest) != "y" || len(got.entries) != len(g.entries) || !cmp.Equal(writeGlossary(nil, got), writeGlossary(nil, g)) {
		t.Errorf("%v, %d forms and %q left", ok, len(got.entries), rest)
	}
	for k := 1; k < len(b); k++ {
		if _, _, ok := readGlossary(b[1:k]); ok {
			t.Errorf("%d of %d bytes are read", k, len(b))
		}
	}
	for k := 4; k+16 < len(b); k += 8 { // in another order
		x := slices.Clone(b[1:])
		copy(x[k:], b[1+k+8:1+k+16])
		copy(x[k+8:], b[1+k:1+k+8])
		if _, _, ok := readGlossary(x); ok {
			t.Errorf("entries %d and the next one are read the wrong way round", k/8)
		}
	}
	if _, _, ok := readGlossary([]byte{1, 0, 0, 0, 1, 2, 3, 4, 0, 0, 0, 0}); ok {
		t.Error("an entry of no kind is read")
	}
	if hashes := new(interpreter).read(new(Glossary), []byte("send"), nil); len(hashes) != 0 {
		t.Errorf("no words mean %v", hashes)
	}
}

func TestMeaningsArePairedWithoutOrder(t *testing.T) {
	one, other := hashMeanings(nil, []uint16{3, 9}), hashMeanings(nil, []uint16{9, 3})
	if len(one) != 3 || one[0] != other[2] || one[2] != other[0] || one[1] != other[1] {
		t.Errorf("%v and %v", one, other)
	}
	far := hashMeanings(nil, []uint16{1, 2, 3, 4, 5, 5})
	if len(far) != 6+3+3+3+2 { // one for each, and its pairs; 5 is none with itself
		t.Errorf("%d slots", len(far))
	}
}

func FuzzMeanings(f *testing.F) {
	f.Add("Send وبالتقرير 報告書を gửi báo cáo rapor")
	g := testGlossary(f)
	f.Fuzz(func(t *testing.T, s string) {
		text := []byte(s)
		hits := g.forms(nil, text, 0)
		means, _ := meanings(nil, hits)
		if len(means) > len(hits) {
			t.Errorf("%d meanings of %d forms", len(means), len(hits))
		}
		for _, h := range hits {
			if h.at < 0 || h.end <= h.at || int(h.end) > len(text) {
				t.Errorf("form at [%d,%d) of %d bytes", h.at, h.end, len(text))
			}
		}
	})
}

// What a model learned of a meaning holds in every language, and English is read by its words.
// SPEC: DET-4
func TestModelReadsMeanings(t *testing.T) {
	w := Weights{Table: make([]float32, TableSize), Gate: make([]float32, GateSize), Gain: 1, Glossary: testGlossary(t)}
	for i := range w.Bag {
		w.Bag[i] = make([]float32, BagSlots(i))
	}
	for _, h := range hashMeanings(nil, []uint16{testSend, testReport}) {
		w.Table[gramSlot(h)] = 3
	}
	m, err := ParseModel(EncodeModel(w))
	if err != nil {
		t.Fatal(err)
	}
	f := Features{Glossary: m.Glossary()}
	for text, want := range map[string]int{
		"raporu gönder": 3, "envoi du rapport": 3, "報告書を送信": 3, "gửi báo cáo máy": 6, "raporu": 0, // one alone says too little
		"send the report": 0, "": 0,
	} {
		folded := []byte(view.FoldString(text))
		f.Extract(&Window{Kind: Sentence, Text: folded})
		if len(f.Meant) != want {
			t.Errorf("%q: %d slots of meanings, want %d", text, len(f.Meant), want)
		}
		with := m.Logit(&f)
		f.Meant = f.Meant[:0]
		if without := m.Logit(&f); (with > without) != (want > 0) {
			t.Errorf("%q: %.2f with meanings, %.2f without", text, with, without)
		}
	}
	f.Interpret(&Window{Kind: Sentence, Text: []byte("send the report")})
	if len(f.Meant) != 3 {
		t.Errorf("interpreted: %d slots", len(f.Meant))
	}
	// Where the words alone say too little nobody asks what they mean.
	for bias, asked := range map[float64]bool{MeantFloor - 0.1: false, MeantFloor + 0.1: true} {
		w.Bias = bias
		if m, err = ParseModel(EncodeModel(w)); err != nil {
			t.Fatal(err)
		}
		f.Extract(&Window{Kind: Sentence, Text: []byte("raporu gonder")})
		if z := m.Logit(&f); (z > bias) != asked {
			t.Errorf("bias %.1f: %.2f, asked for meanings: want %v", bias, z, asked)
		}
	}
}

// Windows that share sentences hear each once; of a text with very many forms they hear again, and the same.
func TestFormsAreHeardAgain(t *testing.T) {
	g := testGlossary(t)
	text := []byte(view.FoldString(strings.Repeat("raporu gönder. ", 2*maxHeard/2+1)))
	s := new(scratch)
	s.hearing = 1
	for at := 0; at < len(text); at += len("raporu gonder. ") {
		s.pieces = append(s.pieces, piece{start: int32(at), end: int32(at + len("raporu gonder. "))})
	}
	s.parts = make([]part, len(s.pieces))
	for range 2 {
		for i := range s.pieces {
			got, _ := meanings(nil, s.heard(text, g, max(0, i-1), i+1))
			if want := 2 * (1 + one(i > 0)); len(got) != want {
				t.Fatalf("sentence %d: %d meanings, want %d", i, len(got), want)
			}
		}
	}
	if s.hearing < 3 || len(s.features.interpreter.hits) > maxHeard+8 {
		t.Errorf("%d forms kept, dropped %d times", len(s.features.interpreter.hits), s.hearing)
	}
}
