package app

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/stoplog/stoplog/pkg/chunk"
)

// showScan prints one text's scan for a person, or as one JSON line. It reports
// whether the text is anything but clean.
func (e *env) showScan(d decisions, name string, text []byte) (dirty bool, err error) {
	id, _ := json.Marshal(name)
	line := d.line(id, text)
	dirty = line.Verdict != chunk.Clean
	if e.format == "json" {
		return dirty, json.NewEncoder(e.out).Encode(line)
	}
	fmt.Fprintf(e.out, "%s  %s  score %.4f  class %s\n", name, strings.ToUpper(line.Verdict.String()), line.Score, line.Class)
	for _, f := range line.Findings {
		fmt.Fprintf(e.out, "  %-22s %-28s bytes %d to %d  score %.4f  %s\n", f.Family, f.Rule, f.Start, f.End, f.Score, strings.Join(f.Views, " → "))
	}
	for _, x := range line.Entities {
		fmt.Fprintf(e.out, "  %-22s %-28s bytes %d to %d  score %.2f\n", x.Type, x.Rule, x.Start, x.End, x.Score)
	}
	return dirty, nil
}
