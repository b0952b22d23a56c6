package main

import (
	"testing"

	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/classify"
)

func TestTypeMap(t *testing.T) {
	m, err := parseTypes("*_PASSPORT=PASSPORT,UK_DRIVING_LICENCE=DRIVER_LICENSE")
	if err != nil {
		t.Fatal(err)
	}
	for in, want := range map[string]string{
		"US_PASSPORT": "PASSPORT", "PASSPORT": "PASSPORT", "UK_DRIVING_LICENCE": "DRIVER_LICENSE",
		"SECRET:aws-key": "SECRET", "location": "LOCATION", "PHONE_NUMBER": "PHONE_NUMBER",
	} {
		if got := m.of(in); got != want {
			t.Errorf("%s counts as %s, want %s", in, got, want)
		}
	}
	if _, err := parseTypes("PASSPORT"); err == nil {
		t.Error("a type without another was taken")
	}
}

// SPEC: RED-3
func TestJudge(t *testing.T) {
	c, err := classify.Compile(nil, classify.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rows := []row{
		{Text: "mail ann@example.org now", Spans: []span{{5, 20, "EMAIL_ADDRESS"}}, Rule: "a"},
		{Text: "mail bob@example.org now", Spans: []span{{5, 8, "EMAIL_ADDRESS"}}, Rule: "a"}, // less than half of what is found
		{Text: "card 4111 1111 1111 1111", Rule: "b"},                                         // no cards are labelled in this set
		{Text: "nothing here", Spans: []span{{0, 7, "EMAIL_ADDRESS"}}, Rule: "b"},
	}
	shown := 0
	j := judge(c, rows, typeMap{}, func(*row, *span, *chunk.Entity) { shown++ })
	if got, want := *j.types["EMAIL_ADDRESS"], (found{hit: 1, miss: 2, right: 1, wrong: 1}); got != want {
		t.Errorf("counted %+v, want %+v", got, want)
	}
	if len(j.types) != 1 || shown != 3 {
		t.Errorf("types %v, shown %d", j.types, shown)
	}
}
