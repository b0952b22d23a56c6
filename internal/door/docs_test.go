package door

import (
	"fmt"
	"os"
	"sort"
	"strings"
	"testing"

	"github.com/stoplog/stoplog/internal/strictjson"
)

// The page for senders lists every refusal, as it is.
func TestDocumentedRefusals(t *testing.T) {
	page, err := os.ReadFile("../../docs/ingest.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, ok := strings.Cut(string(page), "| Code | Status | Recorded as |\n|---|---|---|\n")
	if !ok {
		t.Fatal("the page has no table of refusals")
	}
	var want []string
	add := func(err error) {
		r := lookup(err)
		failure := "not recorded"
		if r.failure != "" {
			failure = "`" + string(r.failure) + "`"
		}
		want = append(want, fmt.Sprintf("| `%s` | %d | %s |", r.answer.Code, r.answer.Status, failure))
	}
	for _, r := range refusals {
		add(r.err)
	}
	for _, code := range []strictjson.Code{strictjson.Syntax, strictjson.UTF8, strictjson.Duplicate, strictjson.TooDeep} {
		add(&strictjson.Error{Code: code})
	}
	sort.Strings(want)
	if got := strings.TrimSpace(table); got != strings.Join(want, "\n") {
		t.Errorf("the table of docs/ingest.md should be:\n%s", strings.Join(want, "\n"))
	}
}
