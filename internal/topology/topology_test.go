package topology_test

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

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

func (t tree) online(list string) tree { t.put("sys/devices/system/cpu/online", list); return t }

// vm is a virtual machine of two processors that shows no caches.
func vm() tree {
	t := tree{}.online("0-1")
	for id := range 2 {
		t.cpu(id, fmt.Sprint(id), 0)
	}
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

func TestMachines(t *testing.T) {
	for _, c := range []struct {
		name          string
		files         tree
		mask          []int
		urgent, quiet string
	}{
		{"virtual machine", vm(), nil, "[1 0]", "[]"},
		{"hybrid laptop", laptop(), nil, "[6 4 2 15 14 13 12 11 10 9 8 7 5 3 1 0]", "[8 9 10 11 12 13 14 15]"},
		{"hybrid, masked to one kind", laptop(), []int{0, 1, 2, 3}, "[2 3 1 0]", "[]"},
		{"hybrid, masked to the slow ones", laptop(), []int{8, 9}, "[9 8]", "[]"},
		{"hybrid, masked to two of each", laptop(), []int{2, 4, 12, 13}, "[4 13 12 2]", "[12 13]"},
		{"two complexes", ryzen(), nil, "[2 1 5 4 3 8 7 11 10 9 6 0]", "[]"},
		{"phone", phone(), nil, "[7 6 5 3 2 1 0 4]", "[0 1 2 3]"},
		{"mask", vm(), []int{1}, "[1]", "[]"},
		{"nothing to be seen", tree{}, []int{3, 5}, "[5 3]", "[]"},
		{"nothing at all", tree{}, nil, "[0]", "[]"},
		{"a mask of what is gone", vm(), []int{7}, "[7]", "[]"},
	} {
		m := topology.Read(fstest.MapFS(c.files), c.mask)
		urgent, quiet := fmt.Sprint(topology.Urgent(m)), fmt.Sprint(topology.Quiet(m))
		if urgent != c.urgent || quiet != c.quiet {
			t.Errorf("%s: got %s and %s, want %s and %s", c.name, urgent, quiet, c.urgent, c.quiet)
		}
	}
}

// Broken files are taken for missing ones.
func TestBrokenFiles(t *testing.T) {
	for _, bad := range []string{"", "x", "3-1", "-1", "0-99999999", "0,,1", "1-"} {
		files := vm().online("0-1")
		files.put("sys/devices/system/cpu/cpu0/topology/core_cpus_list", bad)
		m := topology.Read(fstest.MapFS(files), nil)
		if want := topology.Alike([]int{0, 1}); !slices.Equal(m, want) {
			t.Errorf("%q: got %v, want %v", bad, m, want)
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
	if len(m) < runtime.NumCPU() || len(topology.Urgent(m)) != len(m) {
		t.Errorf("%v; the runtime sees %d", m, runtime.NumCPU())
	}
	t.Log(m)
}
