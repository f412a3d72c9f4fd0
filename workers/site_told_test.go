package workers

import (
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/internal/topology"
)

// What a pool tells of a machine that is not at hand: two fast cores of two threads each, two slow ones, two memories,
// a quota, and something that nobody could read.
func TestTopologyIsTold(t *testing.T) {
	m := topology.Machine{Quota: 2.5, Missing: []string{"caches"}}
	for id, core := range []int{0, 0, 2, 2, 4, 5} {
		kind, node := topology.Performance, 0
		if id >= 4 {
			kind, node = topology.Efficiency, 4
		}
		m.CPUs = append(m.CPUs, topology.CPU{ID: id, Core: core, Kind: kind, Node: node})
	}
	p := &Pool{}
	p.site.once.Do(func() { p.site.machine = m })
	top := p.Topology()
	want := "6 processors, 4 cores (2 performance, 2 efficiency), 1 L3, 2 nodes, quota 2.5; assumed: caches"
	if top.String() != want {
		t.Errorf("%v, want %s", top, want)
	}
	got := fmt.Sprint(top.Processors, top.Cores, top.Performance, top.Efficiency, top.Caches, top.Nodes, top.Quota,
		top.Assumed)
	if want := "6 4 2 2 1 2 2.5 [caches]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
