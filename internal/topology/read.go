package topology

import (
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
)

const (
	cpus  = "sys/devices/system/cpu/"
	nodes = "sys/devices/system/node/"
)

// Read reads the machine from the files of a Linux system; root is its root folder. mask are the processors that
// the process may use; if it is empty, those that are online. It reads some ten files for each processor, 20 to
// 30 µs each: not for the frame goroutine.
func Read(root fs.FS, mask []int) Machine {
	var m Machine
	m.Quota, _ = Quota(root)
	online, ok := list(root, cpus+"online")
	if !ok {
		m.missing("processors")
		if online = mask; len(online) == 0 {
			online = []int{0}
		}
	}
	for _, id := range online {
		if len(mask) == 0 || slices.Contains(mask, id) {
			m.CPUs = append(m.CPUs, CPU{ID: id, Core: id})
		}
	}
	if len(m.CPUs) == 0 { // a mask of processors that are not there any more
		m.missing("processors")
		for _, id := range mask {
			m.CPUs = append(m.CPUs, CPU{ID: id, Core: id})
		}
	}
	m.cores(root)
	m.caches(root)
	m.kinds(root)
	m.memory(root)
	return m
}

func (m *Machine) missing(what string) {
	if !slices.Contains(m.Missing, what) {
		m.Missing = append(m.Missing, what)
	}
}

func (m *Machine) cores(root fs.FS) {
	for i := range m.CPUs {
		c := &m.CPUs[i]
		dir := fmt.Sprint(cpus, "cpu", c.ID, "/topology/")
		siblings, ok := list(root, dir+"core_cpus_list")
		if !ok {
			siblings, ok = list(root, dir+"thread_siblings_list")
		}
		if !ok || !slices.Contains(siblings, c.ID) {
			m.missing("cores")
			continue
		}
		c.Core = siblings[0]
	}
}

// caches finds the last cache: the unified one of the highest level. A machine that shows none has one.
func (m *Machine) caches(root fs.FS) {
	for i := range m.CPUs {
		c := &m.CPUs[i]
		highest := 0
		c.L3 = -1
		for n := 0; ; n++ {
			dir := fmt.Sprint(cpus, "cpu", c.ID, "/cache/index", n, "/")
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
			m.missing("caches")
			for k := range m.CPUs {
				m.CPUs[k].L3 = 0
			}
			return
		}
	}
}

// kinds finds fast and slow cores.
func (m *Machine) kinds(root fs.FS) {
	fast, _ := list(root, "sys/devices/cpu_core/cpus")
	slow, ok := list(root, "sys/devices/cpu_atom/cpus")
	slower, _ := list(root, "sys/devices/cpu_lowpower/cpus")
	greatest := 0
	for i := range m.CPUs {
		c := &m.CPUs[i]
		c.Capacity, _ = number(root, fmt.Sprint(cpus, "cpu", c.ID, "/cpu_capacity"))
		greatest = max(greatest, c.Capacity)
	}
	for i := range m.CPUs {
		c := &m.CPUs[i]
		switch {
		case slices.Contains(fast, c.ID):
			c.Kind = Performance
		case slices.Contains(slow, c.ID) || slices.Contains(slower, c.ID):
			c.Kind = Efficiency
		case !ok && c.Capacity > 0 && c.Capacity*10 < greatest*6:
			c.Kind = Efficiency
		case !ok && c.Capacity > 0:
			c.Kind = Performance
		}
	}
	if !m.Hybrid() { // a mask, or a machine, of one kind
		for i := range m.CPUs {
			m.CPUs[i].Kind = Uniform
		}
	}
}

func (m *Machine) memory(root fs.FS) {
	online, ok := list(root, nodes+"online")
	if !ok {
		m.missing("memory")
		return
	}
	for _, n := range online {
		of, _ := list(root, fmt.Sprint(nodes, "node", n, "/cpulist"))
		for i := range m.CPUs {
			if slices.Contains(of, m.CPUs[i].ID) {
				m.CPUs[i].Node = n
			}
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
