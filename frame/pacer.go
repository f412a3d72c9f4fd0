package frame

import (
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/bubble"
)

// pacer starts frames on the ticks of a grid: tick 0 when it was started, and one every interval from there. Ticks are
// absolute, so lateness does not add up.
//
// A frame that is late by less than half an interval starts at once, and stands for the tick that it missed. To wait 16
// ms for a lateness of 1 ms would be the worse hitch. A later frame starts at the next tick. The pacer never catches up
// with whole ticks that have passed: two frames in a row after a late one would show the same world twice. If the wait
// itself ends that late, the frame starts, and stands for the next tick.
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

// advance moves on to the tick for which the next frame starts. It may lie before now.
func (p *pacer) advance(now deadline.Instant) {
	p.tick = p.due()
	p.skip(now)
}

// skip moves on over the ticks that are more than half an interval ago.
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

// waitForTick waits for the next frame's tick, and returns false if done or stop was closed before.
func (p *pacer) waitForTick(done <-chan struct{}) bool {
	from := deadline.Now()
	p.advance(from)
	waits := from < p.tick
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

// waitsBy says what the frames wait for, for the environment of a report.
func (p *pacer) waitsBy() string {
	switch {
	case p.interval == 0: // neither Run nor Options.Pace has started it
		return "host"
	case p.virtual || !sleeps:
		return "timer"
	}
	return "syscall"
}

// waiter waits for an instant.
type waiter struct {
	timer   *time.Timer
	virtual bool // in a testing/synctest bubble, whose time stands still while a thread sleeps
	sys     sysWait
	stop    <-chan struct{} // closed by Loop.Stop
}

func (w *waiter) init(stop <-chan struct{}) {
	w.virtual, w.stop = bubble.Here(), stop
	w.timer = time.NewTimer(0)
	w.timer.Stop()
}

// until waits for an instant; it returns false if done or stop was closed instead.
func (w *waiter) until(at deadline.Instant, done <-chan struct{}) bool {
	for now := deadline.Now(); now < at; now = deadline.Now() {
		left := at.Sub(now)
		switch {
		case w.virtual:
		case left > longestSleep:
			left -= longestSleep / 2 // the timer is late by less
		case w.sys.until(now, at) && deadline.Now() >= at:
			return true
		default:
			left = at.Sub(deadline.Now()) // the system call did not sleep
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
