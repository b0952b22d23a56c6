package runstate

import (
	"context"
	"testing"

	"github.com/stoplog/stoplog/pkg/chunk"
)

func TestSmoke(t *testing.T) {
	url, stop, err := StartEmbedded(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	n := 0
	c, err := New(Options{URL: url}, func(context.Context, chunk.ID) (State, error) {
		n++
		return State{Class: chunk.PII, Pending: 3}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	run := chunk.NewID("run", "a")
	for range 3 {
		s, err := c.Get(t.Context(), run)
		if err != nil || s != (State{Class: chunk.PII, Pending: 3}) {
			t.Fatal(s, err)
		}
	}
	if n != 1 {
		t.Fatalf("%d loads", n)
	}
	if err := c.Invalidate(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	if ok, err := c.Allow(t.Context(), "k", 1); !ok || err != nil {
		t.Fatal(ok, err)
	}
	if ok, err := c.Allow(t.Context(), "k", 1); ok || err != nil {
		t.Fatal(ok, err)
	}
}
