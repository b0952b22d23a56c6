package stage

import "sort"

// watermark follows one partition in one generation: which messages were taken,
// which are finished, and how far everything is finished without a hole. Only that
// far may be committed.
//
// Offsets are taken in rising order but need not be consecutive: compaction and
// transaction markers leave holes, and a hole holds nothing back. Guarantee, tested
// against a naive set: committable never falls, and never passes an offset that was
// taken and is not done.
//
// The zero value is not ready; use newWatermark. Not safe for concurrent use.
type watermark struct {
	next    int64 // what may be committed: everything taken below it is done
	taken   int64 // first offset not seen yet
	pending []slot
	head    int // index of the first pending slot; the slots before it are spent
}

type slot struct {
	offset int64
	done   bool
}

// newWatermark starts at the offset that is read first. A negative one (the
// partition has no committed offset yet) is set by the first take or skip.
func newWatermark(start int64) *watermark { return &watermark{next: start, taken: start} }

// take notes that the message at offset is in work now.
func (w *watermark) take(offset int64) {
	if len(w.pending) == w.head {
		w.pending, w.head = w.pending[:0], 0
		w.next = offset // nothing is open: what lies between was skipped
	}
	w.pending = append(w.pending, slot{offset: offset})
	w.taken = offset + 1
}

// skip notes that nothing below upTo needs work: control records, and records
// before the one that was asked for.
func (w *watermark) skip(upTo int64) {
	if upTo <= w.taken {
		return
	}
	w.taken = upTo
	if w.open() == 0 {
		w.next = upTo
	}
}

// done notes that the message at offset is finished, and reports whether the
// committable offset moved. An offset that is not open is ignored.
func (w *watermark) done(offset int64) bool {
	open := w.pending[w.head:]
	i := sort.Search(len(open), func(i int) bool { return open[i].offset >= offset })
	if i == len(open) || open[i].offset != offset {
		return false
	}
	open[i].done = true
	if i != 0 {
		return false
	}
	for w.head < len(w.pending) && w.pending[w.head].done {
		w.head++
	}
	if w.open() == 0 {
		w.next = w.taken
	} else {
		w.next = w.pending[w.head].offset
	}
	if w.head > 1024 && w.head*2 > len(w.pending) { // give spent slots back
		w.pending = append(w.pending[:0], w.pending[w.head:]...)
		w.head = 0
	}
	return true
}

// committable gives the offset to commit: the first one that is not finished.
func (w *watermark) committable() int64 { return w.next }

// open counts the slots from the first unfinished message on; it bounds what a
// crash replays.
func (w *watermark) open() int { return len(w.pending) - w.head }
