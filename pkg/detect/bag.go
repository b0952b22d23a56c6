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
	// Reread reads the best window a second time. It has learned from the best windows
	// alone, each of a text that the model of windows had not seen: what tells an attack from
	// the honest sentences that look most like one.
	Reread = Topics
	// Meant reads it a third time, by what its words mean whatever their language is (see [Glossary]).
	Meant = Topics + 1
	Bags  = Topics + 2
)

// BagSlots is the number of slots that a bag hashes into.
func BagSlots(bag int) int {
	if bag == Meant {
		return GlossSlots
	}
	return BagSize
}

// BagSize is the number of slots that words and pairs of words are hashed into.
const BagSize = 1 << 15

// topicMax bounds the bytes that are read for a topic.
const topicMax = 16 << 10

// bag is a logistic regression over words, and pairs of words.
type bag struct {
	table []int8
	scale float64
	bias  float64
}

func (t *bag) logit(slots []uint32) float64 {
	sum := 0
	for _, x := range slots {
		sum += int(t.table[x])
	}
	return t.bias + t.scale*BagUnit(len(slots))*float64(sum)
}

// BagUnit is what each of n slots counts.
func BagUnit(n int) float64 { return 1 / math.Sqrt(float64(max(n, 16))) }

// TopicSlots gives the slots of the words of text, what lies in skip left out. f is
// scratch memory of the caller; the slots are valid until it is used again.
func TopicSlots(f *Features, text []byte, skip chunk.Span) []uint32 {
	return topicSlots(f, len(text), skip, nil, func(from, to int) { f.cut(text[from:to]) })
}

// cut cuts text into tokens, and nothing else.
func (f *Features) cut(text []byte) {
	f.toks, f.all, f.begin = f.toks[:0], f.all[:0], 0
	f.tokens(text, 0, len(text), new(spots), false)
}

// topicSlots does that for a text of so many bytes, of which cut has f cut a part. It also
// notes in known, if there is one, which of its words were met.
func topicSlots(f *Features, size int, skip chunk.Span, known *wordSet, cut func(from, to int)) []uint32 {
	f.Grams = f.Grams[:0]
	part := func(from, to int) {
		cut(from, to)
		before := uint64(0)
		for _, t := range f.toks {
			if t.kind == tokSign || t.kind == tokValue {
				before = 0
				continue
			}
			if known != nil {
				known.meet(t.hash)
			}
			f.Grams = append(f.Grams, uint32(mixHash(saltTopic, t.hash)%BagSize))
			if before != 0 {
				f.Grams = append(f.Grams, uint32(mixHash(mixHash(saltTopic, before), t.hash)%BagSize))
			}
			before = t.hash
		}
	}
	size = min(size, topicMax)
	start, end := min(max(skip.Start, 0), size), min(max(skip.End, 0), size)
	part(0, start)
	part(max(start, end), size)
	return f.Grams
}

// rereadSlots appends the slots of the words of a window that was cut into toks.
func rereadSlots(dst []uint32, toks []gramToken) []uint32 {
	before := uint64(0)
	for _, t := range toks {
		dst = append(dst, uint32(mixHash(saltReread, t.hash)%BagSize))
		if before != 0 {
			dst = append(dst, uint32(mixHash(mixHash(saltReread, before), t.hash)%BagSize))
		}
		before = t.hash
	}
	return dst
}
