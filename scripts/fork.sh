#!/bin/sh
# The library under another path: copies it to a folder of its own, with another module path in go.mod and in every
# import, and runs the tests there that ask which job, task or frame a goroutine is in. Nothing else is changed: so a
# function that is looked for by a name with the path in it is not found.
set -eu
cd "$(dirname "$0")/.."
from=$(GOWORK=off go list -m) to=example.org/fork/engine
work=$(mktemp -d "${TMPDIR:-/tmp}/frameslice-fork.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
for dir in deadline scheduler workers frame internal; do cp -R "$dir" "$work"; done
cp go.mod go.sum "$work"
cd "$work"
rm -rf internal/tidy
find . -name '*.go' -exec sed -i.old -E "s#^(import |\t)([A-Za-z_.]+ )?\"$from(/[^\"]*)?\"\$#\1\2\"$to\3\"#" {} +
sed -i.old "s#^module .*#module $to#" go.mod
find . -name '*.old' -exec rm {} +
export GOFLAGS=-mod=mod
go test -count=1 -timeout 9m -short -run 'Nest|Close|Wait|Inside|Stack|Watchdog|Shadow|Goroutine|Record' \
	./scheduler ./workers ./frame ./internal/where ./internal/fault ./internal/carrier
