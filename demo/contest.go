//go:build !headless

package main

import (
	"fmt"
	"runtime"
	"time"

	"github.com/frameslice/frameslice/demo/load"
)

// contest drives a comparison in the window: all modes in turns, with the same game under each. The turns are short,
// and each round has an order of its own. So what the machine and its neighbours do falls on all modes alike.
//
// A turn begins when the mode has been opened and its warm-up is over. Before that a collection has cleaned up after
// the mode before, and no job of that mode is left. Images are loaded once, before the first turn counts.
type contest struct {
	plan []load.Mode
	k    int
	turn time.Duration
	left time.Duration
}

// newContest returns the comparison that c describes, with its defaults.
func newContest(c load.Config) *contest {
	return &contest{plan: c.Turns(), turn: c.SliceLength(), left: c.SliceLength()}
}

// tick takes the time of a measured frame off the turn in progress. It returns the mode that is to run, and
// false when the plan has been gone through.
func (c *contest) tick(dt time.Duration) (load.Mode, bool) {
	if c.left -= dt; c.left <= 0 {
		c.k++
		c.left = c.turn
	}
	if c.k >= len(c.plan) {
		return "", false
	}
	return c.plan[c.k], true
}

// compete moves the comparison on.
func (g *game) compete() {
	c := g.contest
	if c == nil {
		return
	}
	dt := g.gap // not g.dt: a slow frame counts in full
	if !g.host.counting {
		dt = 0
	}
	mode, ok := c.tick(dt)
	if !ok {
		g.finish()
		return
	}
	if g.host.want != mode {
		g.host.want = mode
		g.out.status = fmt.Sprintf("turn %d of %d", c.k+1, len(c.plan))
	}
}

// settled reports whether the mode that is open can be counted, after so long and so many frames. The warm-up is over
// then, and in a comparison the mode has done the jobs of the mode before. The idle mode runs no jobs, and a slow mode
// has longestSettling for them.
func (g *game) settled(since time.Duration, frames uint64) bool {
	switch {
	case since < warmUp || g.host.opens == 1 && g.opening(since, frames):
		return false
	case g.contest == nil || g.host.mode == load.Idle || since >= longestSettling:
		return true
	}
	return g.probe.Inherited() == 0 && g.world.Assets.InFlight == 0
}

const longestSettling = 5 * time.Second

// opening reports whether the window is still being opened, which no mode is to blame for: the system, the driver and
// Ebitengine prepare things in the first frames. It takes openingFrames and openingTime, whichever is longer. A slow
// machine gets longestSettling, and a short run a third of its time.
func (g *game) opening(since time.Duration, frames uint64) bool {
	most := longestSettling
	if g.contest == nil && g.o.Duration > 0 {
		most = min(most, g.o.Duration/3)
	}
	return since < most && (since < openingTime || frames < openingFrames)
}

const (
	openingFrames = 60
	openingTime   = time.Second
)

// clean collects what the mode before has left, so that its garbage is not the next one's burden.
func (g *game) clean() {
	if g.contest != nil {
		runtime.GC()
	}
}
