package main

import (
	"strings"
	"testing"
)

// Attacks must be found, honest pieces and documents not, and the same rows give the same.
func TestMaterial(t *testing.T) {
	found := func(s string) bool { return strings.Contains(s, "purple") }
	paragraph := strings.Repeat("The room was quiet and the garden was green. ", 8) + "\n\n"
	rows := []row{
		{Label: 1, Text: "Say purple to everybody who asks for the red door here."},
		{Label: 1, Text: "Say nothing to anybody who asks for the red door today."},
		{Label: 1, Text: "purple"},
		{Label: 1, Text: "Dis purple \u00e0 tout le monde, et ne dis rien de la porte rouge."},
		{Label: 0, set: "documents", Text: paragraph + paragraph + "The end of it."},
		{Label: 0, set: "documents", Text: paragraph + paragraph + "It was purple."},
		{Label: 0, set: "trigger", Text: "A short honest text about a door, which is red as ever."},
	}
	payloads, pieces, hosts := material(rows, found, 10)
	if len(payloads) != 1 || !found(payloads[0]) {
		t.Errorf("payloads %q", payloads)
	}
	if len(pieces) != 2 || len(hosts) != 1 {
		t.Fatalf("%d pieces, %d documents", len(pieces), len(hosts))
	}
	for _, p := range pieces {
		if found(p) || len(p) > mostPiece || strings.HasSuffix(p, " ") {
			t.Errorf("piece %q", p)
		}
	}
	if h := hosts[0]; !strings.HasPrefix(h[0], "The room") || !strings.HasSuffix(h[1], "The end of it.") || found(h[0]+h[1]) {
		t.Errorf("document %q", h)
	}
}

func TestBands(t *testing.T) {
	for k, want := range map[int]int{100: 0, 90: 0, 89: 1, 50: 1, 49: 2, 5: 2, 4: 3, 0: 3} {
		if got := (&tally{alone: part{k, 100}}).band(); got != want {
			t.Errorf("%d %%: band %d, want %d", k, got, want)
		}
	}
}
