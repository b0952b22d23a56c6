package api

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"

	"github.com/stoplog/stoplog/internal/problem"
	"github.com/stoplog/stoplog/internal/review"
	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/classify"
)

func reviewer(p Principal) review.Reviewer {
	return review.Reviewer{Name: p.Name, Tenant: p.Tenant, PII: p.Has(RolePII)}
}

func parseFilter(q url.Values) (review.Filter, error) {
	f := review.Filter{State: q.Get("state"), Type: q.Get("type"), Source: q.Get("source"), Run: chunk.ID(q.Get("run")), After: chunk.ID(q.Get("after"))}
	switch f.State {
	case "", "waiting", "all", "open", "claimed", "decided", "applied", "expired":
	default:
		return f, invalid("state", "unknown", "want waiting, open, claimed, decided, applied, expired or all")
	}
	// What is no label here is refused before it reaches a database and its log.
	switch {
	case f.Source != "" && !classify.ValidSourceID(f.Source):
		return f, invalid("source", "wrong-format", "want a source's id")
	case f.Type != "" && !classify.ValidSourceID(f.Type): // the same letters
		return f, invalid("type", "wrong-format", "want a gate's type")
	case f.Run != "" && !chunk.ValidID(string(f.Run), "run"):
		return f, invalid("run", "wrong-format", "want a run id")
	case f.After != "" && !chunk.ValidID(string(f.After), "gate"):
		return f, invalid("after", "wrong-format", "want a gate's id")
	}
	if s := q.Get("limit"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 || n > 500 {
			return f, invalid("limit", "wrong-format", "want 1 to 500")
		}
		f.Limit = n
	}
	return f, nil
}

func (a *API) gates(w http.ResponseWriter, r *http.Request, p Principal) error {
	f, err := parseFilter(r.URL.Query())
	if err != nil {
		return err
	}
	items, err := a.Queue.List(r.Context(), reviewer(p), f)
	if err != nil {
		return err
	}
	if items == nil {
		items = []review.Item{}
	}
	out := map[string]any{"gates": items}
	if n := len(items); n > 0 {
		out["after"] = items[n-1].ID
	}
	problem.OK(w, out)
	return nil
}

func (a *API) gate(w http.ResponseWriter, r *http.Request, p Principal) error {
	card, err := a.Queue.Show(r.Context(), reviewer(p), chunk.ID(r.PathValue("gate")), nil)
	if err != nil {
		return err
	}
	return external(w, card, "text", "findings", "decoded", "model_view", "attribution")
}

// reveal shows raw pii to who may see it, for a reason, and records that.
func (a *API) reveal(w http.ResponseWriter, r *http.Request, p Principal) error {
	var in review.Reveal
	if err := read(r, &in); err != nil {
		return err
	}
	card, err := a.Queue.Show(r.Context(), reviewer(p), chunk.ID(r.PathValue("gate")), &in)
	if err != nil {
		return err
	}
	if card.Revealed || card.Masked == 0 {
		return external(w, card, "text", "findings", "decoded", "model_view", "attribution")
	}
	switch card.Reveal {
	case "reason":
		return review.ErrReason
	case "second-reviewer":
		problem.Respond(w, http.StatusAccepted, map[string]any{"reveal": card.Reveal, "gate_id": card.RevealGate})
		return nil
	}
	return review.ErrForbidden
}

func (a *API) claim(w http.ResponseWriter, r *http.Request, p Principal) error {
	it, err := a.Queue.Claim(r.Context(), reviewer(p), chunk.ID(r.PathValue("gate")))
	if err != nil {
		return a.conflict(err, it)
	}
	problem.OK(w, it)
	return nil
}

func (a *API) decide(w http.ResponseWriter, r *http.Request, p Principal) error {
	var in review.Verdict
	if err := read(r, &in); err != nil {
		return err
	}
	it, err := a.Queue.Decide(r.Context(), reviewer(p), chunk.ID(r.PathValue("gate")), in)
	if err != nil {
		return a.conflict(err, it)
	}
	a.metrics.decisions.WithLabelValues(it.Type, it.Decision).Inc()
	problem.OK(w, it)
	return nil
}

// conflict sends the gate as it stands along with a refusal that is about its state.
func (a *API) conflict(err error, it review.Item) error {
	for _, row := range table {
		if errors.Is(err, row.err) {
			if it.ID == "" {
				return err
			}
			p := row.answer
			p.Data = it
			return refusal{p}
		}
	}
	return err
}

func (a *API) batch(w http.ResponseWriter, r *http.Request, p Principal) error {
	var in struct {
		Gates []chunk.ID `json:"gates"`
		review.Verdict
	}
	if err := read(r, &in); err != nil {
		return err
	}
	results, err := a.Queue.Batch(r.Context(), reviewer(p), in.Gates, in.Verdict)
	if err != nil {
		return err
	}
	type one struct {
		review.BatchResult
		Code string `json:"code,omitempty"`
	}
	out := make([]one, len(results))
	failed := 0
	for i, res := range results {
		out[i].BatchResult = res
		if res.Err == nil {
			a.metrics.decisions.WithLabelValues(res.Item.Type, res.Item.Decision).Inc()
			continue
		}
		failed++
		out[i].Code = "internal"
		for _, row := range table {
			if errors.Is(res.Err, row.err) {
				out[i].Code = row.answer.Code
				break
			}
		}
	}
	problem.OK(w, map[string]any{"results": out, "failed": failed})
	return nil
}
