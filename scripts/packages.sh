# To be sourced. need WHO PACKAGES CHECK...: if the command CHECK fails, installs Debian's packages where that may be
# done, and otherwise says what to type, and ends.
need() {
	who=$1 packages=$2; shift 2
	"$@" && return
	if ! command -v apt-get >/dev/null 2>&1; then
		echo "$who: install what your system calls Debian's $packages, and run it again" >&2
		exit 1
	fi
	install="apt-get install -qq -y --no-install-recommends $packages"
	sudo=
	if [ "$(id -u)" != 0 ]; then
		sudo=sudo
		if ! sudo -n true 2>/dev/null; then
			echo "$who: $packages are missing and I may not install them. Type this, then run it again:" >&2
			echo "    sudo apt-get update -qq && sudo $install" >&2
			exit 1
		fi
	fi
	echo "$who: installing $packages (once; a minute or two)"
	# shellcheck disable=SC2086 # the command is words
	if ! { $sudo apt-get update -qq && $sudo env DEBIAN_FRONTEND=noninteractive $install; } >/dev/null || ! "$@"; then
		echo "$who: the package manager failed. The command was:" >&2
		echo "    apt-get update -qq && $install" >&2
		exit 1
	fi
}
