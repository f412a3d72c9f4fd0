#!/bin/sh
# What a contributor runs before a commit: format, vet, all unit tests, and a short comparison without a window. Some six
# minutes from nothing on two cores, three when warm. scripts/check.sh has the rest of what CI runs.
. "$(dirname "$0")/steps.sh"

go_is_new_enough() { go version && go list -m -f '{{.GoVersion}}' >/dev/null; }
formatted() {
	bad=$(gofmt -l -s $(git ls-files -co --exclude-standard '*.go' 2>/dev/null || find . -name '*.go')) || return 1
	[ -z "$bad" ] || { echo "not gofmt'ed (run: gofmt -s -w FILE):"; echo "$bad"; return 1; }
}
vet() { go vet $all && go vet -tags headless ./demo/... && go vet -tags explore ./internal/... ./frame ./frame/load ./frame/record ./scheduler ./scheduler/flow ./workers ./workers/par; }
long='./workers ./frame ./scheduler' # these first, so that the last of them does not run by itself at the end
tests() { go test $t -shuffle=on $long $all; }
headless() {
	CGO_ENABLED=0 go build -tags headless -o "$out/demo-headless" ./demo &&
		"$out/demo-headless" -compare -headless -duration 12s -out "$out/c" &&
		go run ./scripts/checkjson "$out/c/report.json"
}

step "Go 1.26 or newer" go_is_new_enough
on_linux step "system packages of the Ebitengine program" env DISPLAY= sh scripts/setup.sh --display
step "format" formatted
step "vet" vet
step "unit tests, shuffled" tests
step "the comparison without a window, built without cgo" headless
finish
