package scheduler_test

import (
	"github.com/frameslice/frameslice/scheduler"
)

// check looks at what must be so when nothing is left to do, though the scheduler may be closed already.
func (c *strangers) check() {
	for _, d := range c.Deeds() {
		of := d.Of.(*stranger)
		st, b, e, canceled := of.state(), d.Begun(), d.Ended(), d.Canceled() && !d.Mild
		forgotten := of.task == nil && st == scheduler.Unsubmitted
		switch {
		case st < scheduler.Done && !forgotten:
			c.Fail("%v is %v, and nothing is left to do", d, st)
		case b != e || st == scheduler.Done && b != 1 || of.alone && b != 1 && !canceled && !c.closed.Load():
			c.Fail("%v began %d times, ended %d times, and is %v", d, b, e, st)
		case canceled && st != scheduler.Canceled && !forgotten:
			c.Fail("%v was canceled, and is %v", d, st)
		}
	}
	for _, o := range c.done {
		if !isDone(o.done) {
			c.Fail("Done of %s is open, and nothing is left to do; closed: %v", o.whose, c.closed.Load())
		}
	}
	if a, b := c.asked.Load(), c.told.Load(); a != b {
		c.Fail("Notify was called %d times, and %d have heard", a, b)
	}
}

func (c *strangers) checkClosed(whole bool) {
	st := c.s.Stats()
	if st.Ready != none || st.Delayed != none || st.Waiting+st.Frame+st.Idle+st.Coroutines != 0 {
		c.Fail("%+v is left of a closed scheduler", st)
	}
	if size, free := scheduler.ArenaSize(c.s); whole && size != free {
		c.Fail("%d of %d items are free", free, size)
	}
}

// see follows the generations by their events.
func (c *strangers) see(e scheduler.Event) {
	open, known := c.open[e.ID]
	if known && !open {
		c.Fail("after its end: %v", e)
	}
	c.open[e.ID] = e.State < scheduler.Done
	if e.State >= scheduler.Done && e.Label == "timeout" {
		c.timers++
	}
}

// checkEnds looks for the one end of each generation, in events and in Stats, when the scheduler is closed.
func (c *strangers) checkEnds() {
	for id, open := range c.open {
		if open {
			c.Fail("generation %d has no end", id)
		}
	}
	st := c.s.Stats()
	if ends := st.Done + st.Failed + st.Canceled - c.timers; ends != uint64(len(c.Deeds())) {
		c.Fail("%d generations have ended, of %d: %+v", ends, len(c.Deeds()), st)
	}
}
