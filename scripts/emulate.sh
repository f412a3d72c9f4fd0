#!/bin/sh
# The unit tests and the headless comparison on another system than this one: windows (by Wine, on an amd64 Linux),
# arm64, arm, riscv64 (by QEMU's user mode). It shows that the code for that system works, not how fast it is there:
# an emulator's clock, timers and scheduling are not the real thing's. Ten minutes on two cores for each.
# RUN='-test.run X -test.v' is handed to the tests instead of -test.short.
set -u
cd "$(dirname "$0")/.." || exit 1
export GOFLAGS="${GOFLAGS:+$GOFLAGS }-mod=readonly" CGO_ENABLED=0
system=${1-}
case $system in
windows) goos=windows goarch=amd64 exe=.exe ;;
arm64 | arm | riscv64) goos=linux goarch=$system exe= ;;
*) echo "emulate.sh: name a system: windows, arm64, arm or riscv64" >&2; exit 2 ;;
esac
if [ "$(go env GOHOSTOS)" != linux ]; then
	echo "emulate.sh: Wine and QEMU's user mode are for Linux" >&2
	exit 1
fi

# find_command NAME...: the first command of those that is there
find_command() {
	for c in "$@"; do command -v "$c" 2>/dev/null && return; done
	return 1
}
emulator() {
	case $system in
	windows) find_command /usr/lib/wine/wine64 wine64 wine ;; # Debian's wine asks for a 32-bit one
	arm64) find_command qemu-aarch64-static qemu-aarch64 ;;
	*) find_command "qemu-$system-static" "qemu-$system" ;;
	esac
}
linker() { [ $system != windows ] || find_command x86_64-w64-mingw32-ld; }

ready() { emulator >/dev/null && linker >/dev/null; }

packages=qemu-user-static
[ $system = windows ] && packages="wine64 binutils-mingw-w64-x86-64"
. scripts/packages.sh
need emulate "$packages" ready
emulator=$(emulator)

out=$(mktemp -d "${TMPDIR:-/tmp}/frameslice-emulate.XXXXXX") || exit 1
leave() {
	[ $system = windows ] && "$(find_command wineserver /usr/lib/wine/wineserver64 true)" -k 2>/dev/null
	rm -rf "$out"
}
trap leave EXIT
trap 'exit 130' INT TERM

step() { # step NAME COMMAND...
	printf '%-46s ' "$1"; shift
	t0=$(date +%s)
	if "$@" >"$out/log" 2>&1; then
		printf 'ok   %4ds\n' $(($(date +%s) - t0))
	else
		printf 'FAILED\n\n'
		grep -Ev '^(=== |--- PASS| +--- PASS)' "$out/log" | tail -n 100
		printf '\nemulate: failed on %s: %s\n' $system "$name"
		exit 1
	fi
}

# Go of this day asks Wine of another for two things that Wine before version 9 has not: a library with one
# function, which is a forward to an old one, and a way to delete files, for which Go has a second one.
overlay=
prepare_wine() {
	"$emulator" wineboot -i || return 1
	dll=bcryptprimitives.dll system32=$WINEPREFIX/drive_c/windows/system32
	if [ ! -e "$system32/$dll" ]; then
		printf 'LIBRARY %s\nEXPORTS\n  ProcessPrng = advapi32.SystemFunction036\n' $dll >"$out/prng.def"
		"$(linker)" -shared --entry=0 -o "$system32/$dll" "$out/prng.def" || return 1
	fi
	real=$(go env GOROOT)/src/internal/syscall/windows/at_windows.go
	sed 's/^var TestDeleteatFallback bool$/var TestDeleteatFallback = true/' "$real" >"$out/at_windows.go" &&
		printf '{"Replace":{"%s":"%s"}}\n' "$real" "$out/at_windows.go" >"$out/overlay.json"
}

build() { GOOS=$goos GOARCH=$goarch go "$@"; }
unit() { # unit PACKAGE: builds its tests, and runs them in its folder
	# shellcheck disable=SC2086 # options are words
	build test $overlay -tags headless -c -o "$out/unit$exe" "./$1" || return 1
	(cd "$1" && "$emulator" "$out/unit$exe" ${RUN:--test.short} -test.timeout 25m)
}
compare() {
	# shellcheck disable=SC2086
	build build $overlay -tags headless -o "$out/demo$exe" ./demo || return 1
	# By names in the present folder: those of the other system have drives.
	(cd "$out" && "$emulator" "./demo$exe" -compare -headless -modes idle,goroutines,frameslice -duration 15s \
		-out c) || return 1
	[ -s "$out/c/report.json" ] && [ -s "$out/c/histogram.png" ]
}

if [ $system = windows ]; then
	export WINEPREFIX="$out/wine" WINEDEBUG=-all WINEARCH=win64 WINEDLLOVERRIDES="mscoree,mshtml=" DISPLAY=
	overlay="-overlay=$out/overlay.json"
	name="a new Wine"
	step "$name" prepare_wine
fi
packages=$(build list -tags headless -f '{{if or .TestGoFiles .XTestGoFiles}}{{.Dir}}{{end}}' "$(GOWORK=off go list -m)/...") || exit 1
for dir in $packages; do
	name=.${dir#"$PWD"}
	step "$name" unit "$name"
done
name="the headless comparison"
step "$name" compare
printf 'emulate: all passed on %s, by %s\n' $system "${emulator##*/}"
