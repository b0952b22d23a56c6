package view

// patch replaces text[from:to] by bytes[lo:hi] of its list.
type patch struct{ from, to, lo, hi int }

// patches are replacements in a text, in order of where they stand. The memory is
// used again.
type patches struct {
	list []patch
	View // what replaces, one patch after the other
}

func (p *patches) reset() {
	p.list = p.list[:0]
	p.View.reset("")
}

// add begins a patch of text[from:to]; what is put next replaces it.
func (p *patches) add(from, to int) {
	n := len(p.Text)
	p.list = append(p.list, patch{from, to, n, n})
}

// end closes the patch begun last. It may give it another range.
func (p *patches) end(to int) {
	x := &p.list[len(p.list)-1]
	x.to, x.hi = to, len(p.Text)
}

// drop takes back the patch begun last.
func (p *patches) drop() {
	n := len(p.list) - 1
	p.cut(p.list[n].lo)
	p.list = p.list[:n]
}

// remove is a patch that puts nothing in the place of text[from:to].
func (p *patches) remove(from, to int) {
	p.add(from, to)
}

// last is the patch begun last, nil if there is none.
func (p *patches) last() *patch {
	if len(p.list) == 0 {
		return nil
	}
	return &p.list[len(p.list)-1]
}

// context is how much text around a patch a view keeps, in bytes: enough for a
// phrase of which a part is encoded.
const context = 160

// apply makes a view of the text that holds the patches and what is near them.
// Patches are in order and do not overlap. Pieces that lie apart are divided by
// a blank line.
func (d *Decoder) apply(name string, p *patches) {
	if len(p.list) == 0 {
		return
	}
	text := d.text
	n := 0
	for _, x := range p.list {
		n += x.hi - x.lo + 2*context + 2
	}
	n = min(n, len(text)+len(p.Text)+2*len(p.list))
	v := d.start(name, n)
	pos := max(0, p.list[0].from-context)
	for i, x := range p.list {
		switch {
		case pos+1 == x.from: // as between signs strewn into words
			v.put(text[pos], pos, x.from)
		case pos < x.from:
			v.copy(text, pos, x.from)
		}
		if x.lo < x.hi {
			v.Text = append(v.Text, p.Text[x.lo:x.hi]...)
			v.at = append(v.at, p.at[x.lo:x.hi]...)
		}
		pos = max(pos, x.to)
		end := min(len(text), x.to+context)
		if i+1 < len(p.list) {
			if next := p.list[i+1].from; next-context <= end {
				continue
			}
		}
		if pos < end {
			v.copy(text, pos, end)
			pos = end
		}
		if i+1 < len(p.list) {
			v.put('\n', end-1, end)
			v.put('\n', end-1, end)
			pos = p.list[i+1].from - context
		}
	}
	d.emit(v)
}
