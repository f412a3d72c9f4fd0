#!/bin/sh
# How often the gate of frame/frametest errs, as a table for MEASUREMENTS.md: RUNS gates that compare a game with itself,
# in turns beside nothing, hogs, a CPU quota, stops, and all three; and PLANTED gates for each planted fault.
# RUNS, PLANTED and SECONDS_EACH (60, the most a gate takes) change the sizes; SAVE is a folder for the recordings.
set -eu
cd "$(dirname "$0")/.."
bin=$(mktemp)
trap 'rm -f "$bin"' EXIT
go test -c -o "$bin" ./frame/frametest
GATE_RUNS=${RUNS:-10} GATE_PLANTED=${PLANTED:-3} GATE_TIME=${SECONDS_EACH:-60} GATE_SAVE=${SAVE:-} \
	"$bin" -test.run '^TestMeasureGate$' -test.timeout 0
