#!/bin/sh
# The pages in headless Chromium: `web.sh test` looks at the pages of frame/live and framestat, reads traces with
# Chrome's trace viewer, and plays the demo with mouse, keys and fingers (five minutes).
# `web.sh downloads` loads small files and pictures from a slow server beside frames, and says which frames were late.
# `web.sh compare` compares the modes at two sizes. It says whether frameslice misses as few frames as idle and finishes
# half as many jobs as the best naive way. DURATION (default 50s) is the length of a comparison. MODES names what runs.
# Where there is no Node or no Chromium, and neither may be installed, the test is skipped with a line that says so.
set -u
cd "$(dirname "$0")/.." || exit 1
. scripts/packages.sh

there() { command -v chromium >/dev/null 2>&1 && command -v node >/dev/null 2>&1; }
if ! (need web "chromium nodejs" there); then
	[ "${1-}" = test ] || exit 1
	echo "web: skipped: the test of the page wants chromium and node"
	exit 0
fi
mkdir -p out/web && go build -o out/web-server ./demo/web || exit 1
case ${1-} in
test)
	go build -o out/live-page ./scripts/livepage &&
		node --experimental-websocket scripts/live-test.mjs out/live-page out/live || exit 1
	go build -o out/framestat ./cmd/framestat &&
		node --experimental-websocket scripts/stat-test.mjs out/framestat out/stat || exit 1
	mkdir -p out/trace && go test -count=1 -run '^TestTracesKeepTheFormat$' ./frame/record -traces "$PWD/out/trace" &&
		go run -tags headless ./demo -headless -duration 2s -out out/trace >/dev/null &&
		node --experimental-websocket scripts/trace-test.mjs "$(go env GOROOT)" out/trace || exit 1
	exec node --experimental-websocket scripts/web-test.mjs out/web-server out/web ;;
downloads)
	mkdir -p out/download && go build -o out/download-page ./scripts/downloadpage &&
		GOOS=js GOARCH=wasm go build -o out/download/game.wasm ./scripts/downloadpage &&
		cp "$(go env GOROOT)/lib/wasm/wasm_exec.js" out/download/ || exit 1
	exec node --experimental-websocket scripts/download-test.mjs out/download-page out/download ;;
compare) exec node --experimental-websocket scripts/web-compare.mjs out/web-server out/web "${DURATION:-50s}" ;;
*) echo "web.sh: test, downloads or compare" >&2; exit 2 ;;
esac
