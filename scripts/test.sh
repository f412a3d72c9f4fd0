#!/bin/sh
# Everything that CI checks, from nothing: a line per step as it goes, a failing step named last.
# The whole takes under 15 minutes on two cores; a step's output is shown only when it fails.
# A package that takes a minute may take ten beside other programs, which is no reason to fail.
set -u
cd "$(dirname "$0")/.." || exit 1
export GOFLAGS="${GOFLAGS:+$GOFLAGS }-mod=readonly"

out=$(mktemp -d "${TMPDIR:-/tmp}/frameslice-test.XXXXXX") || exit 1
trap 'rm -rf "$out"' EXIT
trap 'exit 130' INT TERM

t='-count=1 -timeout 25m'
staticcheck=honnef.co/go/tools/cmd/staticcheck@v0.8.2
total=16 k=0 passed=0
step() { # step NAME COMMAND...: runs it with a progress line; on failure prints its output, names it and ends
	name=$1; shift
	k=$((k + 1))
	printf '[%2d/%d] %-58s ' "$k" "$total" "$name"
	t0=$(date +%s)
	if "$@" >"$out/log" 2>&1; then
		passed=$((passed + 1))
		printf 'ok   %4ds\n' $(($(date +%s) - t0))
	else
		printf 'FAILED\n\n'
		tail -n 200 "$out/log"
		printf '\nsteps: %d passed, 1 failed\nfailed: %s\n' "$passed" "$name"
		exit 1
	fi
}

go_is_new_enough() { go version && go list -m -f '{{.GoVersion}}' >/dev/null; }
formatted() {
	bad=$(gofmt -l -s $(git ls-files -co --exclude-standard '*.go' 2>/dev/null || find . -name '*.go')) || return 1
	[ -z "$bad" ] || { echo "not gofmt'ed (run: gofmt -s -w FILE):"; echo "$bad"; return 1; }
}
vet() { go vet ./... && go vet -tags headless ./demo/...; }
lint() { GOFLAGS= go run $staticcheck ./... && GOFLAGS= go run $staticcheck -tags headless ./demo/...; }
long='./workers ./frame ./scheduler' # these first, so that the last of them does not run by itself at the end
tests() { go test $t -shuffle=on $long ./...; }
race() { # what is one goroutine's, or nearly, only with the processors that there are
	alone='/demo|/frame/plot|/internal/tidy|/internal/counter'
	go test $t -race -short -shuffle=on -cpu 1,2,4 $long $(go list ./... | grep -Ev "$alone") &&
		go test $t -race -short -shuffle=on $(go list ./... | grep -E "$alone")
}
i386() { GOARCH=386 CGO_ENABLED=0 go test $t -short -shuffle=on -tags headless ./...; }
benches() { (cd bench && go vet ./... && go test $t -short ./...); }
preempt_off() {
	GODEBUG=asyncpreemptoff=1 go test $t -short ./deadline/... ./scheduler/... ./workers/... ./internal/... ./frame/... &&
		GOGC=1 go test $t -short ./scheduler/... ./workers/... ./frame/...
}
cross() { # cross GOOS GOARCH: builds everything that needs no cgo there, tests included
	CGO_ENABLED=0 GOOS=$1 GOARCH=$2 go build -tags headless -o /dev/null ./... &&
		CGO_ENABLED=0 GOOS=$1 GOARCH=$2 go vet -tags headless ./...
}
windows() { cross windows amd64 && cross windows arm64 && CGO_ENABLED=0 GOOS=windows go build -o "$out/demo.exe" ./demo; }
darwin() { cross darwin arm64 && cross darwin amd64 && cross freebsd amd64 && cross dragonfly amd64 && cross linux arm64; }
wasm() {
	cross js wasm && GOOS=js GOARCH=wasm go build -o "$out/demo.wasm" ./demo || return 1
	if command -v node >/dev/null 2>&1; then
		GOOS=js GOARCH=wasm go test $t -short -exec "$(go env GOROOT)/lib/wasm/go_js_wasm_exec" \
			./deadline ./scheduler ./frame || return 1
		GOOS=js GOARCH=wasm go test $t -short -skip '^TestModel' -exec "$(go env GOROOT)/lib/wasm/go_js_wasm_exec" \
			./workers # the models are the same everywhere
	fi
}
headless() {
	CGO_ENABLED=0 go build -tags headless -o "$out/demo-headless" ./demo &&
		"$out/demo-headless" -compare -headless -duration 30s -json "$out/c.json" -png "$out/c.png" &&
		go run ./scripts/checkjson "$out/c.json"
}
window() { # one mode by itself; then make demo as on a machine without a display, and what it leaves
	sh scripts/xvfb-demo.sh -o "$out/win" -duration 8s &&
		go run ./scripts/checkjson -png "$out/win/screenshot.png" "$out/win/report.json" || return 1
	DISPLAY= DURATION=12s sh scripts/demo.sh && [ -s out/demo/histogram.png ] &&
		go run ./scripts/checkjson -png out/demo/screenshot.png out/demo/report.json
}

step "Go 1.26 or newer" go_is_new_enough
if [ "$(go env GOHOSTOS)" = linux ]; then
	step "system packages of the Ebitengine program" env DISPLAY= sh scripts/setup.sh --display
else
	total=$((total - 1))
fi
step "format" formatted
step "vet" vet
step "staticcheck" lint
step "unit tests, shuffled" tests
step "unit tests under the race detector, 1, 2 and 4 Ps" race
step "unit tests without asynchronous preemption, and with GOGC=1" preempt_off
step "unit tests on 32 bits (GOARCH=386)" i386
step "the benchmark commands, at tiny sizes" benches
step "builds for js/wasm (and its tests, where node is there)" wasm
step "the demo's page in headless Chromium, where that can be had" sh scripts/web.sh test
grep '^web: skipped' "$out/log"
step "builds for windows, the window included" windows
step "builds for darwin, freebsd, dragonfly and linux/arm64 without cgo" darwin
step "the comparison without a window, built without cgo" headless
if [ "$(go env GOHOSTOS)" = linux ]; then
	step "the Ebitengine program in a real window under Xvfb" window
else
	total=$((total - 1))
fi
printf 'steps: %d passed, 0 failed\n' "$passed"
