#!/bin/sh
# Runs each fuzz target of the module for FUZZTIME (default 1m), one after the other.
set -eu
cd "$(dirname "$0")/.."
for file in $(grep -rlE '^func Fuzz[A-Z]' --include='*_test.go' .); do
	for target in $(sed -nE 's/^func (Fuzz[A-Za-z0-9_]*)\(.*/\1/p' "$file"); do
		echo "== $target in $(dirname "$file")"
		go test -run '^$' -fuzz "^$target\$" -fuzztime "${FUZZTIME:-1m}" "$(dirname "$file")"
	done
done
