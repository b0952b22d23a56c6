package ledger

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// dialect holds what differs between the databases. Statements are written once
// and may contain
//
//	{v}     the rows given to [tx.many], as a common table expression v whose
//	        columns are those named, plus ord, their order
//	{in}    membership in the keys given to [tx.lookup]
//	{lock}  locks the rows that a read selects, in the order of their ids
//	{max}   the greater of two values
type dialect struct {
	name       string
	pg         bool
	committers int // goroutines that write
}

var (
	dialectSQLite   = dialect{name: "sqlite", committers: 1}
	dialectPostgres = dialect{name: "postgres", pg: true, committers: 2}
)

// tx is a transaction that speaks the dialect.
type tx struct {
	*sql.Tx
	s   *Store
	ctx context.Context
}

// statement is one text for both databases, and the columns of its rows.
type statement struct {
	sqlite, postgres string
	types            []string
}

// many prepares a statement for any number of rows. cols is "name type, …" with
// the types text, bigint, bytea, boolean and double.
func many(cols, query string) *statement {
	var names, lite, casts, types []string
	for i, c := range strings.Split(cols, ",") {
		name, typ, ok := strings.Cut(strings.TrimSpace(c), " ")
		if !ok {
			panic("ledger: column without a type: " + c)
		}
		names, types = append(names, name), append(types, typ)
		lite = append(lite, "$"+strconv.Itoa(i+1))
		pgType := map[string]string{"text": "text", "bigint": "bigint", "bytea": "bytea", "boolean": "boolean", "double": "double precision"}[typ]
		if pgType == "" {
			panic("ledger: unknown type " + typ)
		}
		casts = append(casts, "$"+strconv.Itoa(i+1)+"::"+pgType+"[]")
	}
	head := "v(" + strings.Join(names, ", ") + ", ord) AS (SELECT "
	st := &statement{
		sqlite: expand(dialectSQLite, strings.ReplaceAll(query, "{v}", head+strings.Join(lite, ", ")+", 0)")),
		postgres: expand(dialectPostgres, strings.ReplaceAll(query, "{v}",
			head+"* FROM unnest("+strings.Join(casts, ", ")+") WITH ORDINALITY)")),
		types: types,
	}
	prepared = append(prepared, st.sqlite)
	return st
}

// keyed is a read over a set of keys.
type keyed struct{ sqlite, postgres string }

func byKeys(query string) *keyed {
	k := &keyed{expand(dialectSQLite, query), expand(dialectPostgres, query)}
	prepared = append(prepared, k.sqlite)
	return k
}

// prepared lists the statements of the write path, which SQLite's one writing
// connection compiles when it is opened; pgx compiles by itself.
var prepared []string

func (s *Store) prepare(ctx context.Context) error {
	for _, q := range prepared {
		st, err := s.w.PrepareContext(ctx, q)
		if err != nil {
			return wrap("prepare", err)
		}
		s.stmts[q] = st
	}
	return nil
}

func expand(d dialect, q string) string {
	in, lock, greatest := "IN (SELECT value FROM json_each($1))", "", "max"
	if d.pg {
		in, lock, greatest = "= ANY($1::text[])", " ORDER BY id FOR UPDATE", "GREATEST"
	}
	return strings.NewReplacer("{in}", in, "{lock}", lock, "{max}", greatest).Replace(q)
}

// stmt gives a statement that was prepared when the store was opened.
func (t *tx) stmt(query string) (*sql.Stmt, error) {
	st, ok := t.s.stmts[query]
	if !ok {
		return nil, errors.New("ledger: a statement that was not prepared")
	}
	return t.StmtContext(t.ctx, st), nil
}

// many runs a statement for rows and gives the number of rows it wrote.
func (t *tx) many(st *statement, rows [][]any) (int, error) {
	if len(rows) == 0 {
		return 0, nil
	}
	if t.s.d.pg {
		args := make([]any, len(st.types))
		for i, typ := range st.types {
			switch typ {
			case "text":
				args[i] = column[*string](rows, i)
			case "bigint":
				args[i] = column[int64](rows, i)
			case "bytea":
				args[i] = column[[]byte](rows, i)
			case "boolean":
				args[i] = column[bool](rows, i)
			case "double":
				args[i] = column[float64](rows, i)
			}
		}
		res, err := t.ExecContext(t.ctx, st.postgres, args...)
		if err != nil {
			return 0, err
		}
		n, err := res.RowsAffected()
		return int(n), err
	}
	ps, err := t.stmt(st.sqlite)
	if err != nil {
		return 0, err
	}
	total := 0
	for _, row := range rows {
		res, err := ps.ExecContext(t.ctx, row...)
		if err != nil {
			return 0, err
		}
		n, err := res.RowsAffected()
		if err != nil {
			return 0, err
		}
		total += int(n)
	}
	return total, nil
}

// column turns rows into one column of a typed array. A text may be nil, which is
// NULL.
func column[T any](rows [][]any, i int) []T {
	out := make([]T, len(rows))
	for j, row := range rows {
		switch v := row[i].(type) {
		case nil:
		case T:
			out[j] = v
		case string:
			if p, ok := any(&out[j]).(**string); ok {
				*p = &v
				continue
			}
			panic(fmt.Sprintf("ledger: column %d holds a string", i))
		default:
			panic(fmt.Sprintf("ledger: column %d holds a %T", i, v))
		}
	}
	return out
}

// keysArg gives keys as the argument of {in}.
func (d dialect) keysArg(keys []string) any {
	if d.pg {
		return keys
	}
	b, _ := json.Marshal(keys) // strings always encode
	return string(b)
}

// lookup runs a read over a set of keys.
func (t *tx) lookup(k *keyed, keys []string, scan func(*sql.Rows) error) error {
	if len(keys) == 0 {
		return nil
	}
	var rows *sql.Rows
	var err error
	if t.s.d.pg {
		rows, err = t.QueryContext(t.ctx, k.postgres, t.s.d.keysArg(keys))
	} else {
		var ps *sql.Stmt
		if ps, err = t.stmt(k.sqlite); err == nil {
			rows, err = ps.QueryContext(t.ctx, t.s.d.keysArg(keys))
		}
	}
	if err != nil {
		return err
	}
	return each(rows, scan)
}

// each scans all rows and closes them.
func each(rows *sql.Rows, scan func(*sql.Rows) error) error {
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}
