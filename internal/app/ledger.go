package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/mod/sumdb/note"

	"github.com/stoplog/stoplog/internal/config"
	"github.com/stoplog/stoplog/internal/ledger"
	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/provenance"
)

type storeFlags struct{ data, config string }

func (f *storeFlags) add(c *cobra.Command) {
	c.PersistentFlags().StringVar(&f.data, "data", "stoplog-data", "data directory")
	c.PersistentFlags().StringVar(&f.config, "config", "", "configuration file (default DATA/"+config.FileName+")")
}

// reader opens the ledger for reading, beside a server that may be running. Without
// a configuration file it reads the embedded ledger of the data directory.
func (f *storeFlags) reader(ctx context.Context) (*ledger.Store, error) {
	file := f.config
	if file == "" {
		if p := filepath.Join(f.data, config.FileName); exists(p) {
			file = p
		}
	}
	if file != "" {
		cfg, err := config.Load(file)
		if err != nil {
			return nil, usageError{err}
		}
		if cfg.Stores.Postgres != "" {
			dsn, err := cfg.Secret(cfg.Stores.Postgres)
			if err != nil {
				return nil, usageError{err}
			}
			return ledger.OpenPostgres(ctx, dsn)
		}
	}
	db := filepath.Join(f.data, ledgerFile)
	if !exists(db) {
		return nil, usagef("there is no ledger at %s; give --data or --config", db)
	}
	return ledger.OpenSQLiteReadOnly(ctx, db)
}

const ledgerFile = "ledger.db"

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// report collects what does not hold.
type report struct {
	e        *env
	problems []provenance.Problem
}

const maxShown = 1000 // lines a person reads; the count is always whole

func (r *report) add(p provenance.Problem) {
	r.problems = append(r.problems, p)
	if r.e.format == "text" && len(r.problems) <= maxShown {
		fmt.Fprintln(r.e.out, p)
	}
}

func (r *report) end(result any, text string) error {
	ok := len(r.problems) == 0
	if r.e.format == "json" {
		if r.problems == nil {
			r.problems = []provenance.Problem{}
		}
		if err := r.e.envelope(ok, map[string]any{"result": result, "problems": r.problems}, nil, nil); err != nil {
			return err
		}
	} else {
		fmt.Fprint(r.e.out, text)
	}
	if !ok {
		return errProblems
	}
	return nil
}

func auditCommand(e *env) *cobra.Command {
	var f storeFlags
	var grace time.Duration
	c := &cobra.Command{
		Use: "audit", GroupID: "look", Short: "Prove that every accepted chunk has exactly one end, or name what is missing",
		Long: `Prove that each chunk that passed the door has exactly one final disposition in the
ledger, waits at an open gate, or is under way for less than --grace; name each one
that is not. Rebuild what the tables say of runs, chunks and gates from the records and
compare. Exit status 0 when it holds, 1 and a line for each thing that does not.

It reads beside a running server, and needs no more than permission to read. Whether the records are the ones that were written is
what ` + "`stoplog ledger verify`" + ` shows.`,
		Example: "  stoplog audit --data ./stoplog-data\n  stoplog audit --data ./stoplog-data --format json",
		Args:    exactArgs(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := f.reader(cmd.Context())
			if err != nil {
				return usageError{err} // 1 would say that the ledger does not hold, which nobody knows
			}
			defer s.Close()
			rep := &report{e: e}
			a, err := s.Audit(cmd.Context(), grace, rep.add)
			if err != nil {
				return usageError{err}
			}
			return rep.end(a, auditText(a))
		},
	}
	c.Flags().DurationVar(&grace, "grace", 30*time.Second, "how long a chunk may be under way")
	f.add(c)
	return c
}

func auditText(a ledger.AuditReport) string {
	var ends []string
	for d := chunk.Cleared; d.Final(); d++ {
		if n := a.Final[d.String()]; n > 0 {
			ends = append(ends, fmt.Sprintf("%d %s", n, d))
		}
	}
	if a.Pending > 0 {
		ends = append(ends, fmt.Sprintf("%d pending at a gate", a.Pending))
	}
	if a.InFlight > 0 {
		ends = append(ends, fmt.Sprintf("%d under way", a.InFlight))
	}
	if len(ends) == 0 {
		ends = []string{"none"}
	}
	verdict := "holds"
	if a.Problems > 0 {
		verdict = fmt.Sprintf("does not hold: %d problems", a.Problems)
	}
	return fmt.Sprintf("%d documents, %d chunks: %s. %d records. The audit %s.\n", a.Documents, a.Chunks, strings.Join(ends, ", "), a.Records, verdict)
}

