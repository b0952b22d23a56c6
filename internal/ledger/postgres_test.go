package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stoplog/stoplog/internal/ledger"
	"github.com/stoplog/stoplog/internal/ledger/ledgertest"
	"github.com/stoplog/stoplog/pkg/chunk"
	"github.com/stoplog/stoplog/pkg/provenance"
)

func fillPostgres(t *testing.T, b ledgertest.Backend, docs int) {
	t.Helper()
	signer, _ := ledgertest.Key(t, "ledger.example")
	for i := range docs {
		d := ledgertest.Document("mail", i, 1, chunk.Restricted)
		if _, err := b.Store.Append(context.Background(), d.Accept(t), d.Clear(t, 0)); err != nil {
			t.Fatal(err)
		}
	}
	ledgertest.SealAll(t, b.Store, signer)
}

// as runs a statement in a session that has taken a role, rolled back.
func as(t *testing.T, b ledgertest.Backend, role string, statements ...string) error {
	t.Helper()
	ctx := context.Background()
	c, err := b.Insider.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.ExecContext(ctx, "BEGIN; SET LOCAL search_path = stoplog; SET LOCAL ROLE "+role); err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = c.ExecContext(ctx, "ROLLBACK") }()
	for _, q := range statements {
		if _, err = c.ExecContext(ctx, q); err != nil {
			break
		}
	}
	return err
}

// No role changes what is recorded: not the service's own, not the owner's, not a
// superuser who switches triggers off for replication. A superuser who takes the
// triggers away can; the control shows it, and that verification then sees it.
// SPEC: PRV-1, CLS-6
func TestPostgresForbidden(t *testing.T) {
	ctx := context.Background()
	b := ledgertest.Postgres(t)
	fillPostgres(t, b, 120)
	_, key := ledgertest.Key(t, "ledger.example")
	const replica = "SET LOCAL session_replication_role = replica"
	refused := 0
	deny := func(role string, statements ...string) {
		t.Helper()
		err := as(t, b, role, statements...)
		if err == nil || !(strings.Contains(err.Error(), "42501") || strings.Contains(err.Error(), "428C9")) {
			t.Errorf("%s: %s: %v", role, statements[len(statements)-1], err)
			return
		}
		refused++
	}
	for _, table := range []string{"record", "leaf", "tile", "checkpoint", "event", "refused"} {
		column := map[string]string{"record": "canon", "leaf": "hash", "tile": "root", "checkpoint": "note", "event": "evidence", "refused": "kind"}[table]
		for _, role := range []string{"stoplog_writer", "stoplog_sealer", "stoplog_reader"} {
			deny(role, "UPDATE "+table+" SET "+column+" = "+column)
			deny(role, "DELETE FROM "+table)
			deny(role, "TRUNCATE "+table)
			deny(role, "DROP TABLE "+table)
			deny(role, "ALTER TABLE "+table+" DISABLE TRIGGER ALL")
		}
		if table == "refused" {
			continue // empty: row triggers have nothing to refuse
		}
		for _, role := range []string{"stoplog_owner", "postgres"} {
			deny(role, "UPDATE "+table+" SET "+column+" = "+column)
			deny(role, "DELETE FROM "+table)
			deny(role, "TRUNCATE "+table)
		}
		deny("postgres", replica, "UPDATE "+table+" SET "+column+" = "+column)
		deny("postgres", replica, "DELETE FROM "+table)
		deny("postgres", replica, "TRUNCATE "+table)
	}
	for _, role := range []string{"stoplog_writer", "stoplog_owner"} {
		deny(role, replica)
		deny(role, "INSERT INTO record (record_id, once, tenant, run, subject, kind, at, canon, leaf) SELECT record_id, once, tenant, run, subject, kind, at, canon, leaf FROM record ON CONFLICT (record_id) DO UPDATE SET canon = excluded.canon")
		deny(role, "MERGE INTO record r USING leaf l ON r.record_id = l.record_id WHEN MATCHED THEN DELETE")
		deny(role, "UPDATE run SET class = 0", "SELECT 1/0")
	}
	// A writer does not choose its place in the order, seals nothing, makes nothing.
	deny("stoplog_writer", "INSERT INTO record (tx, record_id, tenant, run, subject, kind, at, canon, leaf) SELECT '1', 'rec_x', tenant, run, subject, kind, at, canon, leaf FROM record LIMIT 1")
	deny("stoplog_writer", "INSERT INTO record (n, record_id, tenant, run, subject, kind, at, canon, leaf) SELECT 1, 'rec_x', tenant, run, subject, kind, at, canon, leaf FROM record LIMIT 1")
	deny("stoplog_writer", "INSERT INTO leaf SELECT 1000000, 'rec_x', hash FROM leaf LIMIT 1")
	deny("stoplog_writer", "INSERT INTO checkpoint SELECT 1000000, note, at, last_n, last_tx, floor_n FROM checkpoint LIMIT 1")
	deny("stoplog_writer", "CREATE TABLE stoplog.x (a int)")
	deny("stoplog_writer", "DELETE FROM run")
	deny("stoplog_writer", "UPDATE run SET incomplete = true", "UPDATE run SET incomplete = false")
	deny("stoplog_writer", "UPDATE chunk SET disposition = 'pending'")
	deny("stoplog_sealer", "INSERT INTO record (record_id, tenant, run, subject, kind, at, canon, leaf) SELECT 'rec_x', tenant, run, subject, kind, at, canon, leaf FROM record LIMIT 1")
	deny("stoplog_reader", "INSERT INTO outbox (topic, key, headers, value) VALUES ('', '', '{}', '')")
	for _, table := range []string{"held", "context_item", "stub", "outbox"} {
		deny("stoplog_reader", "SELECT * FROM "+table)
		deny("stoplog_sealer", "SELECT * FROM "+table)
	}
	t.Logf("%d statements refused", refused)
	if refused < 100 {
		t.Errorf("only %d statements were tried", refused)
	}
	if _, err := b.Store.Verify(ctx, nil, verifiers(key), func(p provenance.Problem) { t.Error(p) }); err != nil {
		t.Error(err)
	}
	// The control.
	b.Unguard(t)
	if _, err := b.Insider.Exec("UPDATE record SET canon = 'x' WHERE n = 7"); err != nil {
		t.Fatal(err)
	}
	found := 0
	if _, err := b.Store.Verify(ctx, nil, verifiers(key), func(provenance.Problem) { found++ }); err != nil || found == 0 {
		t.Errorf("%d problems, %v", found, err)
	}
}

