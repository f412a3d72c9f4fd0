package workers

import (
	"sync/atomic"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/carrier"
	"github.com/frameslice/frameslice/internal/costs"
	"github.com/frameslice/frameslice/internal/regions"
)

// A ledger is a worker's own account of its runs, and of what they cost. The worker publishes it in seen from time to
// time. Runs on other goroutines have a ledger, too.
type ledger struct {
	seen   *seen // the worker's
	gauges *costs.Gauges[struct{}]
	meter  meter
	runs   uint64
	stolen uint64
	busy   int64 // ns within jobs

	// A stretch is a row of brief jobs that run untimed, from the reading of the clock before them to the one after.
	// One of them may be long once in a while. If the stretch is long, the worker does not know which one was, and all
	// kinds in it count as long.
	stretch uint32 // numbers stretches, from 1
	untimed bool   // there are jobs in the stretch
}

// seen is what other goroutines see of a worker's runs.
type seen struct {
	kind    atomic.Pointer[kind] // of what it runs
	started atomic.Int64         // when what it runs was begun, or 0
	clock   atomic.Int64         // when it last read the clock between two jobs, or 0: it sleeps
	runs    atomic.Uint64
	stolen  atomic.Uint64
	busy    atomic.Int64
	told    atomic.Int64 // the greatest WorkerStats.Busy that Stats has told: see busyAt
}

func (l *ledger) init(s *seen) { l.seen, l.stretch = s, 1 }

// gaugeOf returns the worker's own estimate of the kind of it.
func (l *ledger) gaugeOf(ks *kinds, it item) *gauge {
	label, code := identify(it)
	return l.gauges.Find(&ks.Table, label, code)
}

// clockIn says that the worker has begun what others may see: see Stats and Close.
func (l *ledger) clockIn(now deadline.Instant) { l.seen.started.Store(int64(now)) }

// clockOut undoes clockIn, if need be, and returns the time in between.
func (l *ledger) clockOut(now deadline.Instant) (d time.Duration) {
	if at := l.seen.begun(); at != 0 {
		l.seen.started.Store(0)
		d = now.Sub(at)
		l.busy += int64(d)
	}
	return d
}

// endTimed publishes the account after a run that was timed. The runs of the kind that will not be timed count on
// credit.
func (l *ledger) endTimed(g *gauge, now deadline.Instant) {
	l.busy += int64(g.Skip) * int64(g.Mean())
	l.publish()
	l.seen.clock.Store(int64(now))
}

func (l *ledger) publish() {
	l.seen.runs.Store(l.runs)
	l.seen.stolen.Store(l.stolen)
	l.seen.busy.Store(l.busy)
}

// goUntimed adds a job that has begun to the stretch.
func (l *ledger) goUntimed(g *gauge) {
	if l.seen.clock.Load() == 0 {
		l.seen.clock.Store(int64(deadline.Now()))
	}
	g.Stretch, l.untimed = l.stretch, true
}

// endStretch ends the stretch, if there is one. The caller stores the clock next.
func (l *ledger) endStretch(now deadline.Instant) {
	if !l.untimed {
		return
	}
	l.untimed = false
	if d := now.Sub(deadline.Instant(l.seen.clock.Load())); d > longStretch {
		_, latest := l.meter.judge(d, now)
		for g := range l.gauges.Of(l.stretch) {
			g.Kind.Latest.Note(latest)
		}
	}
	l.stretch++
}

// breakStretch ends the stretch because the worker is going to wait, or to do something else than jobs.
func (l *ledger) breakStretch() {
	if l.seen.clock.Load() == 0 {
		return
	}
	if l.untimed {
		l.endStretch(deadline.Now())
	}
	l.seen.clock.Store(0)
	l.meter.forget()
}

// begun returns when what the worker runs was begun, or 0.
func (s *seen) begun() deadline.Instant { return deadline.Instant(s.started.Load()) }

// isLonger reports whether the worker has been with a job of kind k, the latest of an untimed stretch included, for
// longer than d.
func (s *seen) isLonger(k *kind, d time.Duration, now deadline.Instant) bool {
	if s.kind.Load() != k {
		return false
	}
	since := s.begun()
	if since == 0 {
		since = deadline.Instant(s.clock.Load())
	}
	return since != 0 && now.Sub(since) > d
}

// busyAt returns how long the worker has been within jobs, and whether it is within one. now was read before.
//
// The worker first clears started, and then counts the time of the job that has ended, at once or some jobs later. A
// look in between finds less than the look before. So told keeps the most that anybody was told, and nobody is told
// less. By the order of the two loads no job counts twice. And now is in the past, so no time counts that the worker
// has yet to spend. Otherwise a value that is too great would stay for a long time.
func (s *seen) busyAt(now deadline.Instant) (busy time.Duration, running bool) {
	n := s.busy.Load()
	at := s.started.Load() // after busy
	if at != 0 {
		n += int64(max(now.Sub(deadline.Instant(at)), 0))
	}
	for {
		told := s.told.Load()
		if n <= told {
			return time.Duration(told), at != 0
		}
		if s.told.CompareAndSwap(told, n) {
			return time.Duration(n), at != 0
		}
	}
}

// trace begins a region for the run of an item while a trace is taken (runtime/trace).
func (w *Worker) trace(it item) (r regions.Region) {
	if regions.On() {
		r = w.names.Begin(regions.Job, w.pool.kinds.nameOf(it))
	}
	return r
}

// learn notes a run of it, or a turn, from begin to end: what it cost, and what the profile says.
func (w *Worker) learn(g *gauge, it item, begin, end deadline.Instant, cost time.Duration, out carrier.Outcome) {
	g.Observe(cost)
	if w.profiler == nil {
		return
	}
	w.profiler.keepRun(w, g, it, begin, end)
	switch out {
	case carrier.Returned:
		g.Kind.Count(end.Sub(begin), 1)
	case carrier.Suspended:
		g.Kind.Count(end.Sub(begin), 0)
	}
}
