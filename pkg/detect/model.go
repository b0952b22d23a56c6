package detect

import (
	_ "embed"
	"encoding/binary"
	"errors"
	"math"
	"sync"
)

// Model is a logistic regression over hashed features of a window, and the gate
// in front of it. It was trained by `go run ./corpus/train`; docs/model-card.md
// says on what, and how it does on what it has not seen. It is immutable and safe
// for concurrent use.
type Model struct {
	weights []int8  // one for each of 1<<modelBits slots
	scale   float64 // what one step of a weight is worth
	bias    float64
	gain    float64 // calibration: probability = sigmoid(gain*logit + shift)
	shift   float64
	verdict [VerdictSize]float64 // weights of the figures of a whole text
	trees   []Tree               // what they say beside that, taken two by two
	net     *Net                 // what the words of the best window say beside them
	bags    [Bags]bag
	gloss   *Glossary
	gate    gate
}

// blank is a model that says nothing and lets everything through: with it windows
// are handed out where there is no model yet.
var blank = func() (m Model) {
	m.gate = gate{table: make([]int8, GateSize), scale: 1, open: true}
	m.gate.prepare()
	return m
}()

//go:embed model.bin
var modelFile []byte

var errModel = errors.New("detect: the model is damaged")

// modelMagic names format and feature version: a table made for other features
// is refused.
const modelMagic = "SLMODELA"

// Weights is a model as it is trained.
type Weights struct {
	Table             []float32 // TableSize
	Bias, Gain, Shift float64
	Gate              []float32 // GateSize
	GateBias          [2]float64
	GateAt            float64 // the threshold
	GateEase          float64 // by how much lower it lies for hidden and decoded text
	Verdict           [VerdictSize]float64
	Trees             []Tree
	Net               *Net            // nil: it says nothing
	Bag               [Bags][]float32 // BagSlots each
	BagBias           [Bags]float64
	Glossary          *Glossary // nil: it knows no word
}

// ParseModel reads a model file: magic, nine float64 (the model's scale, bias,
// gain and shift; the gate's scale, its two biases, threshold and ease), those of the
// verdict, scale and bias of each bag of words, then the trees of the verdict behind their number, the weights of
// model, gate and bags, runs of zeros shortened, the net of the verdict, and the glossary.
func ParseModel(b []byte) (*Model, error) {
	if len(b) < len(modelMagic)+(9+VerdictSize+2*Bags)*8 || string(b[:len(modelMagic)]) != modelMagic {
		return nil, errModel
	}
	b = b[len(modelMagic):]
	var v [9 + VerdictSize + 2*Bags]float64
	for i := range v {
		v[i] = math.Float64frombits(binary.LittleEndian.Uint64(b))
		if math.IsNaN(v[i]) || math.IsInf(v[i], 0) {
			return nil, errModel
		}
		b = b[8:]
	}
	m := &Model{weights: make([]int8, TableSize), scale: v[0], bias: v[1], gain: v[2], shift: v[3]}
	m.gate = gate{table: make([]int8, GateSize), scale: v[4], bias: [2]float64{v[5], v[6]}, at: v[7]}
	if m.gate.scale <= 0 {
		return nil, errModel
	}
	m.gate.ease = int32(math.Round(v[8] / m.gate.scale))
	copy(m.verdict[:], v[9:])
	for i := range m.bags {
		m.bags[i] = bag{table: make([]int8, BagSlots(i)), scale: v[9+VerdictSize+2*i], bias: v[10+VerdictSize+2*i]}
	}
	var ok bool
	if m.trees, b, ok = readTrees(b); !ok {
		return nil, errModel
	}
	if b, ok = readWeights(m.weights, b); !ok {
		return nil, errModel
	}
	if b, ok = readWeights(m.gate.table, b); !ok {
		return nil, errModel
	}
	for i := range m.bags {
		if b, ok = readWeights(m.bags[i].table, b); !ok {
			return nil, errModel
		}
	}
	if m.net, b, ok = readNet(b); !ok {
		return nil, errModel
	}
	if m.gloss, b, ok = readGlossary(b); !ok || len(b) != 0 {
		return nil, errModel
	}
	m.gate.prepare()
	return m, nil
}

// readWeights fills a table and gives the rest of b.
func readWeights(table []int8, b []byte) (rest []byte, ok bool) {
	at, i := 0, 0
	for ; at < len(table) && i < len(b); i++ {
		if b[i] != 0 {
			table[at] = int8(b[i])
			at++
			continue
		}
		i++
		if i >= len(b) || b[i] == 0 {
			return nil, false
		}
		at += int(b[i])
	}
	return b[min(i, len(b)):], at == len(table)
}

