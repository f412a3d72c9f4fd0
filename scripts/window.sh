#!/bin/sh
# The comparison in a real Ebitengine window: under Xvfb with a swap that blocks at 60 Hz, in a small window so that
# the software renderer, which stands in for a graphics card, does not eat the cores that are measured. Everything is
# left in out/window/. DURATION (default 4m) is the length of the comparison, MODES names what runs.
set -eu
cd "$(dirname "$0")/.."
sh scripts/setup.sh --display
modes=idle,goroutines,workers,frameslice
mkdir -p out/window
if [ -z "${DEMO-}" ]; then
	DEMO=out/window/demo
	go build -buildvcs=false -o "$DEMO" ./demo
fi
export DEMO
exec sh scripts/xvfb-demo.sh -o out/window -size 160x90 -compare -duration "${DURATION:-4m}" -modes "${MODES:-$modes}"
