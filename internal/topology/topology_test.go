package topology_test

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/frameslice/frameslice/internal/osthread"
	"github.com/frameslice/frameslice/internal/topology"
)

// A tree is the files of a machine.
type tree fstest.MapFS

func (t tree) put(name string, v any) { t[name] = &fstest.MapFile{Data: []byte(fmt.Sprintln(v))} }

// cpu puts a processor with its siblings, its caches as "level:type:list", and its capacity unless 0.
func (t tree) cpu(id int, siblings string, capacity int, caches ...string) {
	dir := fmt.Sprint("sys/devices/system/cpu/cpu", id, "/")
	t.put(dir+"topology/core_cpus_list", siblings)
	if capacity > 0 {
		t.put(dir+"cpu_capacity", capacity)
	}
	for i, c := range caches {
		f := strings.SplitN(c, ":", 3)
		index := fmt.Sprint(dir, "cache/index", i, "/")
		t.put(index+"level", f[0])
		t.put(index+"type", f[1])
		t.put(index+"shared_cpu_list", f[2])
	}
}

func (t tree) nodes(lists ...string) {
	t.put("sys/devices/system/node/online", fmt.Sprint("0-", len(lists)-1))
	for i, l := range lists {
		t.put(fmt.Sprint("sys/devices/system/node/node", i, "/cpulist"), l)
	}
}

func (t tree) online(list string) tree { t.put("sys/devices/system/cpu/online", list); return t }

// vm is a virtual machine of two processors that shows no caches.
func vm() tree {
	t := tree{}.online("0-1")
	for id := range 2 {
		t.cpu(id, fmt.Sprint(id), 0)
	}
	t.nodes("0-1")
	return t
}

// laptop is an Intel hybrid: four fast cores of two threads (0-7), eight slow ones (8-15) in clusters of four.
func laptop() tree {
	t := tree{}.online("0-15")
	for id := range 16 {
		l3 := "3:Unified:0-15"
		if id < 8 {
			pair := fmt.Sprintf("%d-%d", id&^1, id|1)
			t.cpu(id, pair, 0, "1:Data:"+pair, "1:Instruction:"+pair, "2:Unified:"+pair, l3)
			continue
		}
		t.cpu(id, fmt.Sprint(id), 0, fmt.Sprint("1:Data:", id), fmt.Sprintf("2:Unified:%d-%d", id&^3, id|3), l3)
	}
	t.put("sys/devices/cpu_core/cpus", "0-7")
	t.put("sys/devices/cpu_atom/cpus", "8-15")
	t.nodes("0-15")
	return t
}

// ryzen has two complexes of three cores, of which the second threads are 6 to 11.
func ryzen() tree {
	t := tree{}.online("0-11")
	for id := range 12 {
		first := id % 6 / 3 * 3
		l3 := fmt.Sprintf("3:Unified:%d-%d,%d-%d", first, first+2, first+6, first+8)
		pair := fmt.Sprintf("%d,%d", id%6, id%6+6)
		t.cpu(id, pair, 0, "1:Data:"+pair, "2:Unified:"+pair, l3)
	}
	t.nodes("0-11")
	return t
}

// phone has four small cores, three big ones and a bigger one, and no level 3.
func phone() tree {
	t := tree{}.online("0-7")
	for id, capacity := range []int{250, 250, 250, 250, 870, 870, 870, 1024} {
		shared := "2:Unified:0-3"
		if id >= 4 {
			shared = "2:Unified:4-7"
		}
		t.cpu(id, fmt.Sprint(id), capacity, fmt.Sprint("1:Data:", id), shared)
	}
	return t
}

// sockets is two processors with a node of memory each.
func sockets() tree {
	t := tree{}.online("0-3")
	for id := range 4 {
		t.cpu(id, fmt.Sprint(id), 0, fmt.Sprintf("3:Unified:%d-%d", id&^1, id|1))
	}
	t.nodes("0-1", "2-3")
	return t
}

// group puts a control group of the second version, seen from within.
func (t tree) group(limit string) tree {
	t.put("proc/self/cgroup", "0::/")
	t.put("proc/self/mountinfo", "30 23 0:26 / /sys/fs/cgroup ro,nosuid - cgroup2 cgroup rw,nsdelegate")
	t.put("sys/fs/cgroup/cpu.max", limit)
	return t
}

