package frame

import (
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// pacer starts frames on the ticks of a grid: tick 0 when it was started, and one every interval from
// there. Ticks are absolute, so lateness does not add up.
//
// A frame that is late by less than half an interval starts at once and stands for the tick that it missed:
// nobody waits for a display here, and throwing 16 ms away for a lateness of 1 would be the worse hitch. A
// later one starts at the next tick. Whole ticks that passed are skipped, never caught up with: two frames
// in a row after a late one would show the same world twice. So it is too if the wait itself ends that late, as
// on a busy machine: the frame starts, as waiting on would help nobody, and stands for the next tick.
type pacer struct {
	waiter
	interval time.Duration
	tick     deadline.Instant // the tick of the frame in progress
	skipped  uint64           // ticks for which no frame began
	woke     time.Duration    // how long after its tick the last wait ended; 0 if there was nothing to wait for
	waited   time.Duration    // how long the last wait was
}

// start sets tick 0 to now.
func (p *pacer) start(now deadline.Instant, interval time.Duration) {
	p.tick, p.interval, p.woke, p.waited = now, interval, 0, 0
}

// due returns the next tick.
func (p *pacer) due() deadline.Instant { return p.tick.Add(p.interval) }

// advance moves on to the tick for which the next frame starts, given the time; it may lie before now.
func (p *pacer) advance(now deadline.Instant) {
	p.tick = p.due()
	p.skip(now)
}

// skip moves on over the ticks that the frame of this one is too late for.
func (p *pacer) skip(now deadline.Instant) {
	late := now.Sub(p.tick)
	if late <= 0 {
		return
	}
	whole := late / p.interval
	if late%p.interval >= p.interval/2 {
		whole++
	}
	p.tick = p.tick.Add(whole * p.interval)
	p.skipped += uint64(whole)
}

// next waits for the next frame's tick, and returns false if done or stop was closed before.
func (p *pacer) next(done <-chan struct{}) bool {
	from := deadline.Now()
	p.advance(from)
	waits := from.Before(p.tick)
	if p.woke = 0; !p.until(p.tick, done) {
		return false
	}
	now := deadline.Now()
	p.waited = now.Sub(from)
	if waits {
		p.woke = now.Sub(p.tick)
	}
	p.skip(now)
	return true
}

// waiter waits for an instant.
type waiter struct {
	timer *time.Timer
	kind  Wait
	sys   sysWait
	stop  <-chan struct{} // closed by Loop.Stop
}

// longestSleep is the longest wait in a system call, which nothing interrupts: the interval of 60 Hz, and some more.
const longestSleep = 20 * time.Millisecond

func (w *waiter) init(kind Wait, stop <-chan struct{}) {
	w.kind, w.stop = kind, stop
	w.timer = time.NewTimer(0)
	w.timer.Stop()
}

// until waits for an instant; it returns false if done or stop was closed instead.
func (w *waiter) until(at deadline.Instant, done <-chan struct{}) bool {
	for now := deadline.Now(); now.Before(at); now = deadline.Now() {
		left := at.Sub(now)
		switch {
		case w.kind != WaitSyscall:
		case left > longestSleep:
			left -= longestSleep / 2 // the timer is late by less
		case w.sys.until(now, at) && !deadline.Now().Before(at):
			return true
		default:
			// The system call is not granted, or this is a bubble of testing/synctest, whose time stands still while a
			// thread sleeps. (There New has chosen WaitTimer.)
			left = at.Sub(deadline.Now())
		}
		w.timer.Reset(left)
		select {
		case <-w.timer.C:
			continue
		case <-done:
		case <-w.stop:
		}
		w.timer.Stop()
		return false
	}
	return true
}
