package frame

import (
	"fmt"
	"time"

	"github.com/frameslice/frameslice/frame/record"
)

// SetInterval changes Options.Interval, as where a player chooses a frame rate, and with it the target by which frames
// are judged, unless Options.Recorder has one of its own. 0 means 1/60 s again, and for a hosted loop that the
// host's period is measured anew; a Budget.Interval stays what it is. It holds for the frame in progress, at
// the latest from its End on: with Run and Options.Pace the next one begins d after it began. Between two frames it
// holds from the next one on.
//
// Any goroutine; some 10 ns. It panics for what New panics for. After Close it does nothing.
func (l *Loop) SetInterval(d time.Duration) {
	checkInterval("SetInterval to", d)
	if d == 0 {
		d = -1 // 0 is nothing
	}
	l.wanted.Store(int64(d))
}

// setInterval does what SetInterval has asked for. The frame goroutine, where the interval that is over has been
// judged.
func (l *Loop) setInterval() {
	if l.wanted.Load() == 0 {
		return
	}
	d := max(time.Duration(l.wanted.Swap(0)), 0)
	if !l.ownTarget {
		l.o.Recorder.Target = d
	}
	if l.o.Interval = d; d == 0 {
		l.o.Interval = record.DefaultInterval
	}
	p := newPeriod(l.o.Interval)
	if d > 0 {
		p.trust()
		p.limit = l.o.Pace
	}
	p.paced, p.free = l.period.paced, l.period.free // whether anything holds the host up has not changed
	l.period = p
	if l.pacer.interval > 0 {
		l.pacer.interval = l.o.Interval
	}
}

// target returns what a frame is to be judged by: see Options.Recorder.
func (l *Loop) target() time.Duration {
	if t := l.o.Recorder.Target; t > 0 {
		return t
	}
	return l.due()
}

// checkInterval panics if d is no interval. So few nanoseconds were meant as a rate, or as milliseconds.
func checkInterval(who string, d time.Duration) {
	if d == 0 || d >= leastInterval {
		return
	}
	hint := ""
	if d > 0 && d <= 1000 {
		hint = fmt.Sprintf(" (%[1]d times a second is time.Second / %[1]d, %[1]d ms is %[1]d * time.Millisecond)",
			int64(d))
	}
	panic(fmt.Sprintf("frame: %s %v, less than %v%s", who, d, leastInterval, hint))
}
