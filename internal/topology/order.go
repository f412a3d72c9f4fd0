package topology

import "slices"

// Distance says how far b is from a: 0 the same processor, 1 the same core, 2 the same L3, 3 the same node, 4
// further away.
func Distance(a, b CPU) int {
	switch {
	case a.ID == b.ID:
		return 0
	case a.Core == b.Core:
		return 1
	case a.L3 == b.L3 && a.Node == b.Node:
		return 2
	case a.Node == b.Node:
		return 3
	}
	return 4
}

// Frame returns the processor that Urgent leaves to the frame: the first fast one.
func (m *Machine) Frame() CPU {
	for _, c := range m.CPUs {
		if c.Kind != Efficiency {
			return c
		}
	}
	return m.CPUs[0]
}

// Urgent returns the IDs of all processors in the order in which workers should take them whose work a frame waits for.
// One thread of each core comes before the second thread of any. Fast cores come first, then slow ones, then the second
// threads of fast ones, because a slow core to itself does more than half a fast one. The rest of the frame's own core
// comes last.
//
// Among equals, processors that share the frame's L3 and node go first, because the frame has written the data that
// they read. Then come the more capable ones, then those of the higher ID, because interrupts come to the lower ones.
func (m *Machine) Urgent() []int {
	frame := m.Frame()
	taken := map[int]int{} // threads of a core that have been ranked
	rank := map[int]int{}
	for _, c := range m.CPUs {
		nth := taken[c.Core]
		taken[c.Core]++
		switch {
		case c.ID == frame.ID:
			rank[c.ID] = 4
		case c.Core == frame.Core:
			rank[c.ID] = 3
		case nth > 0:
			rank[c.ID] = 2
		case c.Kind == Efficiency:
			rank[c.ID] = 1
		}
	}
	order := slices.Clone(m.CPUs)
	slices.SortFunc(order, func(a, b CPU) int {
		for _, d := range [...]int{rank[a.ID] - rank[b.ID], Distance(frame, a) - Distance(frame, b),
			b.Capacity - a.Capacity, b.ID - a.ID} {
			if d != 0 {
				return d
			}
		}
		return 0
	})
	return ids(order)
}

// Quiet returns the IDs of the processors for work that nobody waits for: the slow cores, where there are any
// beside fast ones, else nil, for wherever there is room.
func (m *Machine) Quiet() []int {
	if !m.Hybrid() {
		return nil
	}
	var slow []CPU
	for _, c := range m.CPUs {
		if c.Kind == Efficiency {
			slow = append(slow, c)
		}
	}
	return ids(slow)
}

// Near returns the indexes of at other than self, ordered by how near their processors are to that of self. Among
// equals, the indexes that follow self come first, in a circle, so that not everybody goes to the same place.
func (m *Machine) Near(at []int, self int) []int {
	here := m.Find(at[self])
	far := make([]int, len(at))
	var order []int
	for i, id := range at {
		far[i] = Distance(here, m.Find(id))
		if i > 0 {
			order = append(order, (self+i)%len(at))
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return far[a] - far[b] })
	return order
}

func ids(cpus []CPU) []int {
	list := make([]int, len(cpus))
	for i, c := range cpus {
		list[i] = c.ID
	}
	return list
}
