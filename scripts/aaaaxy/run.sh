#!/bin/sh
# Repeats docs/case-aaaaxy.md: plays the game as it is and the game with adopt.patch in turns, on an Xvfb of its own
# with a software renderer, and prints the table. The pictures of all frames are in out/aaaaxy/case.png.
#
#   sh scripts/aaaaxy/run.sh CLONE [RUNS]
#
# CLONE is a checkout of the game at the commit that the page names. It stays as it is. RUNS is 5 by default. A run
# takes some 20 s.
set -eu
clone=$(cd "$1" && pwd)
runs=${2:-5}
cd "$(dirname "$0")/../.."
here=$(pwd)
out=$here/out/aaaaxy
mkdir -p "$out"
cc -O2 -shared -fPIC -o "$out/libvsync.so" demo/vsync/vsync.c -ldl

for side in before after; do
	[ ! -x "$out/$side/aaaaxy" ] || continue
	rm -rf "${out:?}/$side"
	cp -r "$clone" "$out/$side"
	(
		cd "$out/$side"
		mkdir -p assets/generated
		cp assets/_saved/* assets/generated/
		echo 0.0.0 >assets/generated/version.txt
		git apply --unidiff-zero "$here/scripts/aaaaxy/measure.patch"
		if [ $side = after ]; then
			git apply --unidiff-zero "$here/scripts/aaaaxy/adopt.patch"
			go mod edit -require github.com/frameslice/frameslice@v0.0.0 -replace "github.com/frameslice/frameslice=$here"
		fi
		go build -mod=mod -buildvcs=false -o aaaaxy .
	)
done

# A few steps to the right, the settings, the palette VGA (monochrome), VGA again, and back into the game.
keys="wait:0.5 phase:walk right:1 esc wait:0.3 down enter wait:0.3 down wait:0.2"
keys="$keys phase:mono left wait:2.5 phase:vga right wait:2.5 phase:leave esc wait:0.3 enter wait:0.4 enter wait:2"

display=:$((200 + $$ % 20000))
Xvfb $display -screen 0 800x500x24 -nolisten tcp -noreset >"$out/xvfb.log" 2>&1 &
xvfb=$!
trap 'kill $xvfb' EXIT
sleep 1
for run in $(seq "$runs"); do
	for side in before after; do
		cd "$out/$side"
		rm -rf home
		env DISPLAY=$display LD_PRELOAD="$out/libvsync.so" VSYNC_HZ=30 LP_NUM_THREADS=0 LIBGL_ALWAYS_SOFTWARE=1 \
			HOME="$out/$side/home" XDG_CONFIG_HOME="$out/$side/home" XDG_DATA_HOME="$out/$side/home" \
			MEASURE_KEYS="$keys" MEASURE_OUT="$out/$side-$run.csv" timeout 90 ./aaaaxy -fullscreen=false \
			-window_scale_factor=1 -audio=false -language= -palette=vga -palette_remap_only -screen_filter=nearest \
			-draw_blurs=false -draw_outside=false -expand_using_vertices_accurately=false -auto_adjust_quality=false \
			>"$out/$side-$run.log" 2>&1
	done
done
cd "$here"
go run ./scripts/aaaaxy "$out"
