#!/bin/sh
# How often the gate of frame/frametest errs, as a table for MEASUREMENTS.md: RUNS gates that compare a game with itself,
# in turns beside nothing, hogs, a CPU quota, stops, and all three; and PLANTED gates for each planted fault.
#
# SECONDS_EACH (60) is the most that a gate takes. LIMIT is after how many seconds the table has to come, whatever has
# been measured until then. QUIET and NOISY let gates run at once, each job on two processors of its own: QUIET jobs for
# the planted faults and "beside nothing", and NOISY for the rest. SHARE jobs share two noisy processors: 1 by default.
# With TURN=500ms the noisy turns and gates take half as long, and are half as sure.
# SAVE is a folder for the recordings. DIR (out/gate) gets the gates' reports. Without Go the script takes the binary
# that it has left in out/gate.test.
set -eu
cd "$(dirname "$0")/.."
dir=${DIR:-out/gate} bin=$PWD/out/gate.test jobs="" status=0
mkdir -p out "$dir"
dir=$(cd "$dir" && pwd)
if command -v go >/dev/null; then
	CGO_ENABLED=0 go test -c -trimpath -ldflags='-s -w' -o "$bin" ./frame/frametest
fi
rm -f "$dir"/*
export GATE_RUNS="${RUNS:-10}" GATE_PLANTED="${PLANTED:-3}" GATE_TIME="${SECONDS_EACH:-60}" GATE_SAVE="${SAVE:-}"
export GATE_RESULTS="$dir/results.json"
# timeout ends its whole process group, hogs included: after LIMIT, or when the script is interrupted.
ends="timeout -k 5 ${LIMIT:-1000000}"
command -v timeout >/dev/null || ends=${LIMIT:+$ends} # macOS has none: there are no hogs there either
measure() { # [PREFIX...]: in the background
	# shellcheck disable=SC2086
	exec $ends "$@" "$bin" -test.run '^TestMeasureGate$' -test.timeout 0
}
# shellcheck disable=SC2086
trap 'kill $jobs 2>/dev/null; exit 130' INT TERM
# The processors that this process may use, those of one core together: two jobs do not share a core.
processors=$({ lscpu -p=CPU,CORE 2>/dev/null || seq 0 1023 | sed 's/$/,0/'; } | grep -v '^#' | sort -t, -k2n -k1n |
	awk -F, -v may="$(taskset -cp $$ 2>/dev/null | sed 's/.*: //')" 'BEGIN { n = split(may, ranges, ",")
		for (i = 1; i <= n; i++) for (c = ranges[i] + 0; c <= last(ranges[i]) + 0; c++) ok[c] = 1 }
		function last(s) { sub(/.*-/, "", s); return s }
		ok[$1] { print $1 }')
pair() { # N: the N-th two processors, from 0
	# shellcheck disable=SC2086
	set -- "$(($1 * 2))" $processors
	shift "$(($1 + 1))" && echo "$1,${2:-}"
}
quiet=${QUIET:-0} noisy=${NOISY:-0} share=${SHARE:-1}
if [ "$((quiet + noisy))" = 0 ]; then
	measure &
	jobs=$!
else
	pair "$((quiet + noisy - 1))" | grep -q ',.' || { echo "too few processors: two a job, and $processors" >&2; exit 1; }
	n=0
	while [ "$n" -lt "$((quiet + noisy * share))" ]; do
		if [ "$n" -lt "$quiet" ]; then
			only=quiet job=$n/$quiet at=$(pair "$n")
		else
			only=noisy job=$((n - quiet))/$((noisy * share)) at=$(pair "$((quiet + (n - quiet) / share))")
			export GATE_TURN="${TURN:-}"
		fi
		GATE_ONLY=$only GATE_JOB=$job measure taskset -c "$at" >"$dir/$only-$n.txt" 2>&1 &
		jobs="$jobs $!" n=$((n + 1))
	done
fi
for job in $jobs; do
	wait "$job" || [ $? = 124 ] || status=1 # 124: the LIMIT
done
rmdir /sys/fs/cgroup/frametest-* /sys/fs/cgroup/cpu/frametest-* 2>/dev/null || true
GATE_TABLE=$GATE_RESULTS "$bin" -test.run '^TestMeasureGate$'
exit "$status"
