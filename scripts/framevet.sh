#!/bin/bash
# What cmd/framevet finds: planted faults, findings in the programs of this tree, those with a reason left out, and in other
# people's games, if GAMES names a folder of them. The time is that of framevet's processes, on all the packages of a
# folder, without their dependencies.
set -u
cd "$(dirname "$0")/.." && mkdir -p out
root=$PWD
(cd cmd/framevet && go build -o "$root/out/framevet" . && go test -count=1 -v -run Planted .) || exit 1
cat >out/framevet-timed <<'E2'
#!/bin/bash
dir=$(dirname "$0") TIMEFORMAT='%U %S'
if grep -qs '"VetxOnly": false' "${!#}"; then
	{ time "$dir/framevet" "$@" 2>&3; } 3>&2 2>>"$dir/framevet-times"
	exit
fi
exec "$dir/framevet" "$@"
E2
chmod +x out/framevet-timed
look() { # look FOLDER PACKAGES...
	dir=$1 && shift
	: >out/framevet-times
	(cd "$dir" && go vet -vettool="$root/out/framevet-timed" -c=-$$ "$@" 2>&1) >out/framevet-log
	lines=$(cd "$dir" && go list -f '{{$d := .Dir}}{{range .GoFiles}}{{$d}}/{{.}}
{{end}}{{range .TestGoFiles}}{{$d}}/{{.}}
{{end}}{{range .XTestGoFiles}}{{$d}}/{{.}}
{{end}}' "$@" | grep . | xargs cat | wc -l)
	awk -v d="$dir" -v l="$lines" -v n="$(grep -c '\.go:[0-9]' out/framevet-log)" \
		'{s += $1 + $2} END {printf "%s: %d lines, %d findings, %.1f s\n", d, l, n, s}' out/framevet-times
	grep '\.go:[0-9]' out/framevet-log
}
look . ./docs/... ./demo/... ./scripts/...
look demo/hosts . ./work ./screen ./tick ./terminal
for game in ${GAMES:+"$GAMES"/*/}; do
	export GOWORK=off GOFLAGS=-mod=mod
	look "$game" ./...
done
exit 0
