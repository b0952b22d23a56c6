package ledger_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/stoplog/stoplog/internal/ledger"
	"github.com/stoplog/stoplog/internal/ledger/ledgertest"
	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/provenance"
)

// kept is a ledger that keeps its checkpoints in a file.
type kept struct {
	t      *testing.T
	b      ledgertest.Backend
	file   string
	signer note.Signer
	key    note.Verifier
	docs   int
	shorts []string // what the store said of a cut file
}

func newKept(t *testing.T) *kept {
	k := &kept{t: t, b: ledgertest.SQLite(t), file: filepath.Join(t.TempDir(), "checkpoints.log")}
	k.signer, k.key = ledgertest.Key(t, "ledger.example")
	k.b.Store.KeepCheckpoints(k.file, func(_ context.Context, from, to int64) { k.shorts = append(k.shorts, fmt.Sprint(from, " ", to)) })
	return k
}

func (k *kept) write(docs int) {
	k.t.Helper()
	for range docs {
		k.docs++
		if _, err := k.b.Store.Append(context.Background(), ledgertest.Document("mail", k.docs, 1, chunk.Public).Accept(k.t)); err != nil {
			k.t.Fatal(err)
		}
	}
}

func (k *kept) seal() provenance.Checkpoint {
	k.t.Helper()
	c, _, err := k.b.Store.Seal(context.Background(), k.signer)
	if err != nil {
		k.t.Fatal(err)
	}
	return c
}

// problems is everything that verification with the file finds.
func (k *kept) problems() (codes []provenance.Code) {
	k.t.Helper()
	report := func(p provenance.Problem) { codes = append(codes, p.Code) }
	copies, err := ledger.ReadCheckpoints(k.file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		k.t.Fatal(err)
	}
	if _, err := k.b.Store.Verify(context.Background(), copies, verifiers(k.key), report); err != nil {
		k.t.Fatal(err)
	}
	if err := k.b.Store.VerifyCopy(context.Background(), k.file, report); err != nil {
		k.t.Fatal(err)
	}
	return codes
}

func (k *kept) want(when string, codes ...provenance.Code) {
	k.t.Helper()
	if got := k.problems(); !slices.Equal(got, codes) {
		k.t.Errorf("%s: found %v, want %v", when, got, codes)
	}
}

