package scheduler_test

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// The table of S30: what may follow an event, for each kind of work.
var (
	plainLife = map[scheduler.EventKind]string{
		scheduler.EventQueued:  "started canceled",
		scheduler.EventStarted: "done failed",
	}
	stepLife = map[scheduler.EventKind]string{
		scheduler.EventQueued:  "started canceled",
		scheduler.EventStarted: "yielded done failed canceled",
		scheduler.EventYielded: "started canceled",
	}
	follows = [...]map[scheduler.EventKind]string{
		scheduler.WorkFunc: plainLife, scheduler.WorkIdle: plainLife, scheduler.WorkOnce: plainLife,
		scheduler.WorkMicrotask: plainLife, scheduler.WorkStep: stepLife, scheduler.WorkPeriodic: stepLife,
		scheduler.WorkEach: {
			scheduler.EventQueued:  "started canceled",
			scheduler.EventStarted: "yielded failed canceled",
			scheduler.EventYielded: "started canceled",
		},
		scheduler.WorkCo: {
			scheduler.EventQueued:  "started canceled",
			scheduler.EventStarted: "yielded parked done failed canceled",
			scheduler.EventYielded: "started",
			scheduler.EventParked:  "started",
		},
	}
)

// lives checks that events are as S30 says.
type lives struct {
	last   map[uint64]scheduler.Event // of lives that have not ended
	ended  map[uint64]bool
	open   uint64        // whose run is open; 0 if nobody's
	away   time.Duration // in Nests of the open run
	count  map[scheduler.EventKind]int
	at     int64
	first  error
	log    []string
	unread int // lives with one event, Canceled
}

// watchLives makes the options tell of all events. Call end after Close.
func watchLives(o *scheduler.Options) *lives {
	l := &lives{
		last: map[uint64]scheduler.Event{}, ended: map[uint64]bool{}, count: map[scheduler.EventKind]int{},
		at: -1 << 63,
	}
	o.Trace = &scheduler.Trace{
		Queued: l.see, Started: l.see, Yielded: l.see, Parked: l.see, Done: l.see, Failed: l.see, Canceled: l.see,
	}
	return l
}

func (l *lives) fail(e scheduler.Event, format string, args ...any) {
	if l.first == nil {
		l.first = fmt.Errorf("%s\nthe last is of %v: %s", strings.Join(l.log, "\n"), e.Work,
			fmt.Sprintf(format, args...))
	}
}

func (l *lives) see(e scheduler.Event) {
	l.count[e.Kind]++
	l.log = append(l.log, fmt.Sprintf("%v %d %v", time.Duration(e.At), e.ID&(1<<63-1), e))
	before, known := l.last[e.ID]
	switch {
	case l.ended[e.ID]:
		l.fail(e, "it has ended")
	case !known && e.Kind == scheduler.EventCanceled:
		l.unread++
	case !known && e.Kind != scheduler.EventQueued:
		l.fail(e, "it has not begun")
	case known && !slices.Contains(strings.Fields(follows[e.Work][before.Kind]), e.Kind.String()):
		l.fail(e, "after %v", before.Kind)
	case known && before.Work != e.Work:
		l.fail(e, "it was %v", before.Work)
	}
	if int64(e.At) < l.at {
		l.fail(e, "before the last event")
	}
	l.at = int64(e.At)
	l.times(e, before)
	l.last[e.ID] = e
	if e.Kind >= scheduler.EventDone {
		delete(l.last, e.ID)
		l.ended[e.ID] = true
	}
}

// times checks what an event says of times, and that runs do not overlap.
func (l *lives) times(e, before scheduler.Event) {
	ends := before.Kind == scheduler.EventStarted && e.Kind > scheduler.EventStarted
	switch {
	case e.Kind == scheduler.EventStarted && l.open != 0:
		l.fail(e, "a run of %d is open", l.open)
	case ends && l.open != e.ID:
		l.fail(e, "its run is not open")
	case ends && e.Ran != e.At.Sub(before.At)-l.away, !ends && e.Ran != 0:
		l.fail(e, "ran %v of %v, away for %v", e.Ran, e.At.Sub(before.At), l.away)
	case before.Kind == scheduler.EventQueued && e.Waited >= 0: // a delay may have passed before it was read of
	case e.Waited < 0 || e.Waited > 0 && e.Waited > e.At.Sub(before.At) && e.Work != scheduler.WorkOnce:
		l.fail(e, "waited for %v, and the event before was %v ago", e.Waited, e.At.Sub(before.At))
	}
	switch {
	case e.Kind == scheduler.EventStarted:
		l.open, l.away = e.ID, 0
	case ends:
		l.open = 0
	}
}

// nest runs f within a Nest: runs in f lie in the open run like brackets, and the time of f is not the run's.
func (l *lives) nest(s *scheduler.Scheduler, now *deadline.Instant, f func()) {
	open, away, begun := l.open, l.away, *now
	l.open = 0
	defer func() { l.open, l.away = open, away+now.Sub(begun) }()
	s.Nest(f)
}

// end returns what was wrong, after Close.
func (l *lives) end() error {
	if l.first == nil && len(l.last) > 0 {
		return fmt.Errorf("no end of %v", l.last)
	}
	return l.first
}

// watchSome is watchLives in half of the cases: with events and without them a scheduler takes different ways.
func watchSome(t *rapid.T, o *scheduler.Options) *lives {
	if rapid.Bool().Draw(t, "events") {
		return watchLives(o)
	}
	return &lives{}
}
