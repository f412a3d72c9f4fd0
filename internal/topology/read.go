package topology

import (
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
)

const cpuDir = "sys/devices/system/cpu/"

// Read reads the machine from the files of a Linux system; root is its root folder. mask has the processors that the
// process may use; if mask is empty, these are all that are online. Read returns them in ascending order of ID, one at
// least. It reads some ten files for each processor, 20 to 30 µs each: not for the frame goroutine.
func Read(root fs.FS, mask []int) []CPU {
	online, ok := list(root, cpuDir+"online")
	if !ok {
		if online = mask; len(online) == 0 {
			online = []int{0}
		}
	}
	if len(mask) > 0 {
		online = slices.DeleteFunc(online, func(id int) bool { return !slices.Contains(mask, id) })
	}
	if len(online) == 0 { // a mask of processors that are not there any more
		online = mask
	}
	m := Alike(online)
	cores(root, m)
	caches(root, m)
	kinds(root, m)
	return m
}

func cores(root fs.FS, m []CPU) {
	for i := range m {
		c := &m[i]
		dir := fmt.Sprint(cpuDir, "cpu", c.ID, "/topology/")
		siblings, ok := list(root, dir+"core_cpus_list")
		if !ok {
			siblings, ok = list(root, dir+"thread_siblings_list")
		}
		if ok && slices.Contains(siblings, c.ID) {
			c.Core = siblings[0]
		}
	}
}

// caches finds the last cache: the unified one of the highest level. A machine that shows none counts as having one.
func caches(root fs.FS, m []CPU) {
	for i := range m {
		c := &m[i]
		highest := 0
		c.L3 = -1
		for n := 0; ; n++ {
			dir := fmt.Sprint(cpuDir, "cpu", c.ID, "/cache/index", n, "/")
			level, ok := number(root, dir+"level")
			if !ok {
				break
			}
			if kind, _ := text(root, dir+"type"); kind != "Unified" || level <= highest {
				continue
			}
			if shared, ok := list(root, dir+"shared_cpu_list"); ok && slices.Contains(shared, c.ID) {
				highest, c.L3 = level, shared[0]
			}
		}
		if c.L3 < 0 || highest < 2 {
			for k := range m {
				m[k].L3 = 0
			}
			return
		}
	}
}

// kinds finds the slow cores.
func kinds(root fs.FS, m []CPU) {
	slow, told := list(root, "sys/devices/cpu_atom/cpus")
	slower, _ := list(root, "sys/devices/cpu_lowpower/cpus")
	capacity := make([]int, len(m))
	for i, c := range m {
		capacity[i], _ = number(root, fmt.Sprint(cpuDir, "cpu", c.ID, "/cpu_capacity"))
	}
	greatest := slices.Max(capacity)
	fast := 0
	for i := range m {
		c := &m[i]
		c.Slow = slices.Contains(slow, c.ID) || slices.Contains(slower, c.ID) ||
			!told && capacity[i] > 0 && capacity[i]*10 < greatest*6
		if !c.Slow {
			fast++
		}
	}
	if fast == 0 { // a mask, or a machine, of one kind
		for i := range m {
			m[i].Slow = false
		}
	}
}

// text returns a file's content without the space around it.
func text(root fs.FS, name string) (string, bool) {
	b, err := fs.ReadFile(root, name)
	return strings.TrimSpace(string(b)), err == nil
}

func number(root fs.FS, name string) (int, bool) {
	s, ok := text(root, name)
	n, err := strconv.Atoi(s)
	return n, ok && err == nil
}

// maxID bounds the numbers in a list, so that a broken file cannot fill the memory.
const maxID = 1 << 14

// list returns the numbers of a file such as "0-3,8,10-11", in ascending order. It returns false if the file has none,
// or something else.
func list(root fs.FS, name string) ([]int, bool) {
	s, ok := text(root, name)
	if !ok || s == "" {
		return nil, false
	}
	var all []int
	for part := range strings.SplitSeq(s, ",") {
		from, to, isRange := strings.Cut(part, "-")
		a, err1 := strconv.Atoi(from)
		b, err2 := a, error(nil)
		if isRange {
			b, err2 = strconv.Atoi(to)
		}
		if err1 != nil || err2 != nil || a < 0 || b < a || b >= maxID {
			return nil, false
		}
		for id := a; id <= b; id++ {
			all = append(all, id)
		}
	}
	slices.Sort(all)
	return slices.Compact(all), true
}
