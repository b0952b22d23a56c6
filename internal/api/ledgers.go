package api

import (
	"net/http"
	"strconv"

	"github.com/stoplog/stoplog/internal/ledger"
	"github.com/stoplog/stoplog/internal/problem"
	"github.com/stoplog/stoplog/internal/review"
	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/provenance"
)

// checkpoint gives the newest signed checkpoint as it is: a signed note, to keep and
// to verify with.
func (a *API) checkpoint(w http.ResponseWriter, r *http.Request, _ Principal) error {
	c, err := a.cfg.Store.LastCheckpoint(r.Context())
	if err != nil {
		return fromLedger(err)
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write(c.Note)
	return nil
}

type recordView struct {
	provenance.Record
	Seq int64 `json:"seq"` // place in the tree; -1 until it is sealed
	N   int64 `json:"n"`   // for paging
}

func (a *API) records(w http.ResponseWriter, r *http.Request, p Principal) error {
	q := r.URL.Query()
	f := ledger.RecordFilter{Tenant: p.Tenant, Run: chunk.ID(q.Get("run")), Subject: chunk.ID(q.Get("subject")), Kind: provenance.Kind(q.Get("kind")), Limit: 100}
	if f.Kind != "" && !f.Kind.Known() {
		return invalid("kind", "unknown", "not a kind of record")
	}
	for name, dst := range map[string]*int64{"after": &f.After, "limit": nil} {
		s := q.Get(name)
		if s == "" {
			continue
		}
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil || n < 0 || dst == nil && (n < 1 || n > 1000) {
			return invalid(name, "wrong-format", "want a number in range")
		}
		if dst != nil {
			*dst = n
		} else {
			f.Limit = int(n)
		}
	}
	rows, err := a.cfg.Store.Records(r.Context(), f)
	if err != nil {
		return fromLedger(err)
	}
	out := make([]recordView, 0, len(rows))
	for _, row := range rows {
		if row.Record.Tenant == p.Tenant {
			out = append(out, recordView{row.Record, row.Seq, row.N})
		}
	}
	data := map[string]any{"records": out}
	if n := len(rows); n > 0 {
		data["after"] = rows[n-1].N
	}
	problem.OK(w, data)
	return nil
}

func (a *API) ledgerRecord(w http.ResponseWriter, r *http.Request, p Principal) error {
	id := chunk.ID(r.PathValue("record"))
	if !chunk.ValidID(string(id), "rec") {
		return review.ErrNotFound
	}
	row, err := a.cfg.Store.Record(r.Context(), id)
	if err != nil {
		return fromLedger(err)
	}
	if row.Record.Tenant != p.Tenant {
		return review.ErrNotFound
	}
	problem.OK(w, map[string]any{"record": row.Record, "seq": row.Seq, "canonical": row.Canon})
	return nil
}

// proof gives a record and the proof that it is in the tree of the newest checkpoint,
// as JSON and in the C2SP text form, which `stoplog ledger` and others check.
func (a *API) proof(w http.ResponseWriter, r *http.Request, p Principal) error {
	id := chunk.ID(r.PathValue("record"))
	if !chunk.ValidID(string(id), "rec") {
		return review.ErrNotFound
	}
	row, proof, err := a.cfg.Store.Prove(r.Context(), id)
	if err != nil {
		return fromLedger(err)
	}
	if row.Record.Tenant != p.Tenant {
		return review.ErrNotFound
	}
	problem.OK(w, map[string]any{"record": row.Record, "seq": row.Seq, "canonical": row.Canon, "proof": proof, "tlog_proof": string(proof.Text())})
	return nil
}
