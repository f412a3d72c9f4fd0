#!/bin/sh
# Tests on machines that this one is not: QEMU emulates them whole, with as many processors as one likes, in packages,
# caches and nodes, and a Linux of its own. On most of them it is asked where the pool puts its workers, on the last one
# all short tests run. It shows that nothing assumes two processors, and not how fast anything is: all of them share the
# real ones. Five minutes on two cores.
# KERNEL=bzImage takes that one instead of Debian's. RUN='-test.run X -test.v' is handed to the tests of the last machine.
set -u
cd "$(dirname "$0")/.." || exit 1
export GOFLAGS="${GOFLAGS:+$GOFLAGS }-mod=readonly" CGO_ENABLED=0
if [ "$(go env GOHOSTOS)/$(go env GOHOSTARCH)" != linux/amd64 ]; then
	echo "machines: this runs on linux/amd64 only" >&2
	exit 1
fi
out=$(mktemp -d "${TMPDIR:-/tmp}/frameslice-machines.XXXXXX") || exit 1
trap 'rm -rf "$out"' EXIT
trap 'exit 130' INT TERM

there() { for c in "$@"; do command -v "$c" >/dev/null 2>&1 || return 1; done; }
. scripts/packages.sh
need machines "qemu-system-x86 busybox-static cpio" there qemu-system-x86_64 busybox cpio

# A kernel: Debian's, which is unpacked and not installed.
kernel=${KERNEL-}
if [ -z "$kernel" ]; then
	for kernel in out/kernel/boot/vmlinuz-*; do :; done
	if [ ! -s "$kernel" ]; then
		echo "machines: fetching a kernel into out/kernel (once; 70 MB)"
		package=$(apt-cache depends linux-image-amd64 2>/dev/null | sed -n 's/^ *Depends: //p' | head -n 1)
		if [ -z "$package" ] || ! (cd "$out" && apt-get download "$package") >"$out/log" 2>&1 ||
			! mkdir -p out/kernel || ! dpkg -x "$out"/*.deb out/kernel; then
			cat "$out/log" >&2
			echo "machines: no kernel from the package manager; name one yourself: KERNEL=/boot/vmlinuz make machines" >&2
			exit 1
		fi
		rm -f "$out"/*.deb
		for kernel in out/kernel/boot/vmlinuz-*; do :; done
	fi
fi

# The root: busybox, the tests, and an init that does what the kernel's command line says.
root=$out/root
mkdir -p "$root/bin" "$root/proc" "$root/sys" "$root/dev" "$root/tmp"
cp "$(command -v busybox)" "$root/bin/busybox"
for p in deadline scheduler frame workers internal/osthread; do
	go test -tags headless -c -o "$root/${p##*/}.test" "./$p" || exit 1
	[ ! -d "$p/testdata" ] || cp -R "$p/testdata" "$root/"
done
cat >"$root/init" <<'INIT'
#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t proc proc /proc && mount -t sysfs sys /sys && mount -t devtmpfs dev /dev && mount -t tmpfs tmp /tmp
mount -t cgroup2 cgroup /sys/fs/cgroup
ip link set lo up
dmesg -n 1
export HOME=/tmp
word() { sed -n "s/.*\b$1=\"\{0,1\}\([^\" ]*\).*/\1/p" /proc/cmdline; }
for n in $(word offline | tr , ' '); do echo 0 >"/sys/devices/system/cpu/cpu$n/online"; done
flags=$(word flags | tr , ' ')
for p in $(word tests | tr , ' '); do
	echo "== $p"
	"/$p.test" $flags -test.timeout 40m && echo "== $p ok"
done
poweroff -f
INIT
chmod +x "$root/init"
(cd "$root" && find . | cpio -o -H newc 2>/dev/null | gzip -1) >"$out/initrd" || exit 1

# machine NAME TESTS FLAGS COMMAND-LINE QEMU-OPTIONS...: TESTS and FLAGS with commas for spaces
machine() {
	name=$1 tests=$2 flags=$3 line=$4; shift 4
	printf '%-58s ' "$name"
	t0=$(date +%s)
	timeout 3000 qemu-system-x86_64 -accel tcg,thread=multi -cpu max,vendor=GenuineIntel -nographic -no-reboot -net none \
		-kernel "$kernel" -initrd "$out/initrd" \
		-append "console=ttyS0 quiet panic=-1 tests=$tests flags=$flags $line" "$@" </dev/null >"$out/log" 2>&1
	for p in $(echo "$tests" | tr , ' '); do
		if ! grep -q "^== $p ok" "$out/log"; then
			printf 'FAILED\n\n'
			grep -aEv '^(=== |--- PASS| +--- PASS)' "$out/log" | tail -n 100
			printf '\nmachines: failed on: %s\n' "$name"
			exit 1
		fi
	done
	seen=$(tr -d '\r' <"$out/log" | sed -nE 's/.*: ([0-9]+ processors?, [0-9]+ core.*)$/\1/p' | head -n 1)
	printf 'ok   %4ds  %s\n' $(($(date +%s) - t0)) "$seen"
}
site='-test.v,-test.short,-test.run=Topology|Quota|Pinned|Raised|GOMAXPROCS|Pin'
two="-object memory-backend-ram,size=3G,id=a -object memory-backend-ram,size=3G,id=b"
# shellcheck disable=SC2086 # options are words
{
	machine "1 processor" workers,osthread "$site" "" -m 2G -smp 1
	machine "3 processors" workers,osthread "$site" "" -m 2G -smp 3
	machine "6 processors of which 1 and 4 are off" workers,osthread "$site" offline=1,4 -m 2G -smp 6,cores=3,threads=2
	machine "12 processors, 2 of them isolated" workers,osthread "$site" isolcpus=2,3 -m 3G -smp 12,sockets=2,cores=6
	machine "8 in 2 packages, nodes and caches, 2 to a core: short tests" deadline,scheduler,frame,workers,osthread \
		"$(echo ${RUN:--test.short} | tr ' ' ,)" "" -m 6G -smp 8,sockets=2,cores=2,threads=2 \
		$two -numa node,memdev=a,cpus=0-3 -numa node,memdev=b,cpus=4-7
}
echo "machines: all passed"