func ledgerCommand(e *env) *cobra.Command {
	c := &cobra.Command{Use: "ledger", GroupID: "look", Short: "Verify, show, prove and export the ledger", RunE: helpOnly,
		Example: "  stoplog ledger verify --data ./stoplog-data\n  stoplog ledger show --data ./stoplog-data --kind gate-opened"}
	var f storeFlags
	f.add(c)

	var outside, pubs []string
	verify := &cobra.Command{
		Use: "verify [EXPORT]", Short: "Compute the whole tree again and check every signature, tile and copy",
		Long: `Compute the tree from the records and check it against every stored tile and
checkpoint, and against the copies of checkpoints that were kept outside the database:
DATA/` + CheckpointFile + ` and each --checkpoint FILE. With a directory that
` + "`stoplog ledger export`" + ` wrote it needs no database.

The server of an embedded ledger writes each checkpoint to DATA/` + CheckpointFile + ` before
the database: a file that is gone, or that lacks one, was cut, and that is a problem too.

Exit status 0 when it holds, 1 and a line for each thing that does not. Somebody who can
rewrite the database and sign is found out only by a copy he could not reach: keep some.
Permission to read DATA/ledger.db, ledger.db-wal, ledger.db-shm, ` + CheckpointFile + ` and the
public keys is all it needs.`,
		Example: "  stoplog ledger verify --data ./stoplog-data\n  stoplog ledger verify --data ./stoplog-data --checkpoint /mnt/other-host/checkpoints.log",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usagef("want at most one exported directory")
			}
			verifiers, err := f.verifiers(pubs)
			if err != nil {
				return err
			}
			var copies [][]byte // read before the database: it only grows
			own := filepath.Join(f.data, CheckpointFile)
			if len(args) == 0 && exists(own) {
				outside = append(outside, own)
			}
			for _, path := range outside {
				c, err := ledger.ReadCheckpoints(path)
				if err != nil {
					return usageError{err}
				}
				copies = append(copies, c...)
			}
			rep := &report{e: e}
			if len(args) == 1 {
				v, err := ledger.VerifyExport(args[0], copies, verifiers, rep.add)
				if err != nil {
					return err
				}
				return rep.end(v, verifyText(v, 0))
			}
			s, err := f.reader(cmd.Context())
			if err != nil {
				return usageError{err}
			}
			defer s.Close()
			v, err := s.Verify(cmd.Context(), copies, verifiers, rep.add)
			if err != nil {
				return usageError{err}
			}
			if s.Dialect() == "sqlite" { // on Postgres several processes share the checkpoints out
				if err := s.VerifyCopy(cmd.Context(), own, rep.add); err != nil {
					return usageError{err}
				}
				v.Problems = int64(len(rep.problems))
			}
			return rep.end(v, verifyText(v.Verified, v.Unsealed))
		},
	}
	verify.Flags().StringArrayVar(&outside, "checkpoint", nil, "file of checkpoints kept outside the database; may be repeated")
	verify.Flags().StringArrayVar(&pubs, "key", nil, "file with a public key of the ledger (default DATA/keys/ledger-*.pub)")

	var run, subject, kind string
	var limit int
	show := &cobra.Command{
		Use: "show [RECORD]", Short: "Show records: one, or those of a run, a subject, a kind",
		Example: "  stoplog ledger show --data ./stoplog-data --run run_…\n  stoplog ledger show rec_… --format json",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usagef("want at most one record id")
			}
			if kind != "" && !provenance.Kind(kind).Known() {
				return usagef("--kind %s: no such kind; see docs/ledger.md", kind)
			}
			s, err := f.reader(cmd.Context())
			if err != nil {
				return err
			}
			defer s.Close()
			var records []ledger.Sealed
			if len(args) == 1 {
				r, err := s.Record(cmd.Context(), chunk.ID(args[0]))
				if errors.Is(err, ledger.ErrNotFound) {
					return fmt.Errorf("no record %s", args[0])
				}
				if err != nil {
					return err
				}
				records = []ledger.Sealed{r}
			} else if records, err = s.Records(cmd.Context(), ledger.RecordFilter{Run: chunk.ID(run), Subject: chunk.ID(subject), Kind: provenance.Kind(kind), Limit: limit}); err != nil {
				return err
			}
			for _, r := range records {
				e.record(r)
			}
			return nil
		},
	}
	show.Flags().StringVar(&run, "run", "", "records of this run")
	show.Flags().StringVar(&subject, "subject", "", "records about this event, chunk or gate")
	show.Flags().StringVar(&kind, "kind", "", "records of this kind")
	show.Flags().IntVar(&limit, "limit", 100, "at most so many")
	kinds := make([]string, len(provenance.Kinds))
	for i, k := range provenance.Kinds {
		kinds[i] = string(k)
	}
	offer(show, "kind", kinds...)

	prove := &cobra.Command{
		Use: "prove RECORD", Short: "Print the proof that a record is in the signed tree",
		Example: "  stoplog ledger prove --data ./stoplog-data rec_… > proof.txt",
		Args:    exactArgs(1, "one record id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := f.reader(cmd.Context())
			if err != nil {
				return err
			}
			defer s.Close()
			r, p, err := s.Prove(cmd.Context(), chunk.ID(args[0]))
			if errors.Is(err, ledger.ErrNotFound) {
				return fmt.Errorf("no record %s, or it is not sealed yet", args[0])
			}
			if err != nil {
				return err
			}
			data := map[string]any{"record": json.RawMessage(r.Canon), "seq": r.Seq, "proof": p}
			return e.answer(data, func(w io.Writer) { _, _ = w.Write(p.Text()) })
		},
	}

	var dir string
	export := &cobra.Command{
		Use: "export", Short: "Write the ledger as JSON lines, or as a directory that anyone can verify and serve",
		Long: `Without --dir, write each sealed record on a line. With --dir, write the C2SP
tlog-tiles layout (checkpoint, tiles, entries) and records.jsonl beside it: any static
web server can serve it, and ` + "`stoplog ledger verify DIR`" + ` checks it without a database.`,
		Example: "  stoplog ledger export --data ./stoplog-data > records.jsonl\n  stoplog ledger export --data ./stoplog-data --dir ./ledger-export",
		Args:    exactArgs(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := f.reader(cmd.Context())
			if err != nil {
				return err
			}
			defer s.Close()
			if dir == "" {
				_, err := s.ExportRecords(cmd.Context(), e.out)
				return err
			}
			cp, err := s.Export(cmd.Context(), dir)
			if err != nil {
				return err
			}
			return e.print(map[string]any{"dir": dir, "size": cp.Size}, "Wrote %d records to %s. Check it: stoplog ledger verify %s\n", cp.Size, dir, dir)
		},
	}
	export.Flags().StringVar(&dir, "dir", "", "directory to write to")
	c.AddCommand(verify, show, prove, export)
	return c
}

