package frame

import (
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/internal/bridge"
	"github.com/frameslice/frameslice/internal/regions"
	"github.com/frameslice/frameslice/scheduler"
)

// slice is what one frame's slice was granted and did.
type slice struct {
	begin, until, end             deadline.Instant
	ran, expired, deferred, ready int
	jobs                          int  // that have ended
	turns                         bool // a job ran, to its end or until it yielded
	draw                          bool // RequestDraw ended it
	ranTooLong                    bool // something ran in it that was known not to fit
	worstLabel                    string
	worstCost                     time.Duration
	worstJob                      string
	worstJobCost                  time.Duration
	late                          time.Duration // PlaceShadow: how long it continued after Begin asked for its end
	taken                         record.Taken  // by the system
}

// runSlice grants the frame's slice and runs it here, or hands it to the shadow.
func (l *Loop) runSlice() {
	l.tempo.adopt() // the game's own work may have changed it
	now := deadline.Now()
	l.now.SliceBegin = now
	l.endOwn(now)
	l.idle.frame(now.Add(l.tempo.interval() / 2)) // with PlaceFirst tasks pay for the collection, and not the own work
	if !l.home.placeKnown() {
		l.home.settlePlace(false)
		now = deadline.Now()
	}
	if l.shadow == nil {
		until := l.grant(now)
		if l.o.slicesFirst() && l.budget.follows.High() == 0 || // nobody knows yet what the own work takes
			l.budget.skips(now, l.now.Flags&record.Loading != 0) && !bridge.Of(l.sched).Presses() {
			l.slice.begin, l.slice.until, l.slice.end, l.slice.ready = now, now, now, 1
			return
		}
		l.drain(now, until, nil)
		return
	}
	defer func() { // deferred: a task of the host's may panic through, and the other tasks still get their slice
		now := deadline.Now()
		until := l.grant(now)
		l.shadow.hand(now, until, l.budget.least)
	}()
	if l.host != l.sched {
		if regions.On() {
			r := l.meter.Begin(regions.Slice, "")
			defer r.End()
		}
		l.host.RunUntil(deadline.At(now.Add(l.tempo.interval() / 8)))
	}
}

// drain runs tasks until the deadline or until none is left, then jobs that fit. It continues with the tasks that the
// jobs have brought, until the deadline or until nothing is left. stop, if not nil, ends it early.
//
// Tasks go first, as they can run nowhere else. If the pool has no worker, jobs get the first half of the slice in
// every other frame. Otherwise an endless supply of tasks would starve them.
func (l *Loop) drain(now, until deadline.Instant, stop func() bool) {
	s := &l.slice
	d := deadline.At(until)
	s.begin, s.until = now, until
	defer l.endSystem()
	defer s.close() // deferred: a task may panic through
	l.beginSystem(now)
	if regions.On() {
		r := l.sliceMeter.Begin(regions.Slice, "")
		defer r.End()
	}
	if l.jobs.noWorkers {
		if l.now.Number&1 == 0 && (l.jobs.stats.Background == 0 || l.jobs.unserved()) {
			l.jobs.run(s, deadline.At(now.Add(until.Sub(now)/2)))
		}
		defer func() { l.jobs.feed(s, l.budget.short == shortControl) }()
	}
	for {
		s.add(l.sched.RunUntil(d)) // stop ends it, too: see newShadow
		if s.draw {
			return
		}
		if (l.o.WorkersOnly || l.contends.on) && !l.jobs.noWorkers || l.gate.isClosing() || stop != nil && stop() {
			return
		}
		n := l.jobs.run(s, l.jobs.until(s, d, l.budget.hosted.value))
		if n == 0 || !s.roomy(d) || stop != nil && stop() {
			return
		}
	}
}

// roomy reports whether d leaves room for one more task like the longest of the slice. Each call of the scheduler
// starts at least one task, fitting or not. The frame's first call may overrun, which keeps tasks from starving.
// Another call must not overrun too.
func (s *slice) roomy(d deadline.Deadline) bool {
	return d.Remaining() > max(s.worstCost, leastRoom)
}

// works reports whether tasks or jobs ran.
func (s *slice) works() bool { return s.ran > 0 || s.turns }

// informs reports whether the slice says something about the reserve: it worked up to where the reserve began. A slice
// that began later, and had only the floor, informs only without a miss: the miss would have come anyway. The same
// holds for a slice that ran work known not to fit. Where the host is late without work, no reserve helps.
func (s *slice) informs(b *budget, missed bool) bool {
	return !b.host.slow && s.works() && s.end >= b.edge.Add(-nearEdge) &&
		(!missed || !s.ranTooLong && s.begin < b.edge)
}

// add adds what one call of the scheduler did.
func (s *slice) add(r scheduler.Result) {
	s.ran += r.Ran
	s.expired += r.Expired
	s.deferred, s.ready, s.draw = r.Deferred, r.Ready, r.Draw
	s.ranTooLong = s.ranTooLong || r.TooBig > 0
	if r.Worst.Cost > s.worstCost {
		s.worstLabel, s.worstCost = r.Worst.Label, r.Worst.Cost
	}
}

// close notes the end.
func (s *slice) close() { s.end = deadline.Now() }

// record completes the frame's record with what its slice did. The baton's holder only.
func (l *Loop) record(r *record.Record) {
	s := &l.slice
	r.Flags |= record.Sliced
	if l.shadow != nil {
		r.Flags |= record.Shadowed
	}
	if l.budget.shares {
		r.Flags |= record.BelowRate
	}
	r.SliceBegin, r.SliceDeadline, r.SliceEnd = s.begin, s.until, s.end
	r.Ran, r.Expired, r.Deferred = uint64(s.ran), uint64(s.expired), uint64(s.deferred)
	r.JobsInSlice, r.Ready = uint64(s.jobs), int32(s.ready)
	r.WorstLabel, r.WorstCost, r.System.Slice = s.worstLabel, s.worstCost, s.taken
	r.WorstJob, r.WorstJobCost = s.worstJob, s.worstJobCost
	if l.budget.short == "" && s.ready > 0 && s.until.Sub(s.end) > s.until.Sub(s.begin)/2 {
		l.budget.short = shortTasks
	}
	st := l.sched.Stats()
	for _, n := range st.Delayed {
		r.Delayed += int32(n)
	}
	r.Canceled = uint64(st.Canceled - l.canceled)
	r.HandedBack = uint64(st.Resumed - l.resumed)
	l.canceled, l.resumed = st.Canceled, st.Resumed
	for _, n := range l.jobs.stats.Queued {
		r.Queued += int32(n)
	}
	l.pressure.observe(r, l.tempo.due())
	l.contends.observe(r)
}

// endShadowRecord ends the record of a frame whose slice lay in the shadow, once the baton is back.
func (l *Loop) endShadowRecord(late time.Duration) {
	l.slice.late = late
	if l.last.pending {
		l.last.pending = false
		l.record(&l.now)
		l.rec.Add(l.now)
	}
}

// takeBack ends a slice in the shadow, between frames.
func (l *Loop) takeBack() {
	if l.shadow != nil {
		l.watch.begin(deadline.Now())
		_, late := l.shadow.take()
		l.endShadowRecord(late)
		l.watch.end()
	}
}
