package detect

import (
	_ "embed"
	"encoding/binary"
	"errors"
	"math"
	"sync"
)

// Model is a logistic regression over hashed features of a window. It was
// trained by `go run ./corpus/train`; docs/model-card.md says on what, and how it
// does on what it has not seen. It is immutable and safe for concurrent use.
type Model struct {
	weights []int8  // one for each of 1<<modelBits slots
	scale   float64 // what one step of a weight is worth
	bias    float64
	gain    float64 // calibration: probability = sigmoid(gain*logit + shift)
	shift   float64
}

//go:embed model.bin
var modelFile []byte

var errModel = errors.New("detect: the model is damaged")

// modelMagic names format and feature version: a table made for other features
// is refused.
const modelMagic = "SLMODEL2"

// ParseModel reads a model file: magic, four float64 (scale, bias, gain, shift),
// then the weights, runs of zeros shortened.
func ParseModel(b []byte) (*Model, error) {
	if len(b) < len(modelMagic)+32 || string(b[:len(modelMagic)]) != modelMagic {
		return nil, errModel
	}
	b = b[len(modelMagic):]
	var v [4]float64
	for i := range v {
		v[i] = math.Float64frombits(binary.LittleEndian.Uint64(b))
		if math.IsNaN(v[i]) || math.IsInf(v[i], 0) {
			return nil, errModel
		}
		b = b[8:]
	}
	m := &Model{weights: make([]int8, 1<<modelBits), scale: v[0], bias: v[1], gain: v[2], shift: v[3]}
	at := 0
	for i := 0; i < len(b); i++ {
		if b[i] != 0 {
			if at >= len(m.weights) {
				return nil, errModel
			}
			m.weights[at] = int8(b[i])
			at++
			continue
		}
		i++
		if i >= len(b) || b[i] == 0 {
			return nil, errModel
		}
		at += int(b[i])
	}
	if at != len(m.weights) {
		return nil, errModel
	}
	return m, nil
}

// EncodeModel writes a model file; weights has 1<<modelBits entries and is
// rounded to 255 steps.
func EncodeModel(weights []float32, bias, gain, shift float64) []byte {
	top := 0.0
	for _, w := range weights {
		top = max(top, math.Abs(float64(w)))
	}
	scale := top / 127
	if scale == 0 {
		scale = 1
	}
	b := []byte(modelMagic)
	for _, v := range []float64{scale, bias, gain, shift} {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	zeros := 0
	flush := func() {
		for zeros > 0 {
			n := min(zeros, 255)
			b = append(b, 0, byte(n))
			zeros -= n
		}
	}
	for _, w := range weights {
		q := int8(math.Round(float64(w) / scale))
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
	var grams, marks int
	for _, g := range f.Grams {
		grams += int(m.weights[g])
	}
	for _, g := range f.Marks {
		marks += int(m.weights[g])
	}
	return m.bias + m.scale*(GramUnit(len(f.Grams))*float64(grams)+MarkUnit*float64(marks))
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
	f.Extract(w)
	return m.Probability(m.Logit(f))
}

// DefaultModel is the model that is built in.
var DefaultModel = sync.OnceValues(func() (*Model, error) { return ParseModel(modelFile) })

// newScorer gives the scorer of the built-in model.
func newScorer() (scoreFunc, error) {
	m, err := DefaultModel()
	if err != nil {
		return nil, err
	}
	pool := sync.Pool{New: func() any {
		return &Features{Grams: make([]uint32, 0, 2048), Marks: make([]uint32, 0, 128), toks: make([]gramToken, 0, 512)}
	}}
	return func(w *Window) float64 {
		f := pool.Get().(*Features)
		p := m.ScoreWindow(w, f)
		pool.Put(f)
		return p
	}, nil
}
