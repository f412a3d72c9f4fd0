package load

import (
	"context"
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// headless is the loop of every mode when there is no window: one goroutine, absolute ticks. A frame that is still
// busy at its next tick starts at the tick after that, as with vertical sync.
//
// Run locks the goroutine to its thread in every mode. A locked goroutine needs an extra hand-over whenever its P was
// taken, but the naive modes missed fewer frames with the lock than without.
func headless(ctx context.Context, s *Session) {
	wait := newWaiter(s.cfg.Wait)
	interval := s.cfg.Interval
	next := deadline.Now()
	for {
		from := deadline.Now()
		next = nextTick(next, from, interval)
		wait(next)
		now := deadline.Now()
		s.meter.woke, s.meter.waited = max(0, now.Sub(next)), now.Sub(from)
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
