#!/bin/sh
# Makes sure that what Ebitengine needs on Linux is there: a C compiler, the X11 and GL headers and,
# with --display, a display (Xvfb when there is no real one). Installs what is missing when it may (root, or
# sudo that asks for no password); otherwise prints the one command to type and exits 1, which make turns into a 2.
# Windows and macOS need nothing but Go (and Xcode's tools), so there it does nothing.
set -u

want_display=0
case "${1-}" in
--display) want_display=1 ;;
"") ;;
*) echo "setup.sh: unknown argument '$1' (only --display is known)" >&2; exit 2 ;;
esac

if ! command -v go >/dev/null 2>&1; then
	echo "setup: Go is not installed or not in PATH; install Go 1.26 or newer from https://go.dev/dl/" >&2
	exit 1
fi
[ "$(go env GOHOSTOS)" = linux ] || exit 0

# The compiler itself says whether each header is there: no guess about where a distribution keeps them.
headers_ok() {
	cc=$(go env CC)
	command -v "${cc%% *}" >/dev/null 2>&1 || return 1
	$cc -fsyntax-only -xc - >/dev/null 2>&1 <<-'C'
		#include <stdlib.h>
		#include <GL/glx.h>
		#include <X11/Xlib.h>
		#include <X11/Xcursor/Xcursor.h>
		#include <X11/extensions/Xrandr.h>
		#include <X11/extensions/Xinerama.h>
		#include <X11/extensions/XInput2.h>
		#include <X11/extensions/xf86vmode.h>
		#include <X11/extensions/shape.h>
	C
}
display_ok() {
	[ $want_display = 0 ] || [ -n "${DISPLAY-}" ] || command -v Xvfb >/dev/null 2>&1
}

headers_ok && display_ok && exit 0

# No package names are computed: each list is what that distribution calls the same things.
if command -v apt-get >/dev/null 2>&1; then
	refresh="apt-get update -qq"
	install="env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends gcc libc6-dev libgl-dev \
libx11-dev libxrandr-dev libxcursor-dev libxinerama-dev libxi-dev libxxf86vm-dev libgl1-mesa-dri"
	xvfb=xvfb
elif command -v dnf >/dev/null 2>&1; then
	refresh=
	install="dnf install -y gcc mesa-libGL-devel libX11-devel libXrandr-devel libXcursor-devel libXinerama-devel \
libXi-devel libXxf86vm-devel mesa-dri-drivers"
	xvfb=xorg-x11-server-Xvfb
elif command -v pacman >/dev/null 2>&1; then
	# Refreshed only where there is no list at all: a newer list with older packages is what Arch calls unsupported.
	refresh=
	ls /var/lib/pacman/sync/*.db >/dev/null 2>&1 || refresh="pacman -Sy --noconfirm"
	install="pacman -S --needed --noconfirm gcc mesa libx11 libxrandr libxcursor libxinerama libxi libxxf86vm"
	xvfb=xorg-server-xvfb
elif command -v apk >/dev/null 2>&1; then
	refresh="apk update -q"
	install="apk add gcc musl-dev mesa-dev libx11-dev libxrandr-dev libxcursor-dev libxinerama-dev libxi-dev \
libxxf86vm-dev mesa-dri-gallium"
	xvfb=xvfb
else
	echo "setup: no known package manager (apt-get, dnf, pacman, apk); install a C compiler, the development files" \
		"of GL, X11, Xrandr, Xcursor, Xinerama, Xi and Xxf86vm, and Xvfb if there is no display" >&2
	exit 1
fi
[ $want_display = 1 ] && [ -z "${DISPLAY-}" ] && install="$install $xvfb"

if [ "$(id -u)" = 0 ]; then
	sudo=
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
	sudo=sudo
else
	# The one line to type, for an administrator or somebody with a password at hand.
	prefix="sudo " who=
	command -v sudo >/dev/null 2>&1 || { prefix= who=", as root"; }
	echo "setup: system packages are missing and I may not install them." \
		"Type this$who, then run the command again:" >&2
	echo "    ${refresh:+$prefix$refresh && }$prefix$install" >&2
	exit 1
fi

echo "setup: installing the system packages that Ebitengine needs (once; about a minute)"
log=$(mktemp "${TMPDIR:-/tmp}/frameslice-setup.XXXXXX") || exit 1
if { [ -z "$refresh" ] || $sudo $refresh; } >"$log" 2>&1 && $sudo $install >>"$log" 2>&1; then
	rm -f "$log"
else
	tail -n 20 "$log" >&2
	echo "setup: the package manager failed; its whole output is in $log. The command was:" >&2
	echo "    ${refresh:+$refresh && }$install" >&2
	exit 1
fi
headers_ok || { echo "setup: the packages are installed, yet a header is still missing" >&2; exit 1; }
display_ok || { echo "setup: the packages are installed, yet there is still no display and no Xvfb" >&2; exit 1; }
