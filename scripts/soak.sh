#!/bin/sh
# The pool's endurance: 10,000 pools created and closed, 10 million probes for lost wake-ups beside a hog, no
# allocations, and the tests without asynchronous preemption, with GOGC=1, on 1 to 8 Ps and on 32 bits.
# PROBES and POOLS change the sizes. Figures are printed as they come; a step that fails ends it.
set -u
cd "$(dirname "$0")/.." || exit 1
export GOFLAGS="${GOFLAGS:+$GOFLAGS }-mod=readonly"
probes=${PROBES:-10000000} pools=${POOLS:-10000}

out=$(mktemp -d "${TMPDIR:-/tmp}/frameslice-soak.XXXXXX") || exit 1
trap 'rm -rf "$out"' EXIT
trap 'exit 130' INT TERM

step() { # step NAME COMMAND...: shows the test's own lines as they come, and ends with the first failure
	printf '\n== %s\n' "$1"; shift
	t0=$(date +%s)
	"$@" || exit 1
	printf 'ok, %d s\n' $(($(date +%s) - t0))
}
show() { # show COMMAND...: only lines that say something; the exit status is the command's
	{ { "$@" 2>&1; echo "status $?" >"$out/status"; } | grep -Ev '^(===|PASS|testing:)|^ *--- PASS'; }
	[ "$(cat "$out/status")" = "status 0" ]
}

go test -c -o "$out/workers.test" ./workers || exit 1
cd workers || exit 1
step "$pools pools created and closed" \
	show "$out/workers.test" -test.run '^TestSoakPools$' -test.v -test.timeout 1h -soak.pools "$pools"
step "$probes probes for a lost wake-up, beside a hog" \
	show "$out/workers.test" -test.run '^TestSoakWakeUps$' -test.v -test.timeout 4h -soak.probes "$probes"
step "no allocations in the steady state" \
	show "$out/workers.test" -test.run 'Allocat' -test.v -test.timeout 10m
step "GODEBUG=asyncpreemptoff=1" \
	show env GODEBUG=asyncpreemptoff=1 "$out/workers.test" -test.short -test.timeout 20m
step "GOGC=1" show env GOGC=1 "$out/workers.test" -test.short -test.timeout 20m
step "on 1, 2, 4 and 8 Ps" show "$out/workers.test" -test.short -test.cpu 1,2,4,8 -test.timeout 40m
step "under the race detector, on 1, 2, 4 and 8 Ps" \
	show go test -race -short -cpu 1,2,4,8 -timeout 1h .
step "GOARCH=386" show env GOARCH=386 CGO_ENABLED=0 go test -short -timeout 20m .
printf '\nsoak: all passed\n'