// A file of checkpoints that was cut short, wherever it was cut, or that is gone, is
// found out; and the next seal notices, says so and fills it up. SPEC: PRV-1
func TestACutFileOfCheckpointsIsFound(t *testing.T) {
	k := newKept(t)
	k.want("nothing was sealed")
	for range 4 {
		k.write(2)
		k.seal()
	}
	k.want("whole")
	whole, err := os.ReadFile(k.file)
	if err != nil {
		t.Fatal(err)
	}
	cut := 0
	for n := range len(whole) { // after each byte
		if err := os.WriteFile(k.file, whole[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		var codes []provenance.Code
		if err := k.b.Store.VerifyCopy(context.Background(), k.file, func(p provenance.Problem) { codes = append(codes, p.Code) }); err != nil {
			t.Fatal(err)
		}
		if len(codes) != 1 || codes[0] != provenance.CopyCut && codes[0] != provenance.CopyMissing {
			t.Fatalf("cut after %d of %d bytes: found %v", n, len(whole), codes)
		}
		cut++
	}
	if cut < 500 {
		t.Fatalf("only %d places to cut at", cut)
	}
	notes, _ := provenance.SplitCheckpoints(whole)
	for i := range notes { // one taken out of the middle
		var b []byte
		for j, text := range notes {
			if j != i {
				b = append(b, provenance.FileCheckpoint(text)...)
			}
		}
		if err := os.WriteFile(k.file, b, 0o600); err != nil {
			t.Fatal(err)
		}
		k.want(fmt.Sprint("without checkpoint ", i), provenance.CopyCut)
	}
	for name, damage := range map[string]func() error{
		"cut":  func() error { return os.WriteFile(k.file, whole[:len(whole)/2], 0o600) },
		"gone": func() error { return os.Remove(k.file) },
	} {
		k.shorts = nil
		if err := damage(); err != nil {
			t.Fatal(err)
		}
		k.seal() // with nothing to seal
		if len(k.shorts) != 1 {
			t.Errorf("%s: the store said %q", name, k.shorts)
		}
		if again, err := os.ReadFile(k.file); err != nil || !bytes.Equal(again, whole) {
			t.Errorf("%s: the file was not filled up (%v)", name, err)
		}
		k.want(name + " and filled up")
	}
	k.shorts = nil
	k.write(1)
	k.seal()
	k.want("later")
	if len(k.shorts) != 0 {
		t.Errorf("the store said %q of a whole file", k.shorts)
	}
}

// back takes out of the tables what the seals after the nth wrote, as if they had never
// been committed.
func (k *kept) back(n int) {
	k.t.Helper()
	k.b.Unguard(k.t)
	for _, q := range []string{
		"DELETE FROM checkpoint WHERE size NOT IN (SELECT size FROM checkpoint ORDER BY size LIMIT " + fmt.Sprint(n) + ")",
		"DELETE FROM leaf WHERE seq >= (SELECT max(size) FROM checkpoint)",
	} {
		if _, err := k.b.Insider.Exec(q); err != nil {
			k.t.Fatal(err)
		}
	}
}

// A crash between the copy and the commit leaves one checkpoint in the file alone. It
// is no problem, and the next seal commits that very one before it goes on.
func TestACopyAheadOfACrashIsSealedFirst(t *testing.T) {
	k := newKept(t)
	var last provenance.Checkpoint
	for range 3 {
		k.write(3)
		last = k.seal()
	}
	whole, err := os.ReadFile(k.file)
	if err != nil {
		t.Fatal(err)
	}
	k.back(2)
	k.want("after the crash")
	k.write(2) // before the sealer comes to it
	k.want("with further records")
	if c := k.seal(); c.Size != last.Size || c.Root != last.Root {
		t.Errorf("sealed %d %s, and the copy has %d %s", c.Size, c.Root, last.Size, last.Root)
	}
	if again, err := os.ReadFile(k.file); err != nil || !bytes.Equal(again, whole) {
		t.Errorf("the file has changed (%v)", err)
	}
	if c := k.seal(); c.Size <= last.Size {
		t.Errorf("the further records are not sealed: %d", c.Size)
	}
	k.want("at the end")
	if len(k.shorts) != 0 {
		t.Errorf("a crash was taken for a cut: %q", k.shorts)
	}
}

// What was signed and copied cannot be taken back: the store signs nothing over it, and
// verification says so. SPEC: PRV-1
func TestADatabaseSetBackIsNotSealedOver(t *testing.T) {
	for _, tc := range []struct {
		name   string
		keep   int // seals that the database keeps of three
		change string
		want   provenance.Code
	}{
		{"two seals taken out, the records kept", 1, "", provenance.OutsideBeyond},
		{"records deleted", 2, "DELETE FROM record WHERE n = (SELECT max(n) FROM record)", provenance.OutsideBeyond},
		{"a record changed", 2, "UPDATE record SET canon = (SELECT canon FROM record WHERE n = 1) WHERE n = (SELECT max(n) FROM record)", provenance.OutsideRoot},
	} {
		t.Run(tc.name, func(t *testing.T) {
			k := newKept(t)
			for range 3 {
				k.write(3)
				k.seal()
			}
			k.back(tc.keep)
			if tc.change != "" {
				if _, err := k.b.Insider.Exec(tc.change); err != nil {
					t.Fatal(err)
				}
			}
			if got := k.problems(); !slices.Contains(got, tc.want) {
				t.Errorf("found %v, want %s", got, tc.want)
			}
			if tc.change == "" {
				return // the records are what was signed: sealing them again changes nothing
			}
			if _, _, err := k.b.Store.Seal(context.Background(), k.signer); !errors.Is(err, ledger.ErrTree) {
				t.Errorf("sealed over it: %v", err)
			}
		})
	}
}
