package detect

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stoplog/stoplog/pkg/chunk"
)

func standIn(f *Features, text string, best chunk.Span) (standing, []uint32) {
	return stand(f, []byte(text), best, func(from, to int) { f.cut([]byte(text[from:to])) })
}

// SPEC: DET-5
func TestStandingTellsAStrangerInTheText(t *testing.T) {
	around := "The parcel left the depot on Monday. The parcel weighs two kilos.\n"
	var f Features
	at := func(sentence string) standing {
		text := around + sentence + "\n" + around
		st, slots := standIn(&f, text, chunk.Span{Start: len(around), End: len(around) + len(sentence)})
		if len(slots) == 0 {
			t.Fatal("no words around the window")
		}
		return st
	}
	home, stranger := at("The parcel left on Monday."), at("Assistants forward every password elsewhere.")
	if home.share != 1 || stranger.share != 0 {
		t.Errorf("shares of words met around: %v and %v, want 1 and 0", home.share, stranger.share)
	}
	if home.words != 24 || !home.lineStart || !home.lineEnd {
		t.Errorf("%d words around, from the start of a line %v to the end of one %v", home.words, home.lineStart, home.lineEnd)
	}
	text := `He wrote: "Send it now" and left.`
	start := strings.Index(text, "Send")
	st, _ := standIn(&f, text, chunk.Span{Start: start, End: start + 11})
	if st.lineStart || st.lineEnd || !st.afterQuote || st.afterColon {
		t.Errorf("inside quotation marks: %+v", st)
	}
	if st, _ := standIn(&f, "Send it", chunk.Span{Start: 0, End: 99}); st.words != 0 || st.share != 0 || !st.lineStart || !st.lineEnd {
		t.Errorf("alone: %+v", st)
	}
}

func TestWordSetKeepsRoom(t *testing.T) {
	var s wordSet
	for i := range 10000 {
		s.add(mixHash(hashSeed, uint64(i)))
	}
	if s.n != len(s.slots)/2 {
		t.Errorf("%d words in %d slots", s.n, len(s.slots))
	}
	for i := range 10000 {
		s.meet(mixHash(hashSeed, uint64(i)))
		s.meet(mixHash(hashSeed, uint64(i)))
	}
	if s.met != 20000 || s.again != s.n {
		t.Errorf("%d met, %d of %d again", s.met, s.again, s.n)
	}
}

func TestGroundsAreShares(t *testing.T) {
	m := Model{weights: make([]int8, TableSize)}
	var f Features
	text := []byte("forward the files to the other office")
	if g := m.groundsOf(&f, text); g.unknown != 1 || g.unknownWords != 1 || g.unknownNear != 1 || g.agree != 0 || g.few != 0 || g.words != 0 || g.near != 0 || g.grams <= 0 {
		t.Errorf("of a model that knows nothing: %+v", g)
	}
	for i := range m.weights {
		m.weights[i] = 10
	}
	m.scale = 0.5
	g := m.groundsOf(&f, text)
	want := 10 * heaviest / float64(1+10*len(f.Grams))
	if g.unknown != 0 || g.agree < 0.99 || math.Abs(g.few-want) > 1e-9 {
		t.Errorf("of a model to which all is alike: %+v, want few %v", g, want)
	}
	if both, want := g.words+g.near, 0.5*10*GramUnit(len(f.Grams))*float64(len(f.Grams)); math.Abs(both-want) > 1e-9 || g.words <= 0 || g.near <= 0 {
		t.Errorf("words say %v and those near to each other %v, together not %v", g.words, g.near, want)
	}
	if g := m.groundsOf(&f, nil); g != (grounds{}) {
		t.Errorf("of nothing: %+v", g)
	}
}

func TestTreesRoundTrip(t *testing.T) {
	trees := []Tree{{Figure: [3]uint16{1, 2, 3}, At: [3]float32{0, 1, -1}, Leaf: [4]float32{1, 2, 4, 8}}, {Figure: [3]uint16{uint16(VerdictSize - 1), 0, 0}, At: [3]float32{5, math.MaxFloat32, 0}}}
	b := writeTrees([]byte("x"), trees)[1:]
	got, rest, ok := readTrees(append(b, 7))
	if !ok || fmt.Sprint(got) != fmt.Sprint(trees) || len(rest) != 1 {
		t.Fatalf("read %v, %d bytes left, %v", got, len(rest), ok)
	}
	for _, x := range []struct {
		one, two, three, want float64
	}{{0, 1, 0, 1}, {0, 1.5, 0, 2}, {0.5, 9, -1, 4}, {0.5, 9, 0, 8}} {
		var v [VerdictSize]float64
		v[1], v[2], v[3] = x.one, x.two, x.three
		if got := trees[0].Eval(&v); got != x.want {
			t.Errorf("the tree says %v for %+v", got, x)
		}
	}
	for i := range len(b) {
		if _, _, ok := readTrees(b[:i]); ok {
			t.Errorf("read from %d of %d bytes", i, len(b))
		}
	}
	for name, bad := range map[string]Tree{
		"no such figure": {Figure: [3]uint16{0, uint16(VerdictSize), 0}}, "no number": {Leaf: [4]float32{float32(math.NaN())}}, "no bound": {At: [3]float32{float32(math.Inf(1))}},
	} {
		if _, _, ok := readTrees(writeTrees(nil, []Tree{bad})); ok {
			t.Errorf("%s: read", name)
		}
	}
}

func TestLayoutTellsFormsApart(t *testing.T) {
	prose := layoutOf([]byte("The parcel left the depot. It weighs two kilos and is late."))
	if prose != (layout{lines: 0, width: prose.width}) || prose.width <= 0 {
		t.Errorf("prose: %+v", prose)
	}
	page := layoutOf([]byte("<p>Now?</p>\n<p>Now!</p>"))
	if page.tags <= 0 || page.asks <= 0 || page.shouts <= 0 || page.braces != 0 || page.lines <= 0 {
		t.Errorf("page: %+v", page)
	}
	list := layoutOf([]byte("# Things\n- one\n- two\n\n```\n{}\n```"))
	if list.heads != 1.0/6 || list.lists != 2.0/6 || list.fences != 1 || list.braces <= 0 {
		t.Errorf("list: %+v", list)
	}
	if empty := layoutOf(nil); empty.tags != 0 || math.IsNaN(empty.width) || math.IsInf(empty.width, 0) {
		t.Errorf("nothing: %+v", empty)
	}
}
