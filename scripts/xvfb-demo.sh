#!/bin/sh
# Runs the demo's window where there is no display: on an Xvfb of its own, with a swap that blocks until the
# next refresh as a display's does (demo/vsync), and a software renderer without threads of its own: those can
# crash the program (demo/display/doc.go), and would take the cores that are being measured.
#
#   sh scripts/xvfb-demo.sh [-o DIR] [FLAGS OF THE DEMO...]
#
# Leaves what -out does in DIR (out/window): report.json, histogram.png, screenshot.png and the frames of each mode. It
# prints the table. Without flags it runs for 20 s. VSYNC_HZ is the refresh rate (default 60). DEMO is the program,
# if it is built already. Exit code: the demo's.
set -u
cd "$(dirname "$0")/.." || exit 1

out=out/window
if [ "${1-}" = -o ]; then
	[ -n "${2-}" ] || { echo "xvfb-demo: -o wants a folder" >&2; exit 2; }
	out=$2
	shift 2
fi
mkdir -p "$out" || exit 2
[ $# -gt 0 ] || set -- -duration 20s

demo=${DEMO-}
if [ -z "$demo" ]; then
	demo=$out/demo
	go build -buildvcs=false -o "$demo" ./demo || exit 1
fi
rm -f "$out/screenshot.png" "$out/histogram.png" "$out/report.json"

preload=
if ! command -v cc >/dev/null 2>&1; then
	echo "xvfb-demo: no C compiler for demo/vsync: the loop paces itself, the swap does not block" >&2
elif ! why=$(cc -O2 -shared -fPIC -o "$out/libvsync.so" demo/vsync/vsync.c -ldl 2>&1); then
	printf '%s\n' "$why" | grep -m1 error >&2
	echo "xvfb-demo: demo/vsync does not compile here: the loop paces itself, the swap does not block" >&2
else
	preload=$(cd "$out" && pwd)/libvsync.so
fi

# An empty DISPLAY makes the demo start its own Xvfb. What is given later on a command line counts, so flags
# of the caller win over these.
exec env DISPLAY= LD_PRELOAD="$preload" VSYNC_HZ="${VSYNC_HZ:-60}" LP_NUM_THREADS=0 LIBGL_ALWAYS_SOFTWARE=1 \
	"$demo" -size 640x360 -hz "${VSYNC_HZ:-60}" -out "$out" "$@"
