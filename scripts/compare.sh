#!/bin/sh
# The comparison without a window: idle, the naive modes and frameslice, interleaved in one process, for both ways
# in which a loop can wait, for 2 ms and 20 ms jobs, and with jobs that allocate. Leaves a JSON report and a
# picture for each in out/compare/. DURATION (default 3m) is the length of each run, MODES names what runs.
set -eu
cd "$(dirname "$0")/.."
mkdir -p out/compare
CGO_ENABLED=0 go build -tags headless -o out/demo-headless ./demo
modes=idle,inline,goroutines,workers,errgroup,frameslice
run() { # run NAME FLAGS...
	name=$1; shift
	printf '\n== %s: demo -compare -headless %s\n' "$name" "$*"
	./out/demo-headless -v -compare -headless -modes "${MODES:-$modes}" -duration "${DURATION:-3m}" \
		-json "out/compare/$name.json" -png "out/compare/$name.png" "$@"
}
run syscall-2ms
run syscall-20ms -job 20ms
run timer-2ms -wait timer
run timer-20ms -wait timer -job 20ms
run syscall-alloc -alloc
run timer-alloc -wait timer -alloc
