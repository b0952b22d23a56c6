package detect

import (
	"math"

	"github.com/stoplog/stoplog/pkg/chunk"
)

// Topics are what a text can be about that makes orders in it less surprising: it
// discusses models and attacks on them, or it is a file of rules for an assistant.
// What is judged is the text around the best window: an attack does not excuse
// itself by its own words.
const (
	TopicModels = iota
	TopicRules
	Topics
)

// TopicSize is the number of slots that the words of a topic are hashed into.
const TopicSize = 1 << 15

// topicMax bounds the bytes that are read for a topic.
const topicMax = 16 << 10

// topic is a logistic regression over the words, and pairs of words, of a text.
type topic struct {
	table []int8
	scale float64
	bias  float64
}

func (t *topic) logit(slots []uint32) float64 {
	sum := 0
	for _, x := range slots {
		sum += int(t.table[x])
	}
	return t.bias + t.scale*TopicUnit(len(slots))*float64(sum)
}

// TopicUnit is what each of n slots counts.
func TopicUnit(n int) float64 { return 1 / math.Sqrt(float64(max(n, 16))) }

// TopicSlots gives the slots of the words of text, what lies in skip left out. f is
// scratch memory of the caller; the slots are valid until it is used again.
func TopicSlots(f *Features, text []byte, skip chunk.Span) []uint32 {
	return topicSlots(f, text, skip, nil)
}

// topicSlots also notes in known, if there is one, which of its words were met.
func topicSlots(f *Features, text []byte, skip chunk.Span, known *wordSet) []uint32 {
	f.Grams = f.Grams[:0]
	part := func(b []byte) {
		f.toks, f.begin = f.toks[:0], 0
		f.tokens(b, 0, len(b), new(spots), false)
		before := uint64(0)
		for _, t := range f.toks {
			if t.kind == tokSign || t.kind == tokValue {
				before = 0
				continue
			}
			if known != nil {
				known.meet(t.hash)
			}
			f.Grams = append(f.Grams, uint32(mixHash(saltTopic, t.hash)%TopicSize))
			if before != 0 {
				f.Grams = append(f.Grams, uint32(mixHash(mixHash(saltTopic, before), t.hash)%TopicSize))
			}
			before = t.hash
		}
	}
	text = text[:min(len(text), topicMax)]
	start, end := min(max(skip.Start, 0), len(text)), min(max(skip.End, 0), len(text))
	part(text[:start])
	part(text[max(start, end):])
	return f.Grams
}
