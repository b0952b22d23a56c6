package view

// decoder builds the views of one text.
type decoder struct {
	text  []byte
	words *Words
	out   func(View)
	toks  []token
	work  int
}

// spend counts bytes that were looked at closely.
func (d *decoder) spend(n int) { d.work += n }

func (d *decoder) emit(v View) {
	if len(v.Text) > 0 {
		d.out(v)
	}
}

func (d *decoder) emitPatches(name string, patches []patch) {
	if v, ok := apply(name, d.text, patches); ok {
		d.emit(v)
	}
}

// Decode builds the views of a folded text that wants names, and hands each to
// emit. The offsets of a view are offsets into text. Every decoder takes time in
// proportion to the text; the sum of what was looked at, in bytes, is returned.
func Decode(text []byte, wants Wants, words *Words, emit func(View)) (work int) {
	d := decoder{text: text, words: words, out: emit}
	if wants&WantEscapes != 0 {
		d.escapes()
	}
	if wants&WantMarkup != 0 {
		d.markup()
	}
	if wants&WantRuns != 0 {
		d.runs()
		d.squash()
	}
	if wants&WantCodes != 0 {
		d.codes()
	}
	if wants&WantSpacing != 0 {
		d.spacing()
	}
	if wants&WantLeet != 0 {
		d.leet()
	}
	if wants&WantConcat != 0 {
		d.concats()
	}
	if wants&WantSpelling != 0 {
		d.respell()
	}
	if wants&WantReversed != 0 {
		d.reversed()
	}
	if wants&WantOrder != 0 {
		d.order()
	}
	if wants&WantAtbash != 0 {
		d.mapped("atbash", atbash)
	}
	if wants&WantRot47 != 0 {
		d.mapped("rot47", rot47)
	}
	if wants&WantCaesar != 0 {
		name := "caesar"
		if wants.shift() == 13 {
			name = "rot13"
		}
		d.mapped(name, caesar(wants.shift()))
	}
	return d.work
}