func TestMachines(t *testing.T) {
	for _, c := range []struct {
		name         string
		files        tree
		mask         []int
		line         string
		urgent       string
		quiet, whole string
	}{
		{"virtual machine", vm(), nil, "2 processors, 2 cores, 1 L3, 1 node; assumed: caches", "[1 0]", "[]", "2"},
		{"hybrid laptop", laptop(), nil,
			"16 processors, 12 cores (4 performance, 8 efficiency), 1 L3, 1 node",
			"[6 4 2 15 14 13 12 11 10 9 8 7 5 3 1 0]", "[8 9 10 11 12 13 14 15]", "16"},
		{"hybrid, masked to one kind", laptop(), []int{0, 1, 2, 3}, "4 processors, 2 cores, 1 L3, 1 node",
			"[2 3 1 0]", "[]", "4"},
		{"hybrid, masked to two of each", laptop(), []int{2, 4, 12, 13},
			"4 processors, 4 cores (2 performance, 2 efficiency), 1 L3, 1 node", "[4 13 12 2]", "[12 13]", "4"},
		{"two complexes", ryzen(), nil, "12 processors, 6 cores, 2 L3, 1 node",
			"[2 1 5 4 3 8 7 11 10 9 6 0]", "[]", "12"},
		{"phone", phone(), nil, "8 processors, 8 cores (4 performance, 4 efficiency), 2 L3, 1 node; assumed: memory",
			"[7 6 5 3 2 1 0 4]", "[0 1 2 3]", "8"},
		{"two sockets", sockets(), nil, "4 processors, 4 cores, 2 L3, 2 nodes", "[1 3 2 0]", "[]", "4"},
		{"container with a quota", ryzen().group("150000 100000"), nil,
			"12 processors, 6 cores, 2 L3, 1 node, quota 1.5", "[2 1 5 4 3 8 7 11 10 9 6 0]", "[]", "1"},
		{"quota and mask", vm().group("max 100000"), []int{1}, "1 processor, 1 core, 1 L3, 1 node; assumed: caches",
			"[1]", "[]", "1"},
		{"nothing to be seen", tree{}, []int{3, 5},
			"2 processors, 2 cores, 1 L3, 1 node; assumed: processors, cores, caches, memory", "[5 3]", "[]", "2"},
		{"a mask of what is gone", vm(), []int{7},
			"1 processor, 1 core, 1 L3, 1 node; assumed: processors, cores, caches", "[7]", "[]", "1"},
	} {
		m := topology.Read(fstest.MapFS(c.files), c.mask)
		got := fmt.Sprintf("%v\n%v %v %v", m, m.Urgent(), m.Quiet(), m.Whole())
		if want := fmt.Sprintf("%v\n%v %v %v", c.line, c.urgent, c.quiet, c.whole); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, got, want)
		}
	}
}

func TestNear(t *testing.T) {
	m := topology.Read(fstest.MapFS(ryzen()), nil)
	at := m.Urgent()[:6] // 2 1 5 4 3 8
	for self, want := range []string{"[5 1 2 3 4]", "[5 0 2 3 4]", "[3 4 5 0 1]"} {
		if got := fmt.Sprint(m.Near(at, self)); got != want {
			t.Errorf("near %d of %v: %s, want %s", self, at, got, want)
		}
	}
}

func TestQuota(t *testing.T) {
	const usual = 100 * time.Millisecond
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
		files := tree{}
		files.put("proc/self/cgroup", c.group)
		files.put("proc/self/mountinfo", "1 1 0:1 / / rw - ext4 /dev/x rw\n"+c.mount)
		for name, v := range c.files {
			files.put(name, v)
		}
		if got, period := topology.Quota(fstest.MapFS(files)); got != c.want || period != c.period {
			t.Errorf("%s: %v in %v, want %v in %v", c.name, got, period, c.want, c.period)
		}
	}
}

// Broken files are taken for missing ones.
func TestBrokenFiles(t *testing.T) {
	for _, bad := range []string{"", "x", "3-1", "-1", "0-99999999", "0,,1", "1-"} {
		files := vm().online("0-1")
		files.put("sys/devices/system/cpu/cpu0/topology/core_cpus_list", bad)
		m := topology.Read(fstest.MapFS(files), nil)
		if want := "2 processors, 2 cores, 1 L3, 1 node; assumed: cores, caches"; m.String() != want {
			t.Errorf("%q: got %v, want %s", bad, m, want)
		}
	}
}

// What this machine says is read without a panic, and has the processors that the runtime counts, also where /sys is
// not mounted.
func TestThisMachine(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("reads Linux's files")
	}
	mask, err := osthread.CPUs()
	if err != nil {
		t.Fatal(err)
	}
	m := topology.Read(os.DirFS("/"), mask)
	if len(m.CPUs) < runtime.NumCPU() || len(m.Urgent()) != len(m.CPUs) {
		t.Errorf("%v; the runtime sees %d", m, runtime.NumCPU())
	}
	t.Log(m)
}
