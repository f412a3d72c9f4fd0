package workers

import "github.com/frameslice/frameslice/internal/topology"

// Topology is what a pool has found out about the processors that the process may use: those of the affinity mask
// that it had at New. On Linux it is read from the system's files; elsewhere, and where they say nothing, every
// processor counts as a core, and all as alike.
type Topology struct {
	Processors  int      // as the system counts them, two for a core that runs two threads
	Cores       int      // of any kind
	Performance int      // of them: fast ones, where there are both
	Efficiency  int      // of them: slow ones, where there are both
	Caches      int      // how many groups share a last-level cache
	Nodes       int      // of memory
	Quota       float64  // how many processors it may use at a time in the mean, 0 for no limit; at the first call
	Assumed     []string // what could not be read
	text        string
}

// String describes t in a line, such as "16 processors, 12 cores (4 performance, 8 efficiency), 1 L3, 1 node".
func (t Topology) String() string { return t.text }

// Topology returns what is known of the processors. Any goroutine but the frame's: the first call may read some ten
// files for each processor, 0.2 to 0.3 ms each; later ones allocate a little.
func (p *Pool) Topology() Topology {
	m := p.look()
	return Topology{
		Processors:  len(m.CPUs),
		Cores:       m.Count(func(c topology.CPU) int { return c.Core }),
		Performance: m.Cores(topology.Performance),
		Efficiency:  m.Cores(topology.Efficiency),
		Caches:      m.Count(func(c topology.CPU) int { return c.L3 }),
		Nodes:       m.Count(func(c topology.CPU) int { return c.Node }),
		Quota:       m.Quota,
		Assumed:     append([]string(nil), m.Missing...),
		text:        m.String(),
	}
}
