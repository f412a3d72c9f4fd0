#!/bin/sh
# The comparison in a real Ebitengine window: under Xvfb with a swap that blocks at 60 Hz, in a small window so that
# the software renderer, which stands in for a graphics card, does not eat the cores that are measured. Then the tasks
# of the frame goroutine, for both placements of the slice. Everything is left in out/window*/.
# DURATION (default 4m) is the length of the comparison, MODES names what runs, TASKS (default 30s) is the length of
# each placement.
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
sh scripts/xvfb-demo.sh -o out/window -size 160x90 -bare -v -compare -duration "${DURATION:-4m}" -modes "${MODES:-$modes}"
for placement in draw shadow; do
	printf '\n== an endless backlog of 0.5 ms tasks, the slice placed: %s\n' "$placement"
	sh scripts/xvfb-demo.sh -o "out/window-$placement" -size 160x90 -bare -v -mode idle -tasks 2000 \
		-placement "$placement" -duration "${TASKS:-30s}"
done
