#!/usr/bin/env bash
# Stops what up.sh started: down.sh DIR.
. "$(dirname "$0")/lib.sh"
[ $# -eq 1 ] || die "usage: $0 DIR"
failed=0
for service in kafka redis postgres; do
  "$here/$service.sh" stop "$1" || { say "$service did not stop"; failed=1; }
done
exit "$failed"
