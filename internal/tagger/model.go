package tagger

import (
	"bytes"
	"compress/flate"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"sync"

	"github.com/stoplog/stoplog/corpus/names"
)

// Labels of a token: outside of a name, its first word, a further word.
const (
	Outside = iota
	First
	Further
	Labels
)

// Classes of text, each with a threshold of its own. In code and logs most words with a
// capital are no names, and stubs break what is read by machines.
const (
	Prose = iota
	Code  // source code, JSON, logs: decided line by line
	Classes
)

// Thresholds say for each class of text how far below even the evidence for a name may be,
// in logits: above zero, more names are found and more of them are none. The training
// command sets them on templates that the model has not seen.
type Thresholds [Classes]float32

// Model is a linear-chain conditional random field over hashed features. The weight of
// Outside is zero.
type Model struct {
	thresholds Thresholds
	bits       uint
	scale      float32
	w          [][2]int8                   // feature → weight of First, of Further
	trans      [Labels + 1][Labels]float32 // from the label before, or from the start of a run
}

// NewModel rounds weights to eight bits. w has two weights for each of 1<<bits features.
func NewModel(bits uint, w []float32, trans [Labels + 1][Labels]float32, thresholds Thresholds) *Model {
	m := &Model{thresholds: thresholds, bits: bits, scale: 1.0 / 20, w: make([][2]int8, 1<<bits), trans: trans}
	for i, v := range w {
		m.w[i/2][i%2] = int8(math.Round(float64(max(-127, min(127, v/m.scale)))))
	}
	return m
}

// With gives the model with other thresholds.
func (m *Model) With(t Thresholds) *Model {
	n := *m
	n.thresholds = t
	return &n
}

const magic = "stoplog-tagger-2"

// Encode writes the model.
func (m *Model) Encode(w io.Writer) error {
	if _, err := io.WriteString(w, magic); err != nil {
		return err
	}
	head := []any{uint32(m.bits), m.scale, m.trans, m.thresholds}
	for _, h := range head {
		if err := binary.Write(w, binary.LittleEndian, h); err != nil {
			return err
		}
	}
	z, err := flate.NewWriter(w, flate.BestCompression)
	if err != nil {
		return err
	}
	b := make([]byte, 0, 2*len(m.w))
	for _, v := range m.w {
		b = append(b, byte(v[0]), byte(v[1]))
	}
	if _, err := z.Write(b); err != nil {
		return err
	}
	return z.Close()
}

var errModel = errors.New("tagger: malformed model")

// Decode reads what [Model.Encode] wrote.
func Decode(r io.Reader) (*Model, error) {
	var name [len(magic)]byte
	if _, err := io.ReadFull(r, name[:]); err != nil || string(name[:]) != magic {
		return nil, errModel
	}
	m := &Model{}
	var bits uint32
	for _, p := range []any{&bits, &m.scale, &m.trans, &m.thresholds} {
		if err := binary.Read(r, binary.LittleEndian, p); err != nil {
			return nil, errModel
		}
	}
	if bits < 8 || bits > 22 {
		return nil, errModel
	}
	m.bits = uint(bits)
	b := make([]byte, 2<<bits)
	if _, err := io.ReadFull(flate.NewReader(r), b); err != nil {
		return nil, fmt.Errorf("%w: %w", errModel, err)
	}
	m.w = make([][2]int8, len(b)/2)
	for i := range m.w {
		m.w[i] = [2]int8{int8(b[2*i]), int8(b[2*i+1])}
	}
	return m, nil
}

//go:embed tagger.bin
var embedded []byte

// Default is the model that is embedded: corpus/tagger trains it.
var Default = sync.OnceValue(func() *Model {
	m, err := Decode(bytes.NewReader(embedded))
	if err != nil {
		panic(err)
	}
	return m
})

// Span is a person's name in bytes of the text, with its probability.
type Span struct {
	Start, End int
	Score      float64
}

// Options say how sure a name has to be.
type Options struct {
	// Bias is added to the model's thresholds, in logits.
	Bias float64
}

const blockSize = 4096

// cut gives the end of a block that begins at i: at a line's end if there is one in its
// second half, else between words.
func cut(b []byte, i int) int {
	if len(b)-i <= blockSize {
		return len(b)
	}
	part := b[i : i+blockSize]
	if k := bytes.LastIndexByte(part, '\n'); k > blockSize/2 {
		return i + k + 1
	}
	if k := bytes.LastIndexByte(part, ' '); k > blockSize/2 {
		return i + k + 1
	}
	return i + blockSize
}

