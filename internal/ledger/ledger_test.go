package ledger_test

import (
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/stoplog/stoplog/internal/ledger/ledgertest"
)

func TestSQLite(t *testing.T) {
	ledgertest.Run(t, func(t testing.TB) ledgertest.Backend { return ledgertest.SQLite(t) })
}

func TestPostgres(t *testing.T) {
	ledgertest.Run(t, func(t testing.TB) ledgertest.Backend { return ledgertest.Postgres(t) })
}

func verifiers(keys ...note.Verifier) []note.Verifier { return keys }
