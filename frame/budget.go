package frame

import (
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/internal/costs"
)

// budget decides the deadline of each slice, and is the only place that does. (runSlice may leave a slice out, and
// sliceOver in package scheduler has what ends one earlier.) These are the cases of end, as lengths from now, where fit
// = base + interval - reserve - follows - now, at least Budget.Floor. base is when Begin was called, or with Run or
// Pace when the tick was due, or in a browser the refresh:
//
//	the host keeps up          fit
//	its period is measured     fit, or a small slice
//	a control                  fit, at most controlSlice
//	late without any work      the greater of fit and least, + dose    where a display or the loop holds frames up
//	                           least                                   where nothing does
//	in the shadow              fit with follows = 0; late without any work at least least, and interval at least rest
//
//	least = share + owed; where nothing holds frames up at least freeMost of an interval, or fit if that is less and
//	the frame is not late yet: see leastBeside
//
// Budget.Max limits every case.
//
// Each part is there for a reason:
//
//   - The reserve is for the host's work after the slice, which nobody can measure: see reserve.go.
//   - follows is what the frame itself does between its slice and End, as learned. With PlaceFirst that is all its own
//     work.
//   - While the display's period is being measured, some slices are small: see internal/refresh.
//   - The share is the counterweight of all these, which only ever take. It is an eighth of the time that passes. A
//     host that is late without any work is not faster for it if the work gets nothing: see baseline.go.
//   - owed is what the work lacks of earlier shares, because of a control or of tasks that did not fit.
//   - The dose is what is best beside such a host, by experience: see dose.go.
//   - The control is a small slice that shows whether the host is late without work.
//   - In the shadow the host comes back as late as it does without work, after rest, so the slice has that long.
//
// Which tasks may run in the slice is another question: see internal/hostcost and package scheduler.
type budget struct {
	hosted  reserve        // for the host's work after the slice
	own     reserve        // for frames in which the loop itself waits
	follows costs.Estimate // from the end of the slice to End: with PlaceFirst the own work
	host    baseline       // the host's frames without work
	doses   doses          // beside a host that is late without work
	owed    time.Duration  // by which the work had less than its share
	offered bool           // the slice of the frame before was at least the default share of that frame

	// The frame in progress.
	edge   deadline.Instant // where the reserve begins; 0 if there was no budget but the floor
	short  string           // why the slice is shorter than the frame allows
	shares bool             // the slice is the share of work
	least  time.Duration    // in the shadow: what the next Begin leaves to the slice; 0 for as little as it can
}

func newBudget() budget {
	return budget{hosted: newReserve(hostControl()), own: newReserve(ownControl)}
}

// A sliceCall is what the loop knows when a slice begins.
type sliceCall struct {
	now, base deadline.Instant
	o         deadline.Budget // with the interval in force
	reserve   *reserve
	due       time.Duration // the display's period
	paced     bool          // the loop itself waits for its next tick
	beside    bool          // the slice runs beside the host, and so does what follows
	most      time.Duration // so that the display's period can be measured; 0 for no limit
	loading   bool          // the frame is marked so
	part      float64       // of the time, for the work of a host that is late without it
}

// The texts of Stats.Short.
const (
	shortLate    = "the frame is late"
	shortRate    = "the display's refresh rate is being measured"
	shortControl = "a small slice shows whether frames are late without work, too"
	shortEighth  = "below the display's rate: work has an eighth of the time"
	shortHalf    = "below the display's rate: work has half of the time while loading"
	shortOther   = "below the display's rate: work has its share of the time"
	shortTasks   = "the tasks that wait are too long, or leave the host too much work"
)

// shortShare is the text for a slice that is the share of work.
func shortShare(part float64) string {
	switch part {
	case defaultShare:
		return shortEighth
	case loadingShare:
		return shortHalf
	}
	return shortOther
}

// end returns when the slice ends.
func (b *budget) end(c sliceCall) deadline.Instant {
	left := b.fit(&c)
	b.shares, b.least = false, 0
	switch lags := b.host.lags(c.loading) && c.part > 0; {
	case c.beside && lags && b.host.control == 0:
		b.least = b.leastBeside(&c, left)
		if left < b.least {
			left, b.short, b.shares = b.least, shortShare(c.part), true
		}
	case c.beside: // also in a control, as Begin leaves the slice as little as it can
	case b.host.control > 0:
		left, b.short = min(left, controlSlice), shortControl
	case lags:
		left, b.short, b.shares = b.shared(&c, left), shortShare(c.part), true
	}
	if c.o.Max > 0 {
		left = min(left, c.o.Max)
	}
	return c.now.Add(left)
}

