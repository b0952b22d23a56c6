#!/usr/bin/env bash
# Starts Postgres, Redis and Kafka for tests: up.sh DIR, then: . DIR/env
# As root it installs what is missing; otherwise it says what to install.
. "$(dirname "$0")/lib.sh"
[ $# -eq 1 ] || die "usage: $0 DIR"

missing=()
command -v redis-server >/dev/null || missing+=(redis-server)
command -v java >/dev/null || missing+=(default-jre-headless)
command -v mvn >/dev/null || missing+=(maven)
ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || command -v initdb >/dev/null || missing+=(postgresql)
if [ ${#missing[@]} -gt 0 ]; then
  [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || die "missing; install these packages: ${missing[*]}"
  say "installing ${missing[*]}"
  apt-get update -qq >&2
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
fi

for service in postgres redis kafka; do
  "$here/$service.sh" start "$1" || { "$here/down.sh" "$1"; die "$service did not start"; }
done
dir=$(cd "$1" && pwd)
publish STOPLOG_TEST_SERVICES "$dir" # tests search the servers' own files and logs
cat "$dir/env"
