#!/bin/sh
# What a contributor runs before a commit: format, vet, all unit tests, and a short comparison without a window. Some five
# minutes from nothing on two cores. After that only the packages are tested which a change concerns, unless SHUFFLE is
# set, as in CI. scripts/check.sh has the rest of what CI runs.
. "$(dirname "$0")/steps.sh"

go_is_new_enough() { go version && go list -m -f '{{.GoVersion}}' >/dev/null; }
formatted() {
	bad=$(gofmt -l -s $(git ls-files -co --exclude-standard '*.go' 2>/dev/null || find . -name '*.go')) || return 1
	[ -z "$bad" ] || { echo "not gofmt'ed (run: gofmt -s -w FILE):"; echo "$bad"; return 1; }
}
vet() { go vet $all && go vet -tags headless ./demo/... && go vet -tags explore ./internal/... ./frame ./frame/load ./frame/record ./scheduler ./scheduler/flow ./workers ./workers/par; }
tests() { # the overlay's always: they build framestat, and the go command does not see that
	overlay=$module/frame/ebitenhost/internal/overlay
	[ -z "${SHUFFLE-}" ] || cached="$t -shuffle=on" # in CI, which has no results
	go test $cached $long $(go list $all | grep -vx "$overlay") && go test $t -shuffle=on "$overlay"
}
headless() {
	CGO_ENABLED=0 go build -tags headless -o "$out/demo-headless" ./demo &&
		"$out/demo-headless" -compare -headless -duration 12s -out "$out/c" &&
		go run ./scripts/checkjson "$out/c/report.json"
}

step "Go 1.26 or newer" go_is_new_enough
on_linux step "system packages of the Ebitengine program" env DISPLAY= sh scripts/setup.sh --display
step "format" formatted
step "vet" vet
step "unit tests" tests
step "the comparison without a window, built without cgo" headless
finish
