package ledger

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
)

// What is asked of a run, a subject or a chunk is found by an index, however long the
// ledger is.
func TestSQLiteFindsByIndex(t *testing.T) {
	ctx := context.Background()
	s, err := OpenSQLite(ctx, filepath.Join(t.TempDir(), "ledger.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	type query struct {
		text string
		args []any
	}
	records := func(f RecordFilter) query { q, args := recordsQuery(f); return query{q, args} }
	gates := func(f GateFilter) query { q, args := gatesQuery(f); return query{q, args} }
	for _, tc := range []struct {
		name  string
		q     query
		index string
	}{
		{"records of a run", records(RecordFilter{Run: "run_x"}), "INDEX record_run (run=?)"},
		{"a page of them, of one kind", records(RecordFilter{Tenant: "t", Run: "run_x", Kind: "execution-started", After: 5}), "INDEX record_run (run=? AND n>?)"},
		{"records about a subject", records(RecordFilter{Subject: "chk_x"}), "INDEX record_subject (subject=?)"},
		{"records behind a number", records(RecordFilter{Kind: "execution-started", After: 5}), "INTEGER PRIMARY KEY (rowid>?)"},
		{"gates of a run", gates(GateFilter{Run: "run_x"}), "INDEX gate_run (run=?)"},
		{"gates about a chunk", gates(GateFilter{About: "chk_x"}), "INDEX gate_about (about=?)"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			rows, err := s.r.QueryContext(ctx, "EXPLAIN QUERY PLAN "+tc.q.text, tc.q.args...)
			if err != nil {
				t.Fatal(err)
			}
			defer rows.Close()
			var plan []string
			for rows.Next() {
				var id, parent, unused int
				var detail string
				if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
					t.Fatal(err)
				}
				plan = append(plan, detail)
			}
			if err := rows.Err(); err != nil {
				t.Fatal(err)
			}
			if len(plan) == 0 || !strings.Contains(plan[0], tc.index) {
				t.Errorf("%s\nis planned as %q, want %s", tc.q.text, plan, tc.index)
			}
		})
	}
}
