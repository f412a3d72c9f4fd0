// Package topology reads what the processors are like that a process may use: which share a core or a cache, and which
// are slow. It says in which order workers with a processor each should take them.
//
// # Sources
//
// On Linux, the files below /sys, which Read takes as an fs.FS, so that tests can show it machines that are not at
// hand:
//
//	which there are     /sys/devices/system/cpu/online, and the affinity mask, which the caller passes
//	cores               cpuN/topology/core_cpus_list, or thread_siblings_list before Linux 5.3
//	caches              cpuN/cache/indexM: the unified one of the highest level, called L3 here though some
//	                    processors have it at level 2
//	kinds of cores      /sys/devices/cpu_atom and cpu_lowpower (Intel); else cpuN/cpu_capacity (ARM and others),
//	                    where less than 60 % of the greatest makes a slow core
//
// If a file says nothing, or something wrong, Read assumes no difference: every processor a core of its own, one cache,
// one kind. Virtual machines and sandboxes often show half of these files, or invent them.
//
// Elsewhere the standard library tells the number of processors, and Alike makes CPUs of that.
package topology

import "slices"

// A CPU is a processor as the system counts them: a core, or one of the threads that a core runs at a time.
type CPU struct {
	ID   int
	Core int  // the least ID of those that share its core
	L3   int  // the least ID of those that share its last cache
	Slow bool // an efficient core of a machine that has fast ones too
}

// Alike returns processors of which nothing is known but their numbers.
func Alike(list []int) []CPU {
	m := make([]CPU, len(list))
	for i, id := range list {
		m[i] = CPU{ID: id, Core: id}
	}
	return m
}

// Urgent returns the IDs of all processors in the order in which workers should take them if a frame waits for their
// work. One thread of each core comes before the second thread of any. Fast cores come first, then slow ones, then the
// second threads of fast ones, because a slow core to itself does more than half a fast one. The first fast processor
// is left to the frame: it comes last, and the rest of its core before it.
//
// Among equals, processors that share the frame's L3 go first, because the frame has written the data that they read.
// Then the higher ID goes first, because interrupts come to the lower ones.
func Urgent(m []CPU) []int {
	frame := m[max(0, slices.IndexFunc(m, func(c CPU) bool { return !c.Slow }))]
	taken := map[int]int{} // threads of a core that have been ranked
	rank := map[int]int{}
	for _, c := range m {
		nth := taken[c.Core]
		taken[c.Core]++
		r := 0
		switch {
		case c.ID == frame.ID:
			r = 4
		case c.Core == frame.Core:
			r = 3
		case nth > 0:
			r = 2
		case c.Slow:
			r = 1
		}
		rank[c.ID] = 2 * r
		if c.L3 != frame.L3 {
			rank[c.ID]++
		}
	}
	order := slices.Clone(m)
	slices.SortFunc(order, func(a, b CPU) int {
		if d := rank[a.ID] - rank[b.ID]; d != 0 {
			return d
		}
		return b.ID - a.ID
	})
	return ids(order)
}

// Quiet returns the IDs of the processors for work that nobody waits for: the slow cores, or nil if any processor will
// do.
func Quiet(m []CPU) (slow []int) {
	for _, c := range m {
		if c.Slow {
			slow = append(slow, c.ID)
		}
	}
	return slow
}

func ids(m []CPU) []int {
	list := make([]int, len(m))
	for i, c := range m {
		list[i] = c.ID
	}
	return list
}
