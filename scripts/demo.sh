#!/bin/sh
# Runs the demo. With a display: the game in a window. Without one: the same program under Xvfb for 20 s, all modes in
# turns, and it leaves in out/demo a screenshot, the histogram picture and the JSON report, and prints the comparison.
set -u
cd "$(dirname "$0")/.." || exit 1
sh scripts/setup.sh --display || exit

if [ "$(go env GOHOSTOS)" != linux ] || [ -n "${DISPLAY-}" ]; then
	exec go run ./demo "$@"
fi
echo "demo: there is no display, so all modes run in turns for 20 s in a window that nobody sees"
sh scripts/xvfb-demo.sh -o out/demo -compare -duration "${DURATION:-20s}" "$@" || exit
echo
echo "out/demo/screenshot.png   what a person would have seen"
echo "out/demo/histogram.png    the frame times of all modes"
echo "out/demo/report.json      the figures"
