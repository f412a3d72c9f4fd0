#!/bin/sh
# Runs each fuzz target of the module for FUZZTIME (default 1m), one after the other.
#
# An input that reaches new code is made smaller by a hundred runs at most: by default the tool spends a minute on each,
# which was all but the first three seconds of the time.
#
# Before Go 1.27 the tool may take the end of that time for a failure (go.dev/issue/75804): it then says "context
# deadline exceeded" and has no input that fails. That is told, and does not count.
set -eu
cd "$(dirname "$0")/.."
log=$(mktemp)
trap 'rm -f "$log"' EXIT
for file in $(grep -rlE '^func Fuzz[A-Z]' --include='*_test.go' .); do
	for target in $(sed -nE 's/^func (Fuzz[A-Za-z0-9_]*)\(.*/\1/p' "$file"); do
		echo "== $target in $(dirname "$file")"
		{
			go test -run '^$' -fuzz "^$target\$" -fuzztime "${FUZZTIME:-1m}" -fuzzminimizetime 100x \
				"$(dirname "$file")" 2>&1 || echo "exit $?"
		} | tee "$log"
		case $(tail -n 1 "$log") in "exit "*) ;; *) continue ;; esac
		if grep -q '^    context deadline exceeded$' "$log" && ! grep -q 'Failing input written' "$log"; then
			echo "== no failing input: the end of the time, taken for a failure"
			continue
		fi
		exit 1
	done
done
