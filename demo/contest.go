//go:build !headless

package main

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/frameslice/frameslice/demo/load"
)

// contest drives a comparison in the window: all modes in turns, the same game under each, measured by the
// same loop. The turns are short and their order is drawn anew for each round, so that what the machine and
// its neighbours do falls on all modes alike. A turn begins when the mode has been opened, a collection has
// cleaned up after the one before, and the warm-up is over.
type contest struct {
	plan []load.Mode
	k    int
	turn time.Duration
	left time.Duration
}

func newContest(modes []load.Mode, duration time.Duration, seed uint64) *contest {
	rounds := max(1, int((duration+load.DefaultSlice/2)/load.DefaultSlice))
	c := &contest{turn: duration / time.Duration(rounds)}
	rng := rand.New(rand.NewPCG(seed, 0xC0D3))
	for range rounds {
		at := len(c.plan)
		c.plan = append(c.plan, modes...)
		round := c.plan[at:]
		rng.Shuffle(len(round), func(i, j int) { round[i], round[j] = round[j], round[i] })
	}
	c.left = c.turn
	return c
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
	dt := g.dt
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

// clean collects what the mode before has left, so that its garbage is not the next one's burden.
func (g *game) clean() {
	if g.contest != nil {
		runtime.GC()
	}
}