// A transaction that began early and commits late is sealed after those that
// overtook it, and not lost behind them. SPEC: PRV-1
func TestPostgresLateCommit(t *testing.T) {
	ctx := context.Background()
	b := ledgertest.Postgres(t)
	signer, key := ledgertest.Key(t, "ledger.example")
	late := ledgertest.Document("late", 1, 1, chunk.Public).Accept(t).Records[0]
	e, err := provenance.Encode(late)
	if err != nil {
		t.Fatal(err)
	}
	c := provenance.ColumnsOf(e)
	// A slow writer: its record has the lowest number, and is not committed.
	slow, err := b.Insider.Begin()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := slow.Exec("INSERT INTO record (record_id, tenant, run, subject, kind, at, canon, leaf) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
		c.ID, c.Tenant, c.Run, c.Subject, c.Kind, c.At, e.Canon, c.Leaf[:]); err != nil {
		t.Fatal(err)
	}
	const docs = 20
	for i := range docs {
		if _, err := b.Store.Append(ctx, ledgertest.Document("mail", i, 1, chunk.Public).Accept(t)); err != nil {
			t.Fatal(err)
		}
		if _, sealed, err := b.Store.Seal(ctx, signer); err != nil || sealed {
			t.Fatalf("sealed past a transaction under way: %v %v", sealed, err)
		}
	}
	if err := slow.Commit(); err != nil {
		t.Fatal(err)
	}
	made := ledgertest.SealAll(t, b.Store, signer)
	if n := len(made); n == 0 || made[n-1].Size != docs*2+1 {
		t.Fatalf("%+v", made)
	}
	first, err := b.Store.RecordAt(ctx, 0)
	if err != nil || first.Record.ID != late.ID {
		t.Errorf("the earliest transaction is not first: %v", err)
	}
	v, err := b.Store.Verify(ctx, nil, verifiers(key), func(p provenance.Problem) { t.Error(p) })
	if err != nil || v.Unsealed != 0 {
		t.Errorf("%+v %v", v, err)
	}
}

// appendUnsealed adds two records that wait for the sealer.
func appendUnsealed(t *testing.T, b ledgertest.Backend) {
	t.Helper()
	if _, err := b.Store.Append(context.Background(), ledgertest.Document("unsealed", 1, 1, chunk.Public).Accept(t)); err != nil {
		t.Fatal(err)
	}
}