// verifiers gives the public keys that checkpoints must be signed by.
func (f *storeFlags) verifiers(files []string) ([]note.Verifier, error) {
	if len(files) == 0 {
		found, err := filepath.Glob(filepath.Join(f.data, "keys", "ledger-*.pub"))
		if err != nil {
			return nil, err
		}
		files = found
	}
	if len(files) == 0 {
		return nil, usagef("no public key: give --key FILE, or a --data directory with keys/ledger-*.pub")
	}
	var out []note.Verifier
	for _, path := range files {
		b, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, usagef("no public key at %s", path)
		}
		if err != nil {
			return nil, err
		}
		v, err := note.NewVerifier(strings.TrimSpace(string(b)))
		if err != nil {
			return nil, usagef("%s is not a public key of a ledger", path)
		}
		out = append(out, v)
	}
	return out, nil
}

func verifyText(v provenance.Verified, unsealed int64) string {
	verdict := "The ledger holds."
	if v.Problems > 0 {
		verdict = fmt.Sprintf("The ledger does not hold: %d problems.", v.Problems)
	}
	tail := ""
	if unsealed > 0 {
		tail = fmt.Sprintf(" %d records wait for the sealer.", unsealed)
	}
	if v.Outside == 0 {
		tail += " No copy of a checkpoint from outside was given."
	}
	return fmt.Sprintf("%d records under root %s; %d checkpoints, %d copies from outside, %d tiles checked.%s %s\n",
		v.Size, v.Root, v.Checkpoints, v.Outside, v.Tiles, tail, verdict)
}

// record prints one record: a line for people, its canonical bytes for programs.
func (e *env) record(r ledger.Sealed) {
	if e.format == "json" {
		fmt.Fprintf(e.out, `{"seq":%d,"record":%s}`+"\n", r.Seq, r.Canon)
		return
	}
	seq := "      -"
	if r.Seq >= 0 {
		seq = fmt.Sprintf("%7d", r.Seq)
	}
	fmt.Fprintf(e.out, "%s  %s  %-22s %s\n", seq, r.Record.Time.Format("2006-01-02 15:04:05.000"), r.Record.Kind, r.Record.Payload)
}
