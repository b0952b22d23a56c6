#!/usr/bin/env bash
# An Apache Kafka for tests: kafka.sh start|stop DIR. One KRaft broker made of its
# published jars; listens on loopback, on STOPLOG_KAFKA_PORT or a free port, and
# writes STOPLOG_TEST_KAFKA to DIR/env. The jars (43 MB) are kept in STOPLOG_CACHE.
. "$(dirname "$0")/lib.sh"
[ $# -eq 2 ] || usage
mkdir -p "$2" && dir=$(cd "$2" && pwd)
data=$dir/kafka
cache=${STOPLOG_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/stoplog}
version=$(sed -n 's:.*<kafka.version>\(.*\)</kafka.version>.*:\1:p' "$here/kafka/pom.xml")
lib=$cache/kafka-$version

fetch() {
  [ ! -d "$lib" ] || return 0
  command -v mvn >/dev/null || die "mvn is missing (Debian package maven)"
  mkdir -p "$cache"
  local tmp
  tmp=$(mktemp -d "$cache/.kafka.XXXXXX")
  cp "$here/kafka/pom.xml" "$tmp/"
  say "fetching the jars of Kafka $version"
  mvn -q -B -Dstyle.color=never -f "$tmp/pom.xml" dependency:copy-dependencies -DoutputDirectory="$tmp/lib" -DincludeScope=runtime >&2 ||
    { rm -rf "$tmp"; die "the jars could not be fetched"; }
  # Whole or not at all; a parallel run may have been first.
  mv -T "$tmp/lib" "$lib" 2>/dev/null || [ -d "$lib" ]
  rm -rf "$tmp"
}

case $1 in
start)
  [ ! -f "$data/pid" ] || die "$data/pid is there; stop it first"
  command -v java >/dev/null || die "java is missing (Debian package default-jre-headless)"
  fetch
  mkdir -p "$data"
  port=${STOPLOG_KAFKA_PORT:-$(free_port)}
  controller=$(free_port)
  while [ "$controller" = "$port" ]; do controller=$(free_port); done
  sed -e "s|@PORT@|$port|g" -e "s|@CONTROLLER@|$controller|g" -e "s|@DATA@|$data|g" "$here/kafka/server.properties" >"$data/server.properties"
  logging=-Dlog4j2.configurationFile=$here/kafka/log4j2.properties
  id=$(java "$logging" -cp "$lib/*" kafka.tools.StorageTool random-uuid | tail -n 1)
  java "$logging" -cp "$lib/*" kafka.tools.StorageTool format --standalone --ignore-formatted -t "$id" -c "$data/server.properties" >"$data/log" 2>&1 ||
    { tail -n 20 "$data/log" >&2; rm -rf "$data"; die "the storage could not be formatted"; }
  # In a session of its own, so that an interrupted caller does not take it along.
  setsid nohup java -Xms256m -Xmx512m -XX:+UseSerialGC "$logging" -cp "$lib/*" kafka.Kafka "$data/server.properties" >>"$data/log" 2>&1 </dev/null &
  echo $! >"$data/pid"
  ready() { grep -q 'Kafka Server started' "$data/log" && answers "$port"; }
  wait_for 90 ready || { tail -n 30 "$data/log" >&2; "$0" stop "$dir"; die "does not answer"; }
  publish STOPLOG_TEST_KAFKA "127.0.0.1:$port"
  say "on 127.0.0.1:$port"
  ;;
stop)
  stop_pid "$data/pid" "$data" 30
  rm -rf "$data"
  withdraw STOPLOG_TEST_KAFKA
  ;;
*) usage ;;
esac
