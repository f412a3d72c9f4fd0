package scheduler_test

import (
	"math/rand/v2"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// What the strangers of storm_test.go do to groups.

// newGroup makes a group that others know of.
func (c *strangers) newGroup(i int, make func(string) *scheduler.Group) {
	g := make("g")
	c.mu.Lock()
	c.made = append(c.made, g)
	c.mu.Unlock()
	c.groups[i].Store(g)
}

// pace is what only the frame goroutine may do to groups.
func (c *strangers) pace(r *rand.Rand) {
	g := c.groups[r.IntN(len(c.groups))].Load()
	switch r.IntN(12) {
	case 0:
		g.Pause()
	case 1, 2:
		g.Resume()
	case 3:
		g.SetSpeed([]float64{0.1, 1, 3}[r.IntN(3)])
	}
}

func (c *strangers) actOnGroup(r *rand.Rand, g *scheduler.Group) {
	switch r.IntN(6) {
	case 0:
		c.newGroup(r.IntN(len(c.groups)), c.s.NewGroup)
		g.Cancel()
	case 5:
		g.Now()
		c.newGroup(r.IntN(len(c.groups)), g.NewGroup)
	case 1:
		g.SetPriority(deadline.Priorities()[r.IntN(deadline.NumPriorities)])
	case 2:
		c.await("a group", g.Done())
	default:
		c.asked.Add(1)
		scheduler.OnEnd(g, func() { c.told.Add(1) })
	}
}