// After a dump and restore, transaction numbers begin again below those of the
// restored records. Sealing goes on, with each record once, and what is said to wait for
// it is what does: neither what the old cluster sealed, nor less than what was added.
func TestPostgresRestored(t *testing.T) {
	ctx := context.Background()
	b := ledgertest.Postgres(t)
	signer, key := ledgertest.Key(t, "ledger.example")
	fillPostgres(t, b, 10)
	appendUnsealed(t, b)
	// As a restore leaves it: the old cluster had counted much further.
	b.Unguard(t)
	for _, q := range []string{
		"UPDATE record SET tx = (tx::text::bigint + 4000000000)::text::xid8",
		"UPDATE checkpoint SET last_tx = (last_tx::text::bigint + 4000000000)::text::xid8",
	} {
		if _, err := b.Insider.Exec(q); err != nil {
			t.Fatal(err)
		}
	}
	s := b.Another(t)
	total, waiting := int64(10*3+2), int64(2)
	want := func(when string) {
		t.Helper()
		if n, err := s.Unsealed(ctx); err != nil || n != waiting {
			t.Errorf("%s: %d records wait to be sealed, want %d: %v", when, n, waiting, err)
		}
		v, err := s.Verify(ctx, nil, verifiers(key), func(p provenance.Problem) { t.Errorf("%s: %v", when, p) })
		if err != nil || v.Size != total-waiting || v.Unsealed != waiting {
			t.Errorf("%s: %+v %v, want %d and %d unsealed", when, v, err, total-waiting, waiting)
		}
	}
	add := func(n int) {
		t.Helper()
		if _, err := s.Append(ctx, ledgertest.Document("after", n, 1, chunk.Public).Accept(t)); err != nil {
			t.Fatal(err)
		}
		total += 2
		waiting += 2
	}
	want("restored")
	add(0)
	want("restored and added to, before the first seal")
	for i := range 5 {
		ledgertest.SealAll(t, s, signer)
		waiting = 0
		want(fmt.Sprint("sealed ", i+1))
		add(i + 1)
		want(fmt.Sprint("added to ", i+1))
	}
}

// A cluster that has counted beyond the last checkpoint and not yet as far as the records
// behind it: they are sealed once, before it gets there and after.
func TestPostgresRestoredBetween(t *testing.T) {
	ctx := context.Background()
	b := ledgertest.Postgres(t)
	signer, key := ledgertest.Key(t, "ledger.example")
	fillPostgres(t, b, 10)
	appendUnsealed(t, b)
	b.Unguard(t)
	if _, err := b.Insider.Exec(`UPDATE record r SET tx = (pg_current_xact_id()::text::bigint + 40)::text::xid8
		WHERE NOT EXISTS (SELECT 1 FROM leaf WHERE leaf.record_id = r.record_id)`); err != nil {
		t.Fatal(err)
	}
	s := b.Another(t)
	total := int64(10*3 + 2)
	for i := range 60 { // a transaction each, and one of each seal
		ledgertest.SealAll(t, s, signer)
		if n, err := s.Unsealed(ctx); err != nil || n != 0 {
			t.Fatalf("%d records wait to be sealed: %v", n, err)
		}
		if _, err := s.Append(ctx, ledgertest.Document("after", i, 1, chunk.Public).Accept(t)); err != nil {
			t.Fatal(err)
		}
		total += 2
	}
	ledgertest.SealAll(t, s, signer)
	v, err := s.Verify(ctx, nil, verifiers(key), func(p provenance.Problem) { t.Error(p) })
	if err != nil || v.Size != total || v.Unsealed != 0 {
		t.Errorf("%+v %v, want %d", v, err, total)
	}
}

// A login gets no more than its role, and one without a role is told what to do.
func TestPostgresRoles(t *testing.T) {
	ctx := context.Background()
	b := ledgertest.Postgres(t)
	fillPostgres(t, b, 5)
	for _, q := range []string{
		"DROP ROLE IF EXISTS stoplog_test_reader", "CREATE ROLE stoplog_test_reader LOGIN NOINHERIT", "GRANT stoplog_reader TO stoplog_test_reader",
		"DROP ROLE IF EXISTS stoplog_test_nobody", "CREATE ROLE stoplog_test_nobody LOGIN",
		"DROP ROLE IF EXISTS stoplog_test_writer", "CREATE ROLE stoplog_test_writer LOGIN", "GRANT stoplog_writer TO stoplog_test_writer",
	} {
		if _, err := b.Insider.Exec(q); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		_, _ = b.Insider.Exec("DROP ROLE stoplog_test_reader, stoplog_test_nobody, stoplog_test_writer")
	})
	dsn := func(user string) string { return strings.Replace(b.DSN, "stoplog_test_app", user, 1) }
	signer, key := ledgertest.Key(t, "ledger.example")

	r, err := ledger.OpenPostgres(ctx, dsn("stoplog_test_reader"))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := r.Verify(ctx, nil, verifiers(key), func(p provenance.Problem) { t.Error(p) }); err != nil {
		t.Error(err)
	}
	if _, err := r.Audit(ctx, 1e6*time.Hour, func(p provenance.Problem) { t.Error(p) }); err != nil {
		t.Error(err)
	}
	if _, err := r.Append(ctx, ledger.Batch{}); !errors.Is(err, ledger.ErrReadOnly) {
		t.Error(err)
	}
	w, err := ledger.OpenPostgres(ctx, dsn("stoplog_test_writer"))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, _, err := w.Seal(ctx, signer); err == nil {
		t.Error("a writer who is no sealer seals")
	}
	if _, err := ledger.OpenPostgres(ctx, dsn("stoplog_test_nobody")); !errors.Is(err, ledger.ErrRole) {
		t.Error(err)
	}
	if _, err := ledger.OpenPostgres(ctx, "postgres://%zz:secret@"); err == nil || strings.Contains(err.Error(), "secret") {
		t.Error(err)
	}
}

