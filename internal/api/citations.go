package api

import (
	"net/http"

	"github.com/stoplog/stoplog/internal/citations"
	"github.com/stoplog/stoplog/internal/problem"
	"github.com/stoplog/stoplog/pkg/chunk"
)

// citations checks the citations of a text against their sources of record (SPEC QUA-8).
// 200 says what came of each; whether the text may be used is the caller's to decide.
func (a *API) citations(w http.ResponseWriter, r *http.Request, p Principal) error {
	var in struct {
		Text *string  `json:"text"`
		Run  chunk.ID `json:"run_id"`
	}
	if err := read(r, &in); err != nil {
		return err
	}
	if in.Text == nil {
		return invalid("text", "missing", "required")
	}
	report, failure, err := a.Gatekeeper.Citations(r.Context(), p.Tenant, p.Actor(), in.Run, *in.Text)
	if err != nil {
		return err
	}
	if failure != chunk.FailNone {
		denied(w, failure, nil, map[string]any{"run_id": in.Run})
		return nil
	}
	counts := report.Counts()
	if counts == nil {
		counts = []citations.Count{}
	}
	worst := report.Worst()
	return external(w, map[string]any{
		"run_id": in.Run, "resolved": worst == chunk.FailNone, "failure_id": worst, "kinds": a.cfg.Citations.Kinds(), "counts": counts,
		"citations": report.Citations, "omitted": report.Omitted, "placeholders": report.Placeholders,
	}, "citations")
}

var noCitations = problem.Problem{Status: http.StatusUnprocessableEntity, Code: "citations-undeclared",
	Detail: "The configuration declares no kinds of citations, so none can be checked."}
