package main

import (
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/stoplog/stoplog/pkg/chunk"
)

// attackFamilies are the families that texts of corpus/attacks can have.
const attackFamilies = " override hijack extract role faketurn fakeend sysnote important todo switch memory exfil link toolpoison code rating spread directive urgent secretgame jail other "

// readWritten reads texts that were written for this project: files named
// kind-language-name.txt, texts apart by a line of equals signs. Of attacks the kind is
// the family, and a whole document has [[[marks]]] around the sentences of the attack; a
// text without marks is attack from end to end.
func readWritten(dir string, attacks bool) ([]doc, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil {
		return nil, err
	}
	var out []doc
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		part := strings.SplitN(filepath.Base(name), "-", 3)
		if len(part) != 3 || attacks && !strings.Contains(attackFamilies, " "+part[0]+" ") {
			return nil, fmt.Errorf("%s: want kind-language-name.txt", name)
		}
		if !utf8.Valid(b) {
			return nil, fmt.Errorf("%s: not UTF-8", name)
		}
		for i, text := range strings.Split("\n"+string(b)+"\n", "\n=====\n") {
			d := doc{text: strings.TrimSpace(text), attack: attacks, lang: part[1], family: part[0], own: true}
			if attacks {
				if d, err = unmark(d); err != nil {
					return nil, fmt.Errorf("%s: text %d: %w", name, i+1, err)
				}
			}
			if d.text == "" {
				return nil, fmt.Errorf("%s: text %d is empty", name, i+1)
			}
			d.part = partOf(d.text)
			out = append(out, d)
		}
	}
	return out, nil
}

// unmark takes the marks out of an attack and keeps where they stood.
func unmark(d doc) (doc, error) {
	var text strings.Builder
	rest := d.text
	for {
		before, after, found := strings.Cut(rest, "[[[")
		text.WriteString(before)
		if !found {
			break
		}
		inside, end, closed := strings.Cut(after, "]]]")
		if !closed || strings.TrimSpace(inside) == "" || strings.Contains(inside, "[[[") {
			return d, fmt.Errorf("a mark that does not close, or holds nothing")
		}
		from := text.Len()
		text.WriteString(inside)
		d.spans = append(d.spans, chunk.Span{Start: from, End: text.Len()})
		rest = end
	}
	d.text = text.String()
	if len(d.spans) == 0 {
		d.spans, d.bare = []chunk.Span{{Start: 0, End: len(d.text)}}, true
	}
	return d, nil
}

func hashOf(s string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(s))
	return h.Sum32()
}