var pool = sync.Pool{New: func() any { return new(search) }}

type search struct {
	d    block
	emit [maxRun][Labels]float32
}

// Find gives the names in a text, in order and disjoint.
func (m *Model) Find(text []byte, o Options) []Span {
	var out []Span
	s := pool.Get().(*search)
	defer pool.Put(s)
	for i := 0; i < len(text); {
		end := cut(text, i)
		s.d.load(text[i:end])
		s.d.runs(func(from, to int) {
			n := len(out)
			out = m.decide(out, s, from, to, float32(o.Bias))
			for k := n; k < len(out); k++ {
				out[k].Start += i
				out[k].End += i
			}
		})
		if s.d.caseless {
			out = s.caseless(out, i)
		}
		i = end
	}
	s.d.text = nil
	return out
}

// caseless adds the names in scripts without capitals to those of the block at i.
func (s *search) caseless(out []Span, i int) []Span {
	var found []Span
	for k := range s.d.toks {
		t := &s.d.toks[k]
		if t.shape != caseless {
			continue
		}
		text := s.d.text
		if !s.d.honored(text[t.start:t.end]) {
			continue
		}
		found = eastAsian(found[:0], string(text[t.start:t.end]), string(text[t.end:min(len(text), int(t.end)+12)]), int(t.start)+i)
		for _, x := range found {
			if !slices.ContainsFunc(out, func(o Span) bool { return x.Start < o.End && o.Start < x.End }) {
				out = append(out, x)
			}
		}
	}
	slices.SortFunc(out, func(a, b Span) int { return a.Start - b.Start })
	return out
}

// decide finds the best labels of a run (Viterbi) and each label's probability (forward
// and backward).
func (m *Model) decide(out []Span, s *search, from, to int, bias float32) []Span {
	n := to - from
	d := &s.d
	shift := 32 - m.bits
	if k := d.toks[from].line; k == lineCode || k == lineLog {
		bias += m.thresholds[Code]
	} else {
		bias += m.thresholds[Prose]
	}
	for i := range n {
		d.feats = d.features(d.feats[:0], from+i, from, to)
		first, further := 0, 0
		for _, f := range d.feats {
			w := m.w[f>>shift]
			first += int(w[0])
			further += int(w[1])
		}
		s.emit[i] = [Labels]float32{0, float32(first)*m.scale + bias, float32(further)*m.scale + bias}
	}
	var best [maxRun][Labels]float32
	var back [maxRun][Labels]uint8
	for l := range Labels {
		best[0][l] = m.trans[Labels][l] + s.emit[0][l]
	}
	for i := 1; i < n; i++ {
		for l := range Labels {
			top, at := float32(math.Inf(-1)), 0
			for k := range Labels {
				if v := best[i-1][k] + m.trans[k][l]; v > top {
					top, at = v, k
				}
			}
			best[i][l], back[i][l] = top+s.emit[i][l], uint8(at)
		}
	}
	var path [maxRun]uint8
	top := 0
	for l := 1; l < Labels; l++ {
		if best[n-1][l] > best[n-1][top] {
			top = l
		}
	}
	path[n-1] = uint8(top)
	any := top != Outside
	for i := n - 1; i > 0; i-- {
		path[i-1] = back[i][path[i]]
		any = any || path[i-1] != Outside
	}
	if !any {
		return out
	}
	// What stands between two parts of a name belongs to it: bin, de la.
	for i := 1; i < n-1; i++ {
		if path[i] != Outside || path[i-1] == Outside || d.toks[from+i].shape != lower || d.toks[from+i].flags&names.Particle == 0 || d.toks[from+i].size < 2 {
			continue
		}
		j := i
		for j < n-1 && path[j] == Outside && d.toks[from+j].shape == lower && d.toks[from+j].flags&names.Particle != 0 && d.toks[from+j].gap == gapSpace {
			j++
		}
		if path[j] == First && d.toks[from+j].gap == gapSpace {
			for ; i <= j; i++ {
				path[i] = Further
			}
		}
	}
	inside := Marginals(s.emit[:n], &m.trans)
	for i := 0; i < n; {
		if path[i] == Outside {
			i++
			continue
		}
		j := i + 1
		for j < n && path[j] == Further {
			j++
		}
		if d.bare(from+i, from+j) || d.thing(from+i, from+j) {
			i = j
			continue
		}
		score := 0.0
		for k := i; k < j; k++ {
			score = max(score, 1-float64(inside[k][Outside]))
		}
		out = append(out, d.span(from+i, from+j, score))
		i = j
	}
	return out
}

