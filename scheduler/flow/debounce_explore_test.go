//go:build explore

package flow

import (
	"errors"
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/atomic"
	"github.com/frameslice/frameslice/internal/explore"
)

// A hearing has two goroutines call a pulse twice each, and holds what the looks hear against S36. The clock says
// another time, an odd number, whenever a call reads it. Call k of goroutine i has number n = 2*i+k, and raises the
// signal by a bit of its own, too.
type hearing struct {
	p       *explore.Program
	pulse   *pulse
	at, end [4]deadline.Instant

	last   deadline.Instant // of the looks before
	before uint32           // what the look before has answered
}

const hearingBit = 1 << 8 // of call 0

func (c *hearing) call(h *host, n int) {
	now := h.now.Add(2)
	c.at[n] = deadline.Instant(now)
	c.pulse.callAt(now, func(w uint32) uint32 {
		c.end[n] = deadline.Instant(h.now.Load())
		return wishCall(w) | hearingBit<<n
	})
}

// look is in the place of pulse.look.
func (c *hearing) look() {
	w, first, last, _ := c.pulse.hear()
	for n := range c.at {
		switch bit := uint32(hearingBit << n); {
		case c.before&bit != 0 && first == c.at[n]:
			c.p.Fail("(c) the first call is of the look before, at %d", first)
		case w&bit == 0:
			continue
		case last < c.at[n]:
			c.p.Fail("(a) the last call at %d, and one at %d was answered", last, c.at[n])
		case c.last < c.at[n] && (first == 0 || first > c.end[n]):
			c.p.Fail("(b) the first call at %d, and one at %d was not known of", first, c.at[n])
		}
	}
	c.last, c.before = max(c.last, last), w
}

func TestExploreNoCallIsLostBetweenTwoLooks(t *testing.T) {
	explore.Explore(t, 2, func(p *explore.Program) {
		h := newHost(p)
		c := &hearing{p: p, pulse: &pulse{}}
		c.pulse.init("", h.s, deadline.Normal, func() {}, edges{wait: 1})
		c.pulse.signal.task.Func = c.look
		for i := range 2 {
			p.Go(fmt.Sprint("caller", i), func() {
				c.call(h, 2*i)
				c.call(h, 2*i+1)
			})
		}
		p.Go("host", func() { h.run(func() bool { return c.last == 9 }) })
		p.End(func() error {
			if h.slice(); c.pulse.signal.word.Load() != 0 {
				return errors.New("a call was not heard")
			}
			return nil
		})
	})
}

// One goroutine calls a debounced function, and again when the Cancel of another one has returned (S38). Whenever
// nothing else is to do, the time comes at which a burst is over. The host runs slices until the second call has had
// its run.
func TestExploreACancelTakesBackNoLaterCall(t *testing.T) {
	explore.Explore(t, 2, func(p *explore.Program) {
		h := newHost(p)
		var begun, rung, before atomic.Int32 // calls, those that have rung, also before the Cancel
		var canceled atomic.Bool
		runs, heard := 0, int32(0) // calls that had begun at the last run
		d := &pulse{}
		d.init("", h.s, deadline.Normal, func() { runs, heard = runs+1, begun.Load() }, edges{wait: 1})
		run := d.run.Func
		d.run.Func = func() {
			old, idle := runs, canceled.Load() && begun.Load() == before.Load()
			if run(); idle && runs > old {
				p.Fail("the function begins after Cancel, and there was no call")
			}
		}
		call := func() {
			begun.Add(1)
			d.call()
			rung.Add(1)
		}
		p.Go("caller", func() {
			call()
			for !canceled.Load() {
				canceled.Await()
			}
			call()
		})
		p.Go("canceler", func() {
			before.Store(rung.Load())
			d.cancel()
			canceled.Store(true)
		})
		p.Go("host", func() { h.run(func() bool { return heard == 2 }) })
	})
}
