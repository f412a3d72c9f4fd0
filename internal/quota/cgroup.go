package quota

import (
	"io/fs"
	"path"
	"strconv"
	"strings"
	"time"
)

// Read returns how many processors the process may use in the mean over each period, by the limits of its control
// groups, or 0 if there is none. Of several limits it returns the strictest. It reads a few files, about 120 µs: not
// for the frame goroutine.
func Read(root fs.FS) (processors float64, period time.Duration) {
	Groups(root, func(_ string, q float64, of time.Duration) {
		if processors == 0 || q < processors || q == processors && of < period {
			processors, period = q, of
		}
	})
	return processors, period
}

// Groups calls f with the folder of each control group that limits the process, and with the group's limit.
func Groups(root fs.FS, f func(dir string, processors float64, period time.Duration)) {
	groups, ok := text(root, "proc/self/cgroup")
	if !ok {
		return
	}
	mounts, _ := text(root, "proc/self/mountinfo")
	for line := range strings.SplitSeq(groups, "\n") {
		fields := strings.SplitN(line, ":", 3) // number:controllers:path
		if len(fields) != 3 {
			continue
		}
		v2 := fields[1] == ""
		if !v2 && !has(fields[1], "cpu") {
			continue
		}
		dir, top := mount(mounts, v2, fields[2])
		if dir == "" {
			continue
		}
		for {
			if q, of := limit(root, dir, v2); q > 0 {
				f(dir, q, of)
			}
			if len(dir) <= len(top) || dir == "." {
				break
			}
			dir = path.Dir(dir)
		}
	}
}

// mount returns the folder of a control group, and the folder of the topmost visible group, as paths below the root. A
// container sees the group that it is in, or a group above, as the root of the mount. Of several mounts it takes the
// first that shows the group.
func mount(mounts string, v2 bool, group string) (dir, top string) {
	for line := range strings.SplitSeq(mounts, "\n") {
		// 36 35 98:0 /root /mountpoint options optional... - type source options
		before, after, ok := strings.Cut(line, " - ")
		f, g := strings.Fields(before), strings.Fields(after)
		if !ok || len(f) < 5 || len(g) < 3 {
			continue
		}
		if v2 && g[0] != "cgroup2" || !v2 && (g[0] != "cgroup" || !has(g[2], "cpu")) {
			continue
		}
		at := strings.TrimPrefix(path.Clean(unescape(f[4])), "/")
		below, within := strings.CutPrefix(group, strings.TrimSuffix(unescape(f[3]), "/"))
		if within && (below == "" || below[0] == '/' && !strings.HasPrefix(below, "/..")) {
			return strings.TrimPrefix(path.Clean("/"+at+below), "/"), at
		}
		if dir == "" {
			dir, top = at, at // the group is outside of the mount, which is all that can be seen
		}
	}
	return dir, top
}

// unescape undoes what the kernel does to spaces in mountinfo.
func unescape(s string) string {
	return strings.NewReplacer(`\040`, " ", `\011`, "\t", `\134`, `\`).Replace(s)
}

// limit returns the limit of one group, or 0.
func limit(root fs.FS, dir string, v2 bool) (processors float64, period time.Duration) {
	var quota, every string
	if v2 {
		s, _ := text(root, path.Join(dir, "cpu.max"))
		quota, every, _ = strings.Cut(s, " ")
	} else {
		quota, _ = text(root, path.Join(dir, "cpu.cfs_quota_us"))
		every, _ = text(root, path.Join(dir, "cpu.cfs_period_us"))
	}
	q, err1 := strconv.ParseFloat(quota, 64) // "max", or -1, for none
	of, err2 := strconv.ParseFloat(every, 64)
	if err1 != nil || err2 != nil || !(q > 0) || !(of > 0) {
		return 0, 0
	}
	return q / of, time.Duration(of * float64(time.Microsecond))
}

// has reports whether a list with commas has a word.
func has(list, word string) bool {
	for w := range strings.SplitSeq(list, ",") {
		if w == word {
			return true
		}
	}
	return false
}

// text returns a file's content without the space around it.
func text(root fs.FS, name string) (string, bool) {
	b, err := fs.ReadFile(root, name)
	return strings.TrimSpace(string(b)), err == nil
}