// bare reports whether there is no name in the tokens from i to j, but a title or a
// function word.
func (d *block) bare(i, j int) bool {
	for ; i < j; i++ {
		if t := &d.toks[i]; t.flags&(names.Title|names.Stop|names.Particle) == 0 || t.flags&(names.Name) != 0 && t.flags&names.Title == 0 {
			return false
		}
	}
	return true
}

// thing reports whether the tokens from i to j are a thing's name.
func (d *block) thing(i, j int) bool {
	if j-i < 2 || j-i > 4 {
		return false
	}
	var words [4]uint32
	for k := i; k < j; k++ {
		words[k-i] = d.toks[k].hash
	}
	return names.Thing(words[:j-i]...)
}

// span gives the bytes of the tokens from i to j.
func (d *block) span(i, j int, score float64) Span {
	last := &d.toks[j-1]
	end := int(last.end)
	if last.shape == initial && last.dot && j-i > 1 && end+1 < len(d.text) && wordByte(d.text[end+1]) {
		end++
	}
	return Span{Start: int(d.toks[i].start), End: end, Score: score}
}

// Marginals gives each token's label probabilities.
func Marginals(emit [][Labels]float32, trans *[Labels + 1][Labels]float32) [][Labels]float32 {
	n := len(emit)
	fwd := make([][Labels]float64, n)
	bwd := make([][Labels]float64, n)
	for l := range Labels {
		fwd[0][l] = float64(trans[Labels][l] + emit[0][l])
	}
	for i := 1; i < n; i++ {
		for l := range Labels {
			fwd[i][l] = sum3(fwd[i-1][0]+float64(trans[0][l]), fwd[i-1][1]+float64(trans[1][l]), fwd[i-1][2]+float64(trans[2][l])) + float64(emit[i][l])
		}
	}
	for i := n - 2; i >= 0; i-- {
		for l := range Labels {
			var v [Labels]float64
			for k := range Labels {
				v[k] = bwd[i+1][k] + float64(trans[l][k]+emit[i+1][k])
			}
			bwd[i][l] = sum3(v[0], v[1], v[2])
		}
	}
	z := sum3(fwd[n-1][0], fwd[n-1][1], fwd[n-1][2])
	out := make([][Labels]float32, n)
	for i := range n {
		for l := range Labels {
			out[i][l] = float32(math.Exp(fwd[i][l] + bwd[i][l] - z))
		}
	}
	return out
}

// sum3 is the logarithm of a sum of exponentials.
func sum3(a, b, c float64) float64 {
	m := max(a, b, c)
	if math.IsInf(m, -1) {
		return m
	}
	return m + math.Log(math.Exp(a-m)+math.Exp(b-m)+math.Exp(c-m))
}

// Run is a run of candidates as the trainer sees it.
type Run struct {
	Start, End []int      // of each word, in bytes of the text
	Features   [][]uint32 // of each word: hashes of 32 bits, of which the upper count
}

// Runs gives the runs of candidates in a text for training. hide names words, by the
// place they stand at, that the lists are to know nothing of; of words that mute names
// the lists tell the kind, and nothing tells the word.
func Runs(text []byte, hide func(start int, hash uint32) bool, mute func() bool) []Run {
	var d block
	var out []Run
	for i := 0; i < len(text); {
		end := cut(text, i)
		d.load(text[i:end])
		for k := range d.toks {
			if t := &d.toks[k]; hide != nil && hide(i+int(t.start), t.hash) {
				t.hide()
			} else if mute != nil && mute() {
				t.hash = 0
			}
		}
		d.runs(func(from, to int) {
			var r Run
			for k := from; k < to; k++ {
				r.Start = append(r.Start, i+int(d.toks[k].start))
				r.End = append(r.End, i+int(d.toks[k].end))
				r.Features = append(r.Features, d.features(nil, k, from, to))
			}
			out = append(out, r)
		})
		i = end
	}
	return out
}

// hide takes away what the lists know of a name, and the word itself.
func (t *token) hide() {
	t.flags &^= names.Name | names.Word | names.Frequent | names.KnownForename | names.KnownSurname
	t.hash = 0
}
