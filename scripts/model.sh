#!/bin/sh
# Plays random scripts on the scheduler and on a naive reference, for each policy, and compares what ran when.
# CHECKS scripts each (100,000 by default), in parts of PART (10,000). One that fails is shrunk to the shortest
# that does, and shown with its draws and its seed.
set -eu
cd "$(dirname "$0")/.."
checks=${CHECKS:-100000} part=${PART:-10000}
bin=$(mktemp) log=$(mktemp)
trap 'rm -f "$bin" "$log"' EXIT
go test -c -o "$bin" ./scheduler
cd scheduler
for policy in ${POLICIES:-ByExpiration ByPriority}; do
	played=0
	while [ "$played" -lt "$checks" ]; do
		n=$((checks - played))
		[ "$n" -le "$part" ] || n=$part
		if ! "$bin" -test.run "TestSchedulerMatchesTheReference/$policy\$" -rapid.checks="$n" -rapid.nofailfile \
			-test.timeout 600s > "$log" 2>&1; then
			cat "$log"
			exit 1
		fi
		played=$((played + n))
		echo "$policy: $played of $checks scripts"
	done
done