// Migrating again, and by several at once, changes nothing.
func TestPostgresMigrate(t *testing.T) {
	b := ledgertest.Postgres(t)
	owner := strings.Replace(b.DSN, "stoplog_test_app", "postgres", 1)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if err := ledger.MigratePostgres(context.Background(), owner); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if _, err := b.Insider.Exec("INSERT INTO schema_version (version) VALUES (99)"); err != nil {
		t.Fatal(err)
	}
	if err := ledger.MigratePostgres(context.Background(), owner); !errors.Is(err, ledger.ErrSchema) {
		t.Error(err)
	}
	if _, err := ledger.OpenPostgres(context.Background(), b.DSN); !errors.Is(err, ledger.ErrSchema) {
		t.Error(err)
	}
}

// A server that goes away reads as away, and what it held is there when it is back.
func TestPostgresAway(t *testing.T) {
	ctx := context.Background()
	if _, err := ledger.OpenPostgres(ctx, "postgres://nobody@127.0.0.1:1/x?connect_timeout=2"); !errors.Is(err, ledger.ErrUnavailable) {
		t.Error(err)
	}
	b := ledgertest.Postgres(t)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	var mu sync.Mutex
	acked := map[chunk.ID]bool{}
	faults := 0
	for w := range 4 {
		wg.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				d := ledgertest.Document(fmt.Sprint("away", w), i, 1, chunk.Public)
				_, err := b.Store.Append(ctx, d.Accept(t))
				mu.Lock()
				switch {
				case err == nil:
					acked[d.Event.ID] = true
				case errors.Is(err, ledger.ErrUnavailable):
					faults++
				default:
					t.Error(err)
				}
				mu.Unlock()
			}
		})
	}
	for range 10 {
		time.Sleep(20 * time.Millisecond)
		if _, err := b.Insider.Exec("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'stoplog_test_app' AND datname = current_database()"); err != nil {
			t.Fatal(err)
		}
	}
	close(stop)
	wg.Wait()
	if faults == 0 || len(acked) == 0 {
		t.Errorf("%d faults, %d acknowledged: the fault did not fire", faults, len(acked))
	}
	t.Logf("%d faults, %d acknowledged", faults, len(acked))
	for id := range acked {
		// A connection of the pool may be one that was ended a moment ago: then the store is
		// away for one more call.
		_, err := b.Store.EventByID(ctx, id)
		for try := 0; errors.Is(err, ledger.ErrUnavailable) && try < 20; try++ {
			_, err = b.Store.EventByID(ctx, id)
		}
		if err != nil {
			t.Errorf("%s: %v", id, err)
		}
	}
}

// One leader among processes, and another after it.
func TestPostgresLead(t *testing.T) {
	ctx := context.Background()
	b := ledgertest.Postgres(t)
	other := b.Another(t)
	release, ok, err := b.Store.Lead(ctx, "relay")
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	if _, ok, err := other.Lead(ctx, "relay"); err != nil || ok {
		t.Error("two leaders", err)
	}
	if r, ok, err := other.Lead(ctx, "expiry"); err != nil || !ok {
		t.Error("names are not apart", err)
	} else {
		r()
	}
	release()
	r, ok, err := other.Lead(ctx, "relay")
	if err != nil || !ok {
		t.Fatal("nobody leads", err)
	}
	r()
}

func TestPostgresKilled(t *testing.T) {
	b := ledgertest.Postgres(t)
	killed(t, b.DSN, func() *ledger.Store { return b.Store })
}

// The server's own log holds no value that came from outside. SPEC: PRV-2
func TestPostgresStatementsCarryNoValues(t *testing.T) {
	ctx := context.Background()
	b := ledgertest.Postgres(t)
	const canary = "canary-4711"
	if _, err := b.Store.Append(ctx, ledger.Batch{Outbox: []ledger.Outgoing{{Topic: "t", Value: []byte(canary)}}}); err != nil {
		t.Fatal(err)
	}
	var n int
	err := b.Insider.QueryRow("SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%' || $1 || '%' AND pid <> pg_backend_pid()", canary).Scan(&n)
	if err != nil || n != 0 {
		t.Errorf("%d statements show a value, %v", n, err)
	}
}
