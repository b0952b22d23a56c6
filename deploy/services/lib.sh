# Sourced by the scripts beside it. Bash.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
name=$(basename "$0" .sh)

say() { printf '%s: %s\n' "$name" "$*" >&2; }
die() { say "$@"; exit 1; }

usage() { die "usage: $0 start|stop DIR"; }

# answers PORT: does something listen on it?
answers() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# free_port: a port that nothing listens on, below the range that outgoing
# connections are given theirs from.
free_port() {
  local port
  for _ in $(seq 100); do
    port=$((20000 + (RANDOM * 32768 + RANDOM) % 12000))
    answers "$port" || { echo "$port"; return; }
  done
  die "no free port found"
}

# wait_for SECONDS COMMAND…: until the command succeeds.
wait_for() {
  local end=$((SECONDS + $1))
  shift
  until "$@"; do
    [ "$SECONDS" -lt "$end" ] || return 1
    sleep 0.2
  done
}

# ours PID DIR: is the process alive, and one that was started with this DIR? A
# process id may have been given to another process since.
ours() { ps -ww -o args= -p "$1" 2>/dev/null | grep -qF -- "$2"; }

gone() { ! ours "$1" "$2"; }

# stop_pid PIDFILE DIR SECONDS: ends one process by its id, first by asking.
stop_pid() {
  local pid
  [ -f "$1" ] || return 0
  pid=$(head -n 1 "$1")
  if ours "$pid" "$2"; then
    kill -TERM "$pid"
    wait_for "$3" gone "$pid" "$2" || { say "does not end when asked; killed"; kill -KILL "$pid"; wait_for 5 gone "$pid" "$2"; }
  fi
  rm -f "$1"
}

# publish NAME VALUE: writes (or replaces) one line of DIR/env.
publish() {
  touch "$dir/env"
  grep -v "^export $1=" "$dir/env" >"$dir/env.new" || true
  printf "export %s='%s'\n" "$1" "$2" >>"$dir/env.new"
  mv "$dir/env.new" "$dir/env"
}

withdraw() {
  [ -f "$dir/env" ] || return 0
  grep -v "^export $1=" "$dir/env" >"$dir/env.new" || true
  mv "$dir/env.new" "$dir/env"
}
