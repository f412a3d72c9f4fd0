#!/bin/sh
# Tests the programs of demo/hosts, those with a window on an X server of their own (Xvfb), and prints the table of
# their frame times. The first time some minutes go to compiling the GUI libraries. Pictures are left in out/hosts.
# MEASURE (default 3) is how often each program is measured; 0 is not at all.
set -eu
cd "$(dirname "$0")/.."
[ "$(go env GOHOSTOS)" = linux ] || { echo "hosts: the tests of the windows need Linux" >&2; exit 1; }
sh scripts/setup.sh --display
. scripts/packages.sh
need hosts "pkg-config libsdl2-dev libegl-dev libgles-dev libwayland-dev libxkbcommon-x11-dev libx11-xcb-dev \
libxcursor-dev libxfixes-dev libvulkan-dev libgl1-mesa-dri libegl-mesa0" \
	pkg-config --exists sdl2 egl wayland-egl wayland-client wayland-cursor xkbcommon xkbcommon-x11 x11-xcb xcursor \
	xfixes gl glesv2 vulkan
cd demo/hosts
echo "hosts: vet and tests"
go vet ./...
(cd ge && go vet .)
go test -count=1 -timeout 30m ./...
[ "${MEASURE:-3}" = 0 ] || { echo; go test -count=1 -timeout 30m -run TestFrameTimes -measure "${MEASURE:-3}" -v . | grep '^|'; }
