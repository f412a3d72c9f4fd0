# To be sourced by a script that runs steps: a line for each step as it goes. A step's output is shown only when the
# step fails; then the script ends, and names the step last.
set -u
cd "$(dirname "$0")/.." || exit 1
export GOFLAGS="${GOFLAGS:+$GOFLAGS }-mod=readonly"
module=$(GOWORK=off go list -m) || exit 1
all=$module/... # in the modules that go.work names: ./... ends where another module begins

out=$(mktemp -d "${TMPDIR:-/tmp}/frameslice-steps.XXXXXX") || exit 1
trap 'rm -rf "$out"' EXIT
trap 'tail -n 200 "$out/log"; exit 130' INT TERM # also for a step that somebody lost patience with

long='./workers ./frame ./scheduler' # these first, so that the last of them does not run by itself at the end

# A package that takes a minute may take ten beside other programs, which is no reason to fail. The step "vet" of
# scripts/test.sh has looked at all tests already.
cached='-timeout 25m -vet=off' # go test with these flags alone gives results again that nothing has changed
t="-count=1 $cached"
host=$(go env GOHOSTOS)
total=$(grep -cE '^(on_linux )?step ' "scripts/$(basename "$0")") k=0 passed=0 skipped=0
step() { # step NAME COMMAND...
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
on_linux() { # on_linux step NAME COMMAND...
	if [ "$host" = linux ]; then
		"$@"
	else
		k=$((k + 1)) skipped=$((skipped + 1))
		printf '[%2d/%d] %-58s skipped on %s\n' "$k" "$total" "$2" "$host"
	fi
}
finish() { printf 'steps: %d passed, 0 failed, %d skipped\n' "$passed" "$skipped"; }
