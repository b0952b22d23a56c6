package view

// patch replaces text[from:to].
type patch struct {
	from, to int
	text     []byte
	// at gives the range that byte k of text stands for; nil: the whole of from…to.
	at func(k int) (from, to int)
}

// context is how much text around a patch a view keeps, in bytes: enough for a
// phrase of which a part is encoded.
const context = 160

// apply builds a view of text that holds the patches and what is near them.
// Patches are in order and do not overlap. Pieces that lie apart are divided by
// a blank line. Without patches it reports false.
func apply(name string, text []byte, patches []patch) (View, bool) {
	if len(patches) == 0 {
		return View{}, false
	}
	n := 0
	for _, p := range patches {
		n += len(p.text) + 2*context
	}
	n = min(n, len(text)+64)
	v := View{Name: name, Text: make([]byte, 0, n), from: make([]int32, 0, n), to: make([]int32, 0, n)}
	pos := max(0, patches[0].from-context)
	for i, p := range patches {
		for ; pos < p.from; pos++ {
			v.put(text[pos], pos, pos+1)
		}
		for k, b := range p.text {
			from, to := p.from, p.to
			if p.at != nil {
				from, to = p.at(k)
			}
			v.put(b, from, to)
		}
		pos = max(pos, p.to)
		end := min(len(text), p.to+context)
		if i+1 < len(patches) {
			if next := patches[i+1].from; next-context <= end {
				continue
			}
		}
		for ; pos < end; pos++ {
			v.put(text[pos], pos, pos+1)
		}
		if i+1 < len(patches) {
			v.put('\n', end-1, end)
			v.put('\n', end-1, end)
			pos = patches[i+1].from - context
		}
	}
	return v, true
}
