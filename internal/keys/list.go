package keys

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// Kinds are the kinds of key.
var Kinds = []string{KEK, Integrity, ID, Ledger}

// Version is one key in a directory. What it holds is not read.
type Version struct {
	Kind    string    `json:"kind"`
	Version int       `json:"version"`
	Newest  bool      `json:"newest"` // the one that encrypts, seals, names or signs
	Public  bool      `json:"public"` // only the public side is there: it verifies, and signs nothing
	Made    time.Time `json:"made"`   // when the file was written
}

// List gives the keys of a directory by kind and version.
func List(dir string) ([]Version, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("keys: %w", err)
	}
	type key struct {
		kind    string
		version int
	}
	found := map[key]Version{}
	for _, e := range entries {
		kind, version, ok := fileKind(e.Name())
		if !ok {
			continue
		}
		info, err := e.Info()
		if err != nil {
			return nil, fmt.Errorf("keys: %w", err)
		}
		public := kind == ledgerPub
		if public {
			kind = Ledger
		}
		k := key{kind, version}
		if had, ok := found[k]; ok && !had.Public {
			continue
		}
		found[k] = Version{Kind: kind, Version: version, Public: public, Made: info.ModTime().UTC()}
	}
	top := map[string]int{}
	for k, v := range found {
		if !v.Public {
			top[k.kind] = max(top[k.kind], k.version)
		}
	}
	out := make([]Version, 0, len(found))
	for _, v := range found {
		v.Newest = v.Version == top[v.Kind]
		out = append(out, v)
	}
	slices.SortFunc(out, func(a, b Version) int {
		if a.Kind != b.Kind {
			return strings.Compare(a.Kind, b.Kind)
		}
		return a.Version - b.Version
	})
	return out, nil
}
