package main

import (
	"cmp"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/stoplog/stoplog/bench/transform"
	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/detect"
)

// Bounds of texts that transforms are applied to, in bytes: a payload or an honest piece,
// and the document that it is put into.
const (
	leastPiece, mostPiece = 40, 260
	leastHost, mostHost   = 500, 4000
)

// tally counts, for one transform or a group of them: payloads written alone and inside a
// document, and honest pieces written both ways.
type tally struct {
	alone, inside, honest part
	held                  int // payloads written alone that are not suspect, and not let through either
}

// part is k of n.
type part struct{ k, n int }

func (p *part) add(o part) { p.k, p.n = p.k+o.k, p.n+o.n }

func (t *tally) add(o tally) {
	t.alone.add(o.alone)
	t.inside.add(o.inside)
	t.honest.add(o.honest)
	t.held += o.held
}

// band says how much is kept alone: at least 90 % is 0, 50 % 1, 5 % 2, less 3.
func (t *tally) band() int {
	for i, p := range []int{90, 50, 5} {
		if 100*t.alone.k >= p*t.alone.n {
			return i
		}
	}
	return 3
}

func (t *tally) line(name string) {
	fmt.Printf("| %s | %d | %s | %d | %d | %s | %d | %s |\n", name, t.alone.n, share(t.alone.k, t.alone.n), t.held,
		t.inside.n, share(t.inside.k, t.inside.n), t.honest.n, share(t.honest.k, t.honest.n))
}

const tallyHead = "n | kept alone % | held | n | kept in a document % | n | honest suspect % |\n|---|---|---|---|---|---|---|---|"

// transforms writes payloads that are found in clear in every way of package transform, alone
// and between the sentences of an honest document, and honest pieces likewise. It prints how
// many are still found, by kind and by transform. The same payloads go through
// all transforms, so that intervals of sums over transforms are too narrow.
func transforms(rows []row, d *detect.Detector, n int) error {
	scan := func(text string) chunk.Verdict { return d.Scan(detect.Input{Text: []byte(text)}).Verdict }
	found := func(text string) bool { return counts(scan(text)) }
	payloads, pieces, hosts := material(rows, found, n)
	if len(payloads) == 0 || len(pieces) == 0 || len(hosts) == 0 {
		return errors.New("the rows hold no attack that is found, or no honest document, of a length to work with")
	}
	inside := func(i int, s string) string {
		h := hosts[i%len(hosts)]
		return h[0] + s + h[1]
	}
	var both []bool // whether a payload is found in clear inside its document, too
	for i, p := range payloads {
		both = append(both, found(inside(i, p)))
	}
	all := transform.All()
	each := make([]tally, len(all))
	for k, tr := range all {
		t := &each[k]
		try := func(text string, c *part) chunk.Verdict {
			v := scan(text)
			c.n++
			if counts(v) {
				c.k++
			}
			return v
		}
		for i, p := range payloads {
			s := tr.Apply(p)
			if try(s, &t.alone) == chunk.Hold {
				t.held++
			}
			if both[i] {
				try(inside(i, s), &t.inside)
			}
		}
		for i, p := range pieces {
			if tr.Hides {
				break // what is hidden from the reader is not honest
			}
			s := tr.Apply(p)
			try(s, &t.honest)
			try(inside(i, s), &t.honest)
		}
	}
	printTransforms(all, each)
	return nil
}

// printTransforms prints sums and then every transform.
func printTransforms(all []transform.Transform, each []tally) {
	fmt.Printf("%d transforms of %d attacks that are found in clear, %d of them inside a document, too; honest pieces: half alone, half inside documents.\n",
		len(all), each[0].alone.n, each[0].inside.n)
	fmt.Print("\n## Transforms in sum\n\n| | transforms, kept alone ≥ 90 %, ≥ 50, ≥ 5, less | " + tallyHead + "---|\n")
	sum := func(name string, of func(transform.Transform) bool) {
		var t tally
		var bands [4]int
		n := 0
		for k, tr := range all {
			if !of(tr) {
				continue
			}
			n++
			t.add(each[k])
			bands[each[k].band()]++
		}
		if n > 0 {
			t.line(fmt.Sprintf("%s | %d: %d, %d, %d, %d", name, n, bands[0], bands[1], bands[2], bands[3]))
		}
	}
	for _, known := range []bool{true, false} {
		for _, lossy := range []bool{false, true} {
			name := "reversible"
			if lossy {
				name = "lossy"
			}
			if known {
				name += ", the views were written for"
			} else {
				name += ", thought of later"
			}
			sum(name, func(t transform.Transform) bool { return t.Known == known && t.Lossy == lossy })
		}
	}
	for _, kind := range transform.Kinds {
		sum(string(kind)+", reversible", func(t transform.Transform) bool { return t.Kind == kind && !t.Lossy })
		sum(string(kind)+", lossy", func(t transform.Transform) bool { return t.Kind == kind && t.Lossy })
	}
	for _, kind := range transform.Kinds {
		fmt.Printf("\n## Transforms: %s\n\n| | %s\n", kind, tallyHead)
		for k, tr := range all {
			if tr.Kind != kind {
				continue
			}
			name := strings.ReplaceAll(tr.Name, "|", `\|`)
			if tr.Lossy {
				name += " (lossy)"
			}
			if !tr.Known {
				name += " *"
			}
			each[k].line(name)
		}
	}
	var undone []string
	for k, tr := range all {
		if each[k].band() == 3 {
			undone = append(undone, tr.Name)
		}
	}
	fmt.Printf("\n\\* thought of later. Not undone, kept alone below 5 %%: %s.\n", strings.Join(undone, "; "))
}

func counts(v chunk.Verdict) bool { return v != chunk.Clean && v != chunk.Hold }

// material draws, always the same from the same rows: n short attacks that are found, n honest
// pieces that are not, and honest documents cut in two.
func material(rows []row, found func(string) bool, n int) (payloads, pieces []string, hosts [][2]string) {
	slices.SortFunc(rows, func(a, b row) int { return cmp.Compare(hashOf(a.Text), hashOf(b.Text)) })
	for _, r := range rows {
		text := strings.TrimSpace(r.Text)
		switch {
		case !plain(text):
		case r.Label == 1 && len(payloads) < n && len(text) >= leastPiece && len(text) <= mostPiece && found(text):
			payloads = append(payloads, text)
		case r.Label == 0 && len(text) >= leastPiece && !found(text):
			if len(text) >= leastHost && len(text) <= mostHost && r.group() == "documents" {
				at := len(text)/2 + strings.IndexAny(text[len(text)/2:]+"\n", "\n")
				h := [2]string{text[:at] + "\n\n", "\n\n" + strings.TrimLeft(text[min(at, len(text)):], "\n")}
				if !found(h[0] + h[1]) {
					hosts = append(hosts, h)
				}
			}
			if piece := firstWords(text); len(pieces) < n && len(piece) >= leastPiece && !found(piece) {
				pieces = append(pieces, piece)
			}
		}
	}
	return payloads, pieces, hosts
}

// firstWords gives whole words of the beginning, at most mostPiece bytes.
func firstWords(s string) string {
	if len(s) <= mostPiece {
		return s
	}
	return s[:max(0, strings.LastIndexAny(s[:mostPiece], " \n"))]
}

// plain tells text of ASCII whose letters make up most of it.
func plain(s string) bool {
	letters := 0
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
		if c := s[i] | 0x20; c >= 'a' && c <= 'z' || s[i] == ' ' {
			letters++
		}
	}
	return letters*10 >= len(s)*8
}

func hashOf(s string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(s))
	return h.Sum64()
}
