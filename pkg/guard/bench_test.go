package guard_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/classify"
	"github.com/stoplog/stoplog/pkg/guard"
)

// BenchmarkDecide: one call with about 2 KB of prose in it, with the real recognisers.
func BenchmarkDecide(b *testing.B) {
	c, err := classify.Compile([]classify.Source{{ID: "x", Ceiling: chunk.Internal, Format: "text"}}, classify.Options{})
	if err != nil {
		b.Fatal(err)
	}
	g, err := guard.Compile([]guard.Tool{{ID: "t", Ceiling: chunk.Internal, Control: guard.Autonomous, Arguments: []guard.Argument{{Name: "body", Type: "string"}}}},
		guard.Options{Recognise: c.Recognise, ClassOf: classify.ClassOf})
	if err != nil {
		b.Fatal(err)
	}
	for name, text := range map[string]string{
		"prose":  strings.Repeat("the room with the garden view is free on both nights, and breakfast is served from seven. ", 23),
		"url":    "https://www.example.com/search?q=" + strings.Repeat("opening%20hours%20of%20the%20museum+", 50),
		"markup": strings.Repeat("<p>the room is &quot;free&quot; \\u0041nd</p> ", 45),
	} {
		args, _ := json.Marshal(map[string]string{"body": text})
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(args)))
			for b.Loop() {
				if d := g.Decide(guard.Call{Tool: "t", Arguments: args}, guard.RunState{Class: chunk.Public}); d.Outcome != guard.Allow {
					b.Fatal(d.Outcome, d.Failure, d.Found)
				}
			}
		})
	}
}
