// Package topology reads what the processors are like that a process may use. It tells which processors share a core or
// a cache, which are fast, and how much of them the process gets.
//
// # Sources
//
// On Linux, the files below /sys and /proc, which Read takes as an fs.FS, so that tests can show it machines that
// are not at hand:
//
//	which there are     /sys/devices/system/cpu/online, and the affinity mask, which the caller passes
//	cores               cpuN/topology/core_cpus_list, or thread_siblings_list before Linux 5.3
//	caches              cpuN/cache/indexM: the unified one of the highest level, called L3 here though some
//	                    processors have it at level 2
//	kinds of cores      /sys/devices/cpu_core, cpu_atom and cpu_lowpower (Intel); else cpuN/cpu_capacity (ARM and
//	                    others), where less than 60 % of the greatest makes an efficient core
//	memory              /sys/devices/system/node/nodeN/cpulist
//	quota               cpu.max (cgroup v2) or cpu.cfs_quota_us (v1) of the process's group and of every group above
//	                    that its mounts show; the least counts. The Go runtime looks at the group itself only, and
//	                    rounds up
//
// If a file says nothing, or something wrong, Read assumes no difference: every processor a core of its own, one cache,
// one node, one kind, no quota. Machine.Missing names the file, so that nobody takes a guess for a reading. Virtual
// machines and sandboxes often show half of these files, or invent them.
//
// Elsewhere the standard library tells the number of processors, and Unknown makes a Machine of that.
package topology

import (
	"fmt"
	"strings"
)

// A Kind says how fast a core is beside the others of its machine.
type Kind uint8

const (
	// Uniform is every core of a machine whose cores are alike, or not known.
	Uniform Kind = iota
	// Performance is a fast core of a machine that has slow ones too.
	Performance
	// Efficiency is a slow one.
	Efficiency
)

// String returns the constant's name in lower case.
func (k Kind) String() string {
	switch k {
	case Uniform:
		return "uniform"
	case Performance:
		return "performance"
	case Efficiency:
		return "efficiency"
	}
	return "invalid"
}

// A CPU is a processor as the system counts them: a core, or one of the threads that a core runs at a time.
type CPU struct {
	ID       int
	Core     int // the least ID of those that share its core
	L3       int // the least ID of those that share its last cache
	Node     int // of memory
	Kind     Kind
	Capacity int // how much it computes, of 1024; 0 where nobody says
}

// A Machine is the processors that a process may use. It is a value: nobody changes it after Read.
type Machine struct {
	CPUs  []CPU   // in ascending order of ID; at least one
	Quota float64 // how many of them it may use at a time in the mean, 0 for no limit
	// Missing names what could not be read and is assumed, in the words of the table above.
	Missing []string
}

// Unknown returns a Machine of which nothing is known but the numbers of its processors.
func Unknown(ids []int) Machine {
	m := Machine{Missing: []string{"topology"}}
	for _, id := range ids {
		m.CPUs = append(m.CPUs, CPU{ID: id, Core: id})
	}
	return m
}

// Find returns the processor of that ID, or the zero CPU.
func (m *Machine) Find(id int) CPU {
	for _, c := range m.CPUs {
		if c.ID == id {
			return c
		}
	}
	return CPU{}
}

// Count returns how many different values of returns.
func (m *Machine) Count(of func(c CPU) int) int {
	seen := map[int]bool{}
	for _, c := range m.CPUs {
		seen[of(c)] = true
	}
	return len(seen)
}

// Cores returns how many cores of a kind there are.
func (m *Machine) Cores(k Kind) int {
	seen := map[int]bool{}
	for _, c := range m.CPUs {
		if c.Kind == k {
			seen[c.Core] = true
		}
	}
	return len(seen)
}

// Hybrid reports whether there are fast and slow cores.
func (m *Machine) Hybrid() bool { return m.Cores(Performance) > 0 && m.Cores(Efficiency) > 0 }

// Whole returns how many processors the quota grants in full, at least one, or all of them without a quota. A
// process that keeps more busy is stopped altogether for a part of each period, a tenth of a second: for several
// frames.
func (m *Machine) Whole() int {
	if m.Quota == 0 || m.Quota >= float64(len(m.CPUs)) {
		return len(m.CPUs)
	}
	return max(1, int(m.Quota+0.01)) // 1.999 is two for all that matters
}

// String describes m in a line, such as "8 processors, 4 cores, 2 L3, 1 node, quota 1.5; assumed: kinds".
func (m Machine) String() string {
	var b strings.Builder
	cores := m.Count(func(c CPU) int { return c.Core })
	fmt.Fprintf(&b, "%s, %s", plural(len(m.CPUs), "processor"), plural(cores, "core"))
	if m.Hybrid() {
		fmt.Fprintf(&b, " (%d performance, %d efficiency)", m.Cores(Performance), m.Cores(Efficiency))
	}
	fmt.Fprintf(&b, ", %d L3, %s", m.Count(func(c CPU) int { return c.L3 }),
		plural(m.Count(func(c CPU) int { return c.Node }), "node"))
	if m.Quota > 0 {
		fmt.Fprintf(&b, ", quota %.3g", m.Quota)
	}
	if len(m.Missing) > 0 {
		fmt.Fprintf(&b, "; assumed: %s", strings.Join(m.Missing, ", "))
	}
	return b.String()
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprint(n, " ", what, "s")
}
