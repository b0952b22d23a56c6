#!/usr/bin/env bash
# A Redis for tests: redis.sh start|stop DIR. Listens on loopback, on
# STOPLOG_REDIS_PORT or a free port, and writes STOPLOG_TEST_REDIS to DIR/env.
. "$(dirname "$0")/lib.sh"
[ $# -eq 2 ] || usage
mkdir -p "$2" && dir=$(cd "$2" && pwd)
data=$dir/redis

case $1 in
start)
  [ ! -f "$data/pid" ] || die "$data/pid is there; stop it first"
  command -v redis-server >/dev/null || die "redis-server is missing (Debian package redis-server)"
  mkdir -p "$data"
  port=${STOPLOG_REDIS_PORT:-$(free_port)}
  # In a session of its own, so that an interrupted caller does not take it along.
  printf 'port %s\nbind 127.0.0.1\ndir %s\nappendonly yes\nappendfsync everysec\nsave ""\n' "$port" "$data" >"$data/redis.conf"
  setsid nohup redis-server "$data/redis.conf" --pidfile "$data/redis.pid" --proc-title-template '{title} {config-file}' >"$data/log" 2>&1 </dev/null &
  echo $! >"$data/pid"
  ready() { [ "$(redis-cli -h 127.0.0.1 -p "$port" ping 2>/dev/null)" = PONG ]; }
  wait_for 20 ready || { tail -n 20 "$data/log" >&2; "$0" stop "$dir"; die "does not answer"; }
  publish STOPLOG_TEST_REDIS "127.0.0.1:$port"
  say "on 127.0.0.1:$port"
  ;;
stop)
  stop_pid "$data/pid" "$data" 10
  rm -rf "$data"
  withdraw STOPLOG_TEST_REDIS
  ;;
*) usage ;;
esac
