#!/bin/sh
# Repeats docs/case-chinesechess.md: plays the game as it is, with adopt.patch and with goroutine.patch in turns, on an
# Xvfb of its own with a software renderer, and prints the table. All sides have port.patch. The frames of all runs are
# in out/chinesechess/case.png.
#
#   sh scripts/chinesechess/run.sh CLONE [RUNS]
#
# CLONE is a checkout of github.com/Capricornwqh/ChineseChess at 431063ec99099cf354dda7b31ba8055342567c2f. It stays as
# it is. RUNS is 5 by default. A run takes about 15 s, without sound. It needs Linux, Xvfb, a C compiler and what
# Ebitengine needs.
set -eu
clone=$(cd "$1" && pwd)
runs=${2:-5}
cd "$(dirname "$0")/../.."
here=$(pwd)
out=$here/out/chinesechess
mkdir -p "$out"
cc -O2 -shared -fPIC -o "$out/libvsync.so" demo/vsync/vsync.c -ldl

for side in before after goroutine; do
	[ ! -x "$out/$side/game" ] || continue
	rm -rf "${out:?}/$side"
	cp -r "$clone" "$out/$side"
	(
		cd "$out/$side"
		git apply --unidiff-zero "$here/scripts/chinesechess/port.patch" "$here/scripts/chinesechess/measure.patch"
		case $side in
		after) git apply --unidiff-zero "$here/scripts/chinesechess/adopt.patch" ;;
		goroutine) git apply --unidiff-zero "$here/scripts/chinesechess/goroutine.patch" ;;
		esac
		sed -i -e 's/ebiten.RunGame(game)/measure(game, nil)/' -e '/frame\/ebitenhost"/d' \
			-e 's/ebitenhost.Run(game, game.loop, ebitenhost.Options{})/measure(game, game.loop)/' \
			-e '/audio.NewContext/d' -e 's/if k >= MusicSelect {/&\ncontinue/' chess/game.go
		export GOWORK=off # this folder is below that of the library's go.work
		go mod edit -go=1.26 -droprequire github.com/hajimehoshi/ebiten
		for dir in "" /frame/autopsy /frame/ebitenhost; do
			go mod edit -require "github.com/frameslice/frameslice$dir@v0.0.0" \
				-replace "github.com/frameslice/frameslice$dir=$here$dir"
		done
		go build -mod=mod -buildvcs=false -o game .
	)
done

display=:$((200 + $$ % 20000))
Xvfb $display -screen 0 800x600x24 -nolisten tcp -noreset >"$out/xvfb.log" 2>&1 &
xvfb=$!
trap 'kill $xvfb' EXIT
sleep 1
for run in $(seq "$runs"); do
	for side in before after goroutine; do
		cd "$out/$side"
		mkdir -p "$out/$side-$run"
		uptime >"$out/$side-$run.log"
		env DISPLAY=$display LD_PRELOAD="$out/libvsync.so" VSYNC_HZ=30 LP_NUM_THREADS=0 LIBGL_ALWAYS_SOFTWARE=1 \
			MEASURE_OUT="$out/$side-$run.csv" MEASURE_AUTOPSY="$out/$side-$run" timeout 120 ./game \
			>>"$out/$side-$run.log" 2>&1
	done
done
cd "$here"
go run ./scripts/chinesechess "$out"
