#!/bin/sh
# The comparison of idle and frameslice below a CPU quota of less than one processor. It needs root and control
# groups of version 1 or 2 with the cpu controller. PERCENT (50) is the quota, DURATION (20s) the length of the run.
# Further arguments go to the demo, as -load 0.5.
set -eu
cd "$(dirname "$0")/.."
percent=${PERCENT:-50}
if [ -w /sys/fs/cgroup/cpu/cgroup.procs ]; then
	group=/sys/fs/cgroup/cpu/frameslice-$$
	mkdir "$group"
	trap 'rmdir "$group"' EXIT
	echo 100000 >"$group/cpu.cfs_period_us"
	echo $((percent * 1000)) >"$group/cpu.cfs_quota_us"
elif [ -w /sys/fs/cgroup/cgroup.subtree_control ] && grep -q cpu /sys/fs/cgroup/cgroup.controllers; then
	group=/sys/fs/cgroup/frameslice-$$
	echo +cpu >/sys/fs/cgroup/cgroup.subtree_control
	mkdir "$group"
	trap 'rmdir "$group"' EXIT
	echo "$((percent * 1000)) 100000" >"$group/cpu.max"
else
	echo "$0: needs root and a control group with the cpu controller" >&2
	exit 1
fi
mkdir -p out
demo=out/demo-headless
CGO_ENABLED=0 go build -tags headless -o "$demo" ./demo
sh -c 'echo $$ >"$0/cgroup.procs"; exec "$@"' "$group" "$demo" -compare -headless -modes idle,frameslice \
	-duration "${DURATION:-20s}" "$@"
cat "$group/cpu.stat"
