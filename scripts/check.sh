#!/bin/sh
# The whole matrix, after make test: what CI runs besides. Some forty minutes on two cores.
. "$(dirname "$0")/steps.sh"

staticcheck=honnef.co/go/tools/cmd/staticcheck@v0.8.2
lint() { GOFLAGS= go run $staticcheck $all && GOFLAGS= go run $staticcheck -tags headless ./demo/...; }
tidy() { # what go mod tidy would change, in each module; the flag is not for a workspace
	for dir in $(git ls-files '*go.mod' | xargs -n 1 dirname); do
		(cd "$dir" && GOWORK=off GOFLAGS=-mod=mod go mod tidy -diff) || return 1
	done
}
lowest() ( # with the Go that go.mod asks for, each module by itself, as an importer builds it
	dirs=$(go list -m -f '{{.Dir}}')
	export GOWORK=off CGO_ENABLED=0
	GOTOOLCHAIN=go$(go list -m -f '{{.GoVersion}}')
	export GOTOOLCHAIN
	go version || { echo "lowest: skipped, because $GOTOOLCHAIN cannot be had here"; return 0; }
	for dir in $dirs; do
		(cd "$dir" && go vet -tags headless ./...) || return 1
	done
	go test $t -short ./deadline ./scheduler/flow ./frame/load
)
race() { # what is one goroutine's, or nearly, only with the processors that there are
	alone='/demo|/frame/plot|/internal/tidy'
	go test $t -race -short -shuffle=on -cpu 1,2,4 $long $(go list $all | grep -Ev "$alone") &&
		go test $t -race -short -shuffle=on $(go list $all | grep -E "$alone")
}
i386() ( # a kernel may refuse programs of 32 bits: there they are only type-checked, and that is told
	export GOARCH=386 CGO_ENABLED=0
	go test -count=1 -run '^$' ./deadline >"$out/386" 2>&1 || ! grep -q 'exec format error' "$out/386" || {
		echo '386: this kernel runs no programs of 32 bits, so the tests were only type-checked'
		go vet -tags headless $all
		return
	}
	go test $t -short -shuffle=on -tags headless $all
)
benches() { (cd bench && go vet ./... && go test $t -short ./...); }
vet_frames() { # the planted faults are found, and the programs here have none
	(cd cmd/framevet && go vet ./... && go build -o "$out/framevet" . && go test $t .) &&
		go vet -vettool="$out/framevet" ./docs/... ./demo/... ./scripts/... &&
		(cd demo/hosts && go vet -vettool="$out/framevet" . ./work ./tick ./terminal)
}
hosts() { # make hosts has those with a window, which take minutes to compile
	(cd demo/hosts && go vet . ./work ./screen ./tick ./terminal && go test $t -short .)
}
preempt_off() {
	GODEBUG=asyncpreemptoff=1 go test $t -short ./deadline/... ./scheduler/... ./workers/... ./internal/... $module/frame/... &&
		GOGC=1 go test $t -short ./scheduler/... ./workers/... $module/frame/...
}
cross() { # cross GOOS GOARCH: builds everything that needs no cgo there, tests included
	CGO_ENABLED=0 GOOS=$1 GOARCH=$2 go build -tags headless -o /dev/null $all &&
		CGO_ENABLED=0 GOOS=$1 GOARCH=$2 go vet -tags headless $all
}
windows() { cross windows amd64 && cross windows arm64 && CGO_ENABLED=0 GOOS=windows go build -o "$out/demo.exe" ./demo; }
darwin() { cross darwin arm64 && cross darwin amd64 && cross linux arm64; }
wasm() {
	cross js wasm && GOOS=js GOARCH=wasm go build -o "$out/demo.wasm" ./demo || return 1
	if command -v node >/dev/null 2>&1; then
		GOOS=js GOARCH=wasm go test $t -short -exec "$(go env GOROOT)/lib/wasm/go_js_wasm_exec" \
			./deadline ./internal/osthread ./scheduler/... ./frame ./frame/load ./frame/record ./workers ./workers/par
	fi
}
window() { # one mode by itself; then make demo as on a machine without a display, and what it leaves
	sh scripts/xvfb-demo.sh -o "$out/win" -duration 8s &&
		go run ./scripts/checkjson -png "$out/win/screenshot.png" "$out/win/report.json" || return 1
	DISPLAY= DURATION=12s sh scripts/demo.sh && [ -s out/demo/histogram.png ] &&
		go run ./scripts/checkjson -png out/demo/screenshot.png out/demo/report.json
}

on_linux step "system packages of the Ebitengine program" env DISPLAY= sh scripts/setup.sh --display
step "staticcheck" lint
step "go.mod and go.sum are tidy" tidy
step "the lowest version of Go that go.mod allows" lowest
grep '^lowest: skipped' "$out/log"
step "unit tests under the race detector, 1, 2 and 4 Ps" race
step "unit tests without asynchronous preemption, and with GOGC=1" preempt_off
step "unit tests on 32 bits (GOARCH=386)" i386
grep '^386:' "$out/log"
step "the library under another path, as a fork has it" sh scripts/fork.sh
step "the benchmark commands, at tiny sizes" benches
step "the explorer's mutants" make -s mutants
on_linux step "framevet" vet_frames
on_linux step "the hosts without a window" hosts
step "builds for js/wasm (and its tests, where node is there)" wasm
step "the pages of live, framestat and the demo in headless Chromium, where that can be had" sh scripts/web.sh test
grep '^web: skipped' "$out/log"
step "builds for windows, the window included" windows
step "builds for darwin and linux/arm64 without cgo" darwin
on_linux step "the Ebitengine program in a real window under Xvfb" window
finish
