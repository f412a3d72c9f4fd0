package quota

import (
	"fmt"
	"testing"
	"testing/fstest"
	"time"
)

func TestQuota(t *testing.T) {
	v1 := "31 23 0:27 %s /sys/fs/cgroup/cpu,cpuacct ro - cgroup cgroup rw,cpu,cpuacct"
	v2 := "30 23 0:26 %s /sys/fs/my\\040cgroup ro,nosuid - cgroup2 cgroup rw"
	for _, c := range []struct {
		name, group, mount string
		files              map[string]string
		want               float64
		period             time.Duration
	}{
		{"none", "0::/", "", nil, 0, 0},
		{"second version, groups above", "0::/a/b/c", fmt.Sprintf(v2, "/"), map[string]string{
			"sys/fs/my cgroup/cpu.max":       "900000 100000",
			"sys/fs/my cgroup/a/cpu.max":     "250000 100000",
			"sys/fs/my cgroup/a/b/cpu.max":   "max 100000",
			"sys/fs/my cgroup/a/b/c/cpu.max": "50000 10000",
		}, 2.5, usual},
		{"first version", "12:memory:/x\n4:cpu,cpuacct:/docker/1", fmt.Sprintf(v1, "/docker/1"), map[string]string{
			"sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us":  "150000",
			"sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us": "100000",
		}, 1.5, usual},
		{"first version, unlimited", "4:cpu,cpuacct:/", fmt.Sprintf(v1, "/"), map[string]string{
			"sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us":  "-1",
			"sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us": "100000",
		}, 0, 0},
		{"a group that is not in the mount", "0::/../other", fmt.Sprintf(v2, "/"), map[string]string{
			"sys/fs/my cgroup/cpu.max": "30000 10000",
		}, 3, usual / 10},
		{"two mounts, the first of other groups", "0::/a/b", "29 23 0:26 /other /run/other rw - cgroup2 c rw\n" +
			fmt.Sprintf(v2, "/"), map[string]string{
			"run/other/cpu.max":          "10000 10000",
			"sys/fs/my cgroup/a/cpu.max": "20000 10000",
		}, 2, usual / 10},
		{"mounted on the root", "0::/a/b", "29 23 0:26 / / rw - cgroup2 c rw", map[string]string{
			"cpu.max": "30000 10000", "a/cpu.max": "200000 100000",
		}, 2, usual},
		{"two limits of one share", "0::/a/b", fmt.Sprintf(v2, "/"), map[string]string{
			"sys/fs/my cgroup/a/b/cpu.max": "50000 100000", "sys/fs/my cgroup/a/cpu.max": "10000 20000",
			"sys/fs/my cgroup/cpu.max": "50000 100000",
		}, 0.5, usual / 5},
		{"cpuset is not cpu", "4:cpuset:/", fmt.Sprintf(v1, "/"), map[string]string{
			"sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us":  "100000",
			"sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us": "100000",
		}, 0, 0},
		{"nonsense", "0::/", fmt.Sprintf(v2, "/"), map[string]string{"sys/fs/my cgroup/cpu.max": "NaN x"}, 0, 0},
	} {
		files := fstest.MapFS{}
		put := func(name, text string) { files[name] = &fstest.MapFile{Data: []byte(text + "\n")} }
		put("proc/self/cgroup", c.group)
		put("proc/self/mountinfo", "1 1 0:1 / / rw - ext4 /dev/x rw\n"+c.mount)
		for name, v := range c.files {
			put(name, v)
		}
		if got, period := Read(files); got != c.want || period != c.period {
			t.Errorf("%s: %v in %v, want %v in %v", c.name, got, period, c.want, c.period)
		}
	}
}

// What a quota grants in full is rounded down, but to one at least.
func TestWhole(t *testing.T) {
	for _, c := range []struct {
		quota            float64
		processors, want int
	}{{0, 8, 0}, {0.3, 8, 1}, {1.5, 8, 1}, {1.999, 8, 2}, {4, 8, 4}, {20, 8, 8}} {
		if got := whole(c.quota, c.processors); got != c.want {
			t.Errorf("%v of %d processors: %d, want %d", c.quota, c.processors, got, c.want)
		}
	}
}

func TestThrottled(t *testing.T) {
	for stat, want := range map[string]time.Duration{
		"":                                     0,
		"nr_periods 3\nthrottled_time 12\nx 1": 12,
		"usage_usec 9\nthrottled_usec 12\nx":   12 * time.Microsecond,
		"throttled_usec none\nnr_bursts 4 5 6\n\n ": 0,
	} {
		if got := throttled([]byte(stat)); got != want {
			t.Errorf("of %q: %v, want %v", stat, got, want)
		}
	}
	u := OpenThrottle()
	defer u.Close()
	if a, b := u.Read(), u.Read(); a < 0 || b < a {
		t.Errorf("%v, then %v", a, b)
	}
}
