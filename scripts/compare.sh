#!/bin/sh
# The comparison without a window: idle, the naive modes and frameslice, interleaved in one process, for 2 ms and 20 ms
# jobs. Leaves a report and a picture for each in out/compare/. DURATION (default 3m) is the length of each run, MODES names what runs.
set -eu
cd "$(dirname "$0")/.."
mkdir -p out/compare
CGO_ENABLED=0 go build -tags headless -o out/demo-headless ./demo
modes=idle,inline,goroutines,workers,errgroup,frameslice
run() { # run NAME FLAGS...
	name=$1; shift
	printf '\n== %s: demo -compare -headless %s\n' "$name" "$*"
	./out/demo-headless -compare -headless -modes "${MODES:-$modes}" -duration "${DURATION:-3m}" \
		-out "out/compare/$name" "$@"
}
run 2ms
run 20ms -job 20ms