// EncodeModel writes a model file. Weights are rounded to 255 steps.
func EncodeModel(w Weights) []byte {
	m := Model{scale: stepOf(w.Table), bias: w.Bias, gain: w.Gain, shift: w.Shift, verdict: w.Verdict, trees: w.Trees, net: w.Net, gloss: w.Glossary, gate: newGate(w)}
	if m.net == nil {
		m.net = new(Net)
	}
	m.weights = steps(w.Table, m.scale)
	for i := range m.bags {
		scale := stepOf(w.Bag[i])
		m.bags[i] = bag{table: steps(w.Bag[i], scale), scale: scale, bias: w.BagBias[i]}
	}
	return m.Encode()
}

// Encode writes the file that [ParseModel] reads.
func (m *Model) Encode() []byte {
	b := []byte(modelMagic)
	g := &m.gate
	for _, v := range []float64{m.scale, m.bias, m.gain, m.shift, g.scale, g.bias[0], g.bias[1], g.at, float64(g.ease) * g.scale} {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	for _, v := range m.verdict {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	for i := range m.bags {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(m.bags[i].scale))
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(m.bags[i].bias))
	}
	b = writeTrees(b, m.trees)
	b = writeWeights(writeWeights(b, m.weights), g.table)
	for i := range m.bags {
		b = writeWeights(b, m.bags[i].table)
	}
	return writeGlossary(writeNet(b, m.net), m.gloss)
}

func newGate(w Weights) gate {
	g := gate{scale: stepOf(w.Gate), bias: w.GateBias, at: w.GateAt}
	g.ease = int32(math.Round(w.GateEase / g.scale))
	g.table = steps(w.Gate, g.scale)
	g.prepare()
	return g
}

func steps(weights []float32, scale float64) []int8 {
	q := make([]int8, len(weights))
	for i, w := range weights {
		q[i] = int8(math.Round(float64(w) / scale))
	}
	return q
}

func stepOf(weights []float32) float64 {
	top := 0.0
	for _, w := range weights {
		top = max(top, math.Abs(float64(w)))
	}
	if top == 0 {
		return 1
	}
	return top / 127
}

func writeWeights(b []byte, weights []int8) []byte {
	zeros := 0
	flush := func() {
		for zeros > 0 {
			n := min(zeros, 255)
			b = append(b, 0, byte(n))
			zeros -= n
		}
	}
	for _, q := range weights {
		if q == 0 {
			zeros++
			continue
		}
		flush()
		b = append(b, byte(q))
	}
	flush()
	return b
}

// TableSize is the number of slots that features are hashed into.
const TableSize = 1 << modelBits

// Logit gives the uncalibrated score of extracted features.
func (m *Model) Logit(f *Features) float64 {
	marks := m.weigh(f.Marks).sum
	z := m.logit(m.weigh(f.Grams), marks)
	if m.logit(m.weigh(f.OwnGrams()), marks) > MeantFloor {
		z += m.meant(f.Meant)
	}
	return z
}

// MeantFloor is a logit. Where a window's own words and marks say no more, nobody asks what the words mean: that takes
// longer than all else that is done with a window, and does not make up for so little. Of 10,310 rows of
// eight held-out sets no verdict changes with it.
const MeantFloor = -2

// meant is what the meanings of a window come to.
func (m *Model) meant(slots []uint32) float64 {
	return m.scale * MeantUnit(len(slots)) * float64(m.weigh(slots).sum)
}

// Glossary says what words of many languages mean.
func (m *Model) Glossary() *Glossary { return m.gloss }

// logit is what grams and marks that weigh so much, in steps, come to.
func (m *Model) logit(g grams, marks int32) float64 {
	return m.bias + m.scale*(GramUnit(int(g.n))*float64(g.sum)+MarkUnit*float64(marks))
}

// GramUnit is what each of n grams counts; MarkUnit what each mark counts.
func GramUnit(n int) float64 {
	if n == 0 {
		return 0
	}
	return 1 / math.Sqrt(float64(n))
}

// MarkUnit is what one mark counts.
const MarkUnit = 0.25

// Probability calibrates a logit.
func (m *Model) Probability(logit float64) float64 {
	return 1 / (1 + math.Exp(-(m.gain*logit + m.shift)))
}

// ScoreWindow gives the probability that w holds an injection. f is scratch
// memory of the caller.
func (m *Model) ScoreWindow(w *Window, f *Features) float64 {
	f.Glossary = m.gloss
	f.Extract(w)
	return m.Probability(m.Logit(f))
}

// Open gives the same model with a gate that lets everything through: what the gate
// costs is measured beside it.
func (m *Model) Open() *Model {
	with := *m
	with.gate.open = true
	return &with
}

// WithGate gives the same model with the gate of w, which may hold no other weights.
func (m *Model) WithGate(w Weights) *Model {
	with := *m
	with.gate = newGate(w)
	return &with
}

// DefaultModel is the model that is built in.
var DefaultModel = sync.OnceValues(func() (*Model, error) { return ParseModel(modelFile) })

// WithModel gives the same detector with another model; nil: rules alone decide.
func (d *Detector) WithModel(m *Model) *Detector {
	with := *d
	with.model = m
	with.said = newCueWeights(d.classHash, m)
	return &with
}
