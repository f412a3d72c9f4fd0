#!/bin/sh
# Runs the demo. With a display: the game in a window. Without one: the same program under Xvfb. First a picture of
# the game, then three modes in turns for 21 s, so that each has six seconds and no burst of a neighbour decides. What
# they leave is in out/demo, and the comparison is printed last. Flags are the demo's, for the comparison where there is
# no display. DURATION (default 21s) is its length.
set -u
cd "$(dirname "$0")/.." || exit 1
sh scripts/setup.sh --display || exit

if [ "$(go env GOHOSTOS)" != linux ] || [ -n "${DISPLAY-}" ]; then
	echo "demo: building (the first time that takes a minute or two); then the window opens"
	exec go run ./demo "$@"
fi

# Ctrl-C is for the demo, which ends with its report written; this script waits for that.
stopped=
trap 'stopped=1' INT TERM

echo "demo: there is no display, so nobody sees the window; building (the first time that takes a minute or two)"
mkdir -p out/demo && go build -buildvcs=false -o out/demo/demo ./demo || exit 1
rm -f out/demo/screenshot.png out/demo/histogram.png out/demo/report.json

echo "demo: 1 of 2: the game for 7 s at 960x540, for its picture; at 24 Hz and a light load, as the CPU draws it"
DEMO=out/demo/demo VSYNC_HZ=24 sh scripts/xvfb-demo.sh -o out/demo/picture -size 960x540 -duration 7s -load 0.3 \
	>out/demo/picture.log 2>&1 || { code=$?; cat out/demo/picture.log >&2; [ -n "$stopped" ] || exit "$code"; }
keep() { # after what clears the folder
	mv out/demo/picture/screenshot.png out/demo/screenshot.png 2>/dev/null
	rm -rf out/demo/picture out/demo/picture.log
}
[ -z "$stopped" ] || { keep; echo "demo: stopped; out/demo/screenshot.png is what was to be seen"; exit 130; }

echo "demo: 2 of 2: no jobs, a goroutine per CPU, and frameslice in turns for ${DURATION:-21s}, in a window of 160x90," \
	"so that drawing it by CPU does not take the cores that are compared"
DEMO=out/demo/demo sh scripts/xvfb-demo.sh -o out/demo -size 160x90 \
	-compare -modes idle,workers,frameslice -duration "${DURATION:-21s}" "$@"
code=$?
keep
echo
while read -r file what; do
	[ -f "$file" ] && printf '%-26s %s\n' "$file" "$what"
done <<'FILES'
out/demo/screenshot.png what a person would have seen
out/demo/histogram.png the frame times of the modes
out/demo/report.json the figures
out/demo/frameslice.json   the frames of a mode in depth, as of each; .txt, .csv, .hgrm, .hlog and .trace.json, too
FILES
exit "$code"
