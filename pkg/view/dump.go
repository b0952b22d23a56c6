package view

import "bytes"

// A dump of bytes in hex, line by line, as xxd and hexdump write it: an offset, up to sixteen bytes in groups, and most
// often what they show as text. Each line by itself decodes to a piece between the columns beside it.

// maxDumped is how many bytes a line of a dump shows at most.
const maxDumped = 32

// maxDumpLine is how long a line of a dump is at most, in bytes.
const maxDumpLine = 256

// dumpLine reads the line text[i:end] of a dump: it appends its bytes to out and where they stand to at. Without a
// line of one, n is 0.
func dumpLine(out []byte, at []int32, text []byte, i, end int) (_ []byte, _ []int32, offset, n int) {
	digits := func() (v, size int) {
		for i < end && hexVal(text[i]) >= 0 && size < 16 {
			v = v<<4 | hexVal(text[i])
			i++
			size++
		}
		return v, size
	}
	blank := func() int {
		k := i
		for i < end && (text[i] == ' ' || text[i] == '\t') {
			i++
		}
		return i - k
	}
	blank()
	offset, size := digits()
	if size < 4 || i < end && text[i] == 'h' {
		return out, at, 0, 0
	}
	if i < end && text[i] == ':' {
		i++
	}
	for group := 0; blank() > 0 && n < maxDumped; {
		from := i
		_, size := digits()
		// The last group may be shorter; what shows the bytes as text may begin like one.
		if size < 2 || size%2 != 0 || group > 0 && size > group || i < end && text[i] != ' ' && text[i] != '\t' && text[i] != '\r' {
			break
		}
		if group == 0 {
			group = size
		}
		for k := from; k < i; k += 2 {
			out, at = append(out, byte(hexVal(text[k])<<4|hexVal(text[k+1]))), append(at, int32(k))
		}
		n += size / 2
		if size < group {
			break
		}
	}
	return out, at, offset, n
}

// dumps reads dumps of two lines and more near the blocks that hold codes.
func (d *Decoder) dumps() {
	text := d.text
	p := &d.p[0]
	p.reset()
	for _, part := range d.near(d.coded, 2) {
		i, stop := int(part.from), int(part.to)
		// The line that it begins in: no line of a dump is longer, and each part looks back no further.
		back := max(0, i-maxDumpLine)
		if k := bytes.LastIndexByte(text[back:i], '\n'); k >= 0 {
			i = back + k + 1
		} else if back == 0 {
			i = 0
		}
		if x := p.last(); x != nil {
			i = max(i, x.to)
		}
		for i < stop {
			start, lines, last, to := i, 0, 0, i
			d.buf, d.pos = d.buf[:0], d.pos[:0]
			for i < len(text) {
				end := len(text)
				if k := bytes.IndexByte(text[i:min(len(text), i+maxDumpLine)], '\n'); k >= 0 {
					end = i + k
				} else if len(text)-i > maxDumpLine {
					break
				}
				size := len(d.buf)
				out, at, offset, n := dumpLine(d.buf, d.pos, text, i, end)
				// Each line goes on where the one before ended.
				if n == 0 || lines > 0 && offset != last {
					d.buf, d.pos = out[:size], at[:size]
					break
				}
				d.buf, d.pos, last = out, at, offset+n
				lines++
				to, i = end, min(len(text), end+1)
			}
			d.spend(i - start + 1)
			if lines >= 2 && readable(d.buf) {
				p.add(start, to)
				for k, c := range d.buf {
					p.put(c, int(d.pos[k]), int(d.pos[k])+2)
				}
				p.end(to)
			}
			if i == start { // no line of one
				k := bytes.IndexByte(text[i:stop], '\n')
				if k < 0 {
					break
				}
				i += k + 1
			}
		}
	}
	d.settle(p, 0, readable, d.coded, WantCodes)
	d.apply("dump", p)
}
