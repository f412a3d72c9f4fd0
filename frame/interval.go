package frame

import (
	"time"

	"github.com/frameslice/frameslice/internal/refresh"
)

// interval is the frame interval in force. In Run it is the time between ticks, although Budget.Interval may set the
// slices.
func (l *Loop) interval() time.Duration {
	switch {
	case l.running:
		return l.o.Interval
	case l.o.Budget.Interval > 0:
		return l.o.Budget.Interval
	}
	return l.period.Value()
}

// due is the interval that frames are judged by: the one in force, but never longer because of the frames' own work.
func (l *Loop) due() time.Duration {
	if l.measures() {
		return l.period.Shown()
	}
	return l.interval()
}

// measures reports whether the interval in force is the host's period as measured.
func (l *Loop) measures() bool { return !l.running && l.o.Budget.Interval <= 0 }

// gap returns the time above which a wait is a gap: Options.JumpAfter if that is set. Negative means no gaps.
func (l *Loop) gap() time.Duration {
	if limit := l.o.JumpAfter; limit != 0 {
		return limit
	}
	return max(gapLeast, gapIntervals*l.interval())
}

// setInterval does what SetInterval has asked for, once the interval that is over has been judged. Frame goroutine.
func (l *Loop) setInterval() {
	if l.wanted.Load() == 0 {
		return
	}
	d := max(time.Duration(l.wanted.Swap(0)), 0)
	if !l.ownTarget {
		l.o.Recorder.Target = d
	}
	if l.o.Interval = d; d == 0 {
		l.o.Interval = refresh.Default
	}
	p := refresh.New(l.o.Interval)
	if d > 0 {
		p.Trust(l.o.Pace)
	}
	p.PacedAs(&l.period) // the new interval does not change whether anything paces the host
	l.period = p
	if l.pacer.interval > 0 {
		l.pacer.interval = l.o.Interval
	}
}

// SetInterval changes Options.Interval from the next frame on. The Target of the records follows, unless
// Options.Recorder sets it. 0 means the default; a Budget.Interval stays. Any goroutine. It panics as New does.
func (l *Loop) SetInterval(d time.Duration) {
	checkInterval("SetInterval to", d)
	if d == 0 {
		d = -1 // 0 means no request
	}
	l.wanted.Store(int64(d))
}

// target returns the interval by which the recorder judges a frame: see Options.Recorder.
func (l *Loop) target() time.Duration {
	if t := l.o.Recorder.Target; t > 0 {
		return t
	}
	return l.due()
}
