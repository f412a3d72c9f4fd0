package load

import (
	"context"
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// headless is the loop of every mode when there is no window: one goroutine, absolute ticks. A frame that is
// still busy at its next tick starts at the tick after that, as a swap with vertical sync would have it.
//
// The goroutine is not locked to a thread: neither is Ebitengine's, and a locked one costs an extra hand-over
// whenever its P was taken, which would count against the naive modes.
func headless(ctx context.Context, s *Session) {
	wait, done := newWaiter(s.cfg.Wait)
	defer done()
	interval := s.cfg.Interval
	next := deadline.Now()
	for {
		next = nextTick(next, deadline.Now(), interval)
		wait(next)
		s.log.woke = max(0, deadline.Now().Sub(next))
		if ctx.Err() != nil {
			s.Interrupt()
		}
		if !s.Begin() {
			return
		}
		s.Work()
		s.End()
	}
}

// nextTick returns the first tick after now on the grid that last belongs to, and never last itself.
func nextTick(last, now deadline.Instant, interval time.Duration) deadline.Instant {
	n := max(now.Sub(last)/interval+1, 1)
	return last.Add(n * interval)
}

// timerWait waits on a Go timer, which the Go scheduler has to find and to run.
func timerWait(t deadline.Instant) {
	if d := t.Sub(deadline.Now()); d > 0 {
		time.Sleep(d)
	}
}
