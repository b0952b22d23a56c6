#!/usr/bin/env bash
# A Postgres for tests: postgres.sh start|stop DIR. Listens on loopback, on
# STOPLOG_POSTGRES_PORT or a free port, trusts whoever reaches it, syncs as in
# production, and writes STOPLOG_TEST_POSTGRES (the superuser's DSN) to DIR/env.
. "$(dirname "$0")/lib.sh"
[ $# -eq 2 ] || usage
mkdir -p "$2" && dir=$(cd "$2" && pwd)
link=$dir/postgres # to the data: Postgres does not run as root, and its user may not be able to enter DIR

bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)
[ -n "$bin" ] || bin=$(dirname "$(command -v initdb || echo /none/initdb)")

as_postgres() {
  if [ "$(id -u)" = 0 ]; then (cd / && runuser -u postgres -- "$@"); else "$@"; fi
}

case $1 in
start)
  [ ! -e "$link" ] || die "$link is there; stop it first"
  [ -x "$bin/initdb" ] || die "initdb is missing (Debian package postgresql)"
  data=$(mktemp -d "${TMPDIR:-/tmp}/stoplog-postgres.XXXXXX")
  ln -s "$data" "$link"
  [ "$(id -u)" != 0 ] || chown postgres "$data"
  port=${STOPLOG_POSTGRES_PORT:-$(free_port)}
  as_postgres "$bin/initdb" -D "$data/db" -U postgres -A trust -E UTF8 --locale=C >"$dir/postgres.log" 2>&1 ||
    { tail -n 20 "$dir/postgres.log" >&2; "$0" stop "$dir"; die "initdb failed"; }
  as_postgres "$bin/pg_ctl" -D "$data/db" -l "$data/log" -w -t 60 \
    -o "-p $port -k $data -c listen_addresses=127.0.0.1 -c max_connections=200" start >>"$dir/postgres.log" 2>&1 ||
    { as_postgres tail -n 20 "$data/log" >&2; "$0" stop "$dir"; die "does not start"; }
  publish STOPLOG_TEST_POSTGRES "postgres://postgres@127.0.0.1:$port/postgres?sslmode=disable"
  say "on 127.0.0.1:$port"
  ;;
stop)
  if [ -L "$link" ]; then
    data=$(readlink "$link")
    if [ -f "$data/db/postmaster.pid" ]; then
      as_postgres "$bin/pg_ctl" -D "$data/db" -m fast -w -t 30 stop >/dev/null ||
        as_postgres "$bin/pg_ctl" -D "$data/db" -m immediate -w -t 10 stop >/dev/null || say "does not stop"
    fi
    rm -rf "$data" "$link"
  fi
  rm -f "$dir/postgres.log"
  withdraw STOPLOG_TEST_POSTGRES
  ;;
*) usage ;;
esac
