package frame

import (
	"sync/atomic"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/refresh"
)

// tempo is when frames come: the interval in force, what was measured of the display's period, and the pacer where the
// loop itself waits for the next frame. The frame goroutine's, except for wanted.
type tempo struct {
	given  time.Duration // Options.Interval, with its default; SetInterval changes it
	sliced time.Duration // Options.Budget.Interval: it stays, and sets the slices; 0 or less for none
	judged time.Duration // Options.Recorder.Target: 0 for what was measured
	fixed  bool          // the program has set Options.Recorder.Target, so that it does not follow the interval
	paces  bool          // Options.Pace

	period  refresh.Period
	grid    refresh.Grid
	wanted  atomic.Int64 // what SetInterval has asked for, 0 for nothing, negative for the default
	running bool         // Run drives the loop
	pacing  bool         // Options.Pace, and nothing else keeps the host to its interval
	pacer   pacer
}

// init sets the tempo by options without defaults.
func (t *tempo) init(o *Options) {
	t.sliced, t.paces = o.Budget.Interval, o.Pace
	t.judged, t.fixed = o.Recorder.Target, o.Recorder.Target > 0
	t.set(o.Interval)
}

// set changes the interval that the program gives; 0 means the default.
func (t *tempo) set(d time.Duration) {
	if !t.fixed {
		t.judged = d
	}
	if t.given = d; d == 0 {
		t.given = refresh.Default
	}
	t.period = refresh.New(t.given)
	if d > 0 {
		t.period.Trust(t.paces)
	}
}

// ask has adopt change the interval. Any goroutine.
func (t *tempo) ask(d time.Duration) {
	if d == 0 {
		d = -1 // 0 means no request
	}
	t.wanted.Store(int64(d))
}

// adopt does what ask has asked for, once the interval that is over has been judged.
func (t *tempo) adopt() {
	if t.wanted.Load() == 0 {
		return
	}
	before := t.period
	t.set(max(time.Duration(t.wanted.Swap(0)), 0))
	t.period.PacedAs(&before) // the new interval does not change whether anything paces the host
	if t.pacer.interval > 0 {
		t.pacer.interval = t.given
	}
}

// interval is the frame interval in force. In Run it is the time between ticks, although Budget.Interval may set the
// slices.
func (t *tempo) interval() time.Duration {
	switch {
	case t.running:
		return t.given
	case t.sliced > 0:
		return t.sliced
	}
	return t.period.Value()
}

// due is the interval that frames are judged by: the one in force, but never longer because of the frames' own work.
func (t *tempo) due() time.Duration {
	if t.measures() {
		return t.period.Shown()
	}
	return t.interval()
}

// target returns the interval by which the recorder judges a frame: see Options.Recorder.
func (t *tempo) target() time.Duration {
	if t.judged > 0 {
		return t.judged
	}
	return t.due()
}

// measures reports whether the interval in force is the host's period as measured.
func (t *tempo) measures() bool { return !t.running && t.sliced <= 0 }

// waits reports whether the loop itself waits for the next frame.
func (t *tempo) waits() bool { return t.running || t.pacing }

// pace turns the loop's own pacing of a hosted frame on while nothing else paces it, and off again.
func (t *tempo) pace(now deadline.Instant) {
	want := t.paces && !t.period.Paced()
	if want && !t.pacing {
		t.pacer.start(now, t.given)
	}
	t.pacing = want
}

// restart has the ticks of Options.Pace begin at now: none was skipped in the time before.
func (t *tempo) restart(now deadline.Instant) {
	if t.pacing {
		t.pacer.start(now, t.pacer.interval)
	}
}

// expected returns when the next frame counts as late, and for how long the pool is to stand back then: 0 if nothing
// paces the frames. After half an interval the display does not show the frame in time anyway.
func (t *tempo) expected(now deadline.Instant) (late deadline.Instant, trail time.Duration) {
	interval := t.interval()
	switch {
	case t.waits():
		late = max(t.pacer.due(), now)
	case t.period.Paced() && t.period.Known():
		late = t.grid.Next(now, interval)
	default:
		return 0, 0
	}
	return late.Add(interval / lateGrace), interval / 2
}

// SetInterval changes Options.Interval from the next frame on. The Target of the records follows, unless
// Options.Recorder sets it. 0 means the default; a Budget.Interval stays. Any goroutine. It panics as New does.
func (l *Loop) SetInterval(d time.Duration) {
	checkInterval("SetInterval to", d)
	l.tempo.ask(d)
}