// fit returns what the frame has left for the slice, at least the floor.
func (b *budget) fit(c *sliceCall) time.Duration {
	follows := b.follows.High()
	if c.beside {
		follows = 0
		if b.host.lags(c.loading) { // the host comes back that late
			c.o.Interval = max(c.o.Interval, b.host.rest)
		}
	}
	if c.o.Reserve == 0 {
		c.o.Reserve = c.reserve.value
	}
	b.edge = c.base.Add(c.o.Interval - max(c.o.Reserve, 0) - follows)
	until, _ := c.o.Slice(c.base, c.now, follows).Instant()
	left := until.Sub(c.now)
	if b.short = ""; b.edge < until {
		b.short = shortLate
	}
	if c.most > 0 && c.most < left && !c.beside {
		left, b.short = c.most, shortRate
	}
	return left
}

// shared returns the slice beside a host that is late without any work, in place of fit. If a display holds the host's
// frames up, a dose comes on top.
func (b *budget) shared(c *sliceCall, fit time.Duration) time.Duration {
	left := b.leastBeside(c, fit)
	if c.paced || !b.host.free() {
		left = max(left, fit) + b.doses.nextDose(c.due)
	}
	return left
}

// leastBeside returns the least slice beside a host that is late without any work: the share of work, and what the work
// lacks of earlier shares. If no display holds the host's frames up, each ms of work makes the frame longer by a ms.
// Then the slice is freeMost of an interval, but only what fits if the frame is not late yet, unless the share is more.
// A frame that is late before its slice begins has all of freeMost, because smaller slices would make more frames late.
func (b *budget) leastBeside(c *sliceCall, fit time.Duration) time.Duration {
	least := b.host.share(c.part) + b.owed
	if !c.paced && b.host.free() {
		most := time.Duration(freeMost * float64(c.due))
		if c.now.Sub(c.base)+b.follows.High() < c.due {
			most = min(most, fit)
		}
		least = max(least, most)
	}
	return least
}

// workShare returns the part of the time that work gets at least where the host is late without it, in a frame that is
// marked Loading or not.
func workShare(o *deadline.Budget, loading bool) float64 {
	part := o.Share
	if part == 0 {
		part = defaultShare
	}
	if part > 0 && loading {
		part = max(part, loadingShare)
	}
	return part
}

// skips reports whether the frame may leave the work out: its own work has left no time, so that any task makes it
// late, and the frame before has offered work its share. So of two frames in a row one has a slice.
func (b *budget) skips(now deadline.Instant, loading bool) bool {
	return !b.host.lags(loading) && b.host.control == 0 && now >= b.edge && b.offered
}

// account takes the time that a frame has given to the work, if more work waited. Time that the work lacks is made up
// for, so that controls, and tasks that did not fit, do not take its share. due is the display's period.
func (b *budget) account(interval, granted, used, due time.Duration, part float64, waited, loading bool) {
	b.offered = granted >= time.Duration(defaultShare*float64(interval))
	if !b.host.lags(loading) || part <= 0 || !waited {
		b.owed = 0
		return
	}
	share := b.host.share(part)
	b.owed = min(max(b.owed+time.Duration(part*shareMargin*float64(interval))-used, 0), 2*share)
	if b.host.control == 0 {
		b.doses.respond(used, interval, due, b.host.alone)
	}
}

// grant returns when a slice that begins now ends.
func (l *Loop) grant(now deadline.Instant) deadline.Instant {
	loading := l.now.Flags&record.Loading != 0
	c := sliceCall{
		now: now, base: l.base, o: l.o.Budget, reserve: &l.budget.hosted, beside: l.shadow != nil,
		part: workShare(&l.o.Budget, loading), loading: loading, due: l.tempo.due(), paced: l.tempo.waits(),
	}
	p := l.tempo.interval()
	if c.o.Interval <= 0 || !l.tempo.running { // in Run, Budget.Interval sets the slices and Run's the ticks
		c.o.Interval = p
	}
	switch {
	case l.shadow != nil:
	case l.tempo.running:
		c.reserve = &l.budget.own
	case l.tempo.pacing:
		c.reserve = &l.budget.own
		c.base = l.tempo.pacer.due().Add(-p)
	}
	if l.tempo.measures() && !l.tempo.pacing {
		c.most = l.tempo.period.SliceCap()
	}
	return l.budget.end(c)
}
