package scheduler_test

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"

	"github.com/frameslice/frameslice/scheduler"
)

// The table of S30: what may follow an event, for each kind of work. Queued is yielded if a run has ended with it.
var (
	plainGeneration = map[string]string{
		"queued":  "running canceled",
		"running": "done failed",
	}
	stepGeneration = map[string]string{
		"queued":  "running canceled",
		"running": "yielded done failed canceled",
		"yielded": "running canceled",
	}
	eachGeneration = map[string]string{
		"queued":  "running canceled",
		"running": "yielded failed canceled",
		"yielded": "running canceled",
	}
	coGeneration = map[string]string{
		"queued":    "running canceled",
		"running":   "yielded suspended done failed canceled",
		"yielded":   "running",
		"suspended": "running",
	}
	follows = map[string]map[string]string{
		"function": plainGeneration, "idle": plainGeneration, "once": plainGeneration, "microtask": plainGeneration,
		"steps": stepGeneration, "periodic": stepGeneration, "each": eachGeneration, "coroutine": coGeneration,
	}
)

// yielded reports whether e is Queued by the end of a run.
func (l *generations) yielded(e scheduler.Event) bool {
	return e.State == scheduler.Queued && l.open == e.ID
}

// generations checks that events are as S30 says.
type generations struct {
	last  map[uint64]scheduler.Event // of generations that have not ended
	name  map[uint64]string          // its name in follows
	ended map[uint64]bool
	open  uint64 // whose run is open; 0 if nobody's
	count map[scheduler.State]int

	at     int64
	first  error
	log    []string
	unread int // generations with one event, Canceled
	timers int // of coroutines, that have ended
}

// watchGenerations makes the options report all events. Call end after Close.
func watchGenerations(o *scheduler.Options) *generations {
	l := &generations{
		last: map[uint64]scheduler.Event{}, name: map[uint64]string{}, ended: map[uint64]bool{},
		count: map[scheduler.State]int{}, at: -1 << 63,
	}
	o.OnEvent = l.see
	return l
}

func (l *generations) fail(e scheduler.Event, format string, args ...any) {
	if l.first == nil {
		l.first = fmt.Errorf("%s\nthe last is of %v: %s", strings.Join(l.log, "\n"), scheduler.Work(e),
			fmt.Sprintf(format, args...))
	}
}

func (l *generations) see(e scheduler.Event) {
	name := e.State.String()
	if l.count[e.State]++; l.yielded(e) {
		name = "yielded"
	}
	l.log = append(l.log, fmt.Sprintf("%v %d %v", time.Duration(e.At), e.ID&(1<<63-1), e))
	before, known := l.last[e.ID]
	switch {
	case l.ended[e.ID]:
		l.fail(e, "it has ended")
	case !known && e.State == scheduler.Canceled:
		l.unread++
	case !known && e.State != scheduler.Queued:
		l.fail(e, "it has not begun")
	case known && !slices.Contains(strings.Fields(follows[strings.Fields(scheduler.Work(e))[0]][l.name[e.ID]]), name):
		l.fail(e, "after %v", l.name[e.ID])
	case known && scheduler.Work(before) != scheduler.Work(e):
		l.fail(e, "it was %v", scheduler.Work(before))
	}
	if int64(e.At) < l.at {
		l.fail(e, "before the last event")
	}
	l.at = int64(e.At)
	l.times(e, before)
	l.last[e.ID], l.name[e.ID] = e, name
	if e.State >= scheduler.Done {
		delete(l.last, e.ID)
		l.ended[e.ID] = true
		if e.Label == "timeout" {
			l.timers++
		}
	}
}

// times checks what an event says of times, and that runs do not overlap.
func (l *generations) times(e, before scheduler.Event) {
	ends := before.State == scheduler.Running && e.State != scheduler.Running
	switch {
	case e.State == scheduler.Running && l.open != 0:
		l.fail(e, "a run of %d is open", l.open)
	case ends && l.open != e.ID:
		l.fail(e, "its run is not open")
	case ends && e.Ran != e.At.Sub(before.At), !ends && e.Ran != 0:
		l.fail(e, "ran %v of %v", e.Ran, e.At.Sub(before.At))
	case before.State == scheduler.Queued && e.Waited >= 0: // a delay may have passed before it was read of
	case e.Waited < 0 || e.Waited > max(e.At.Sub(before.At), 0) && !strings.HasPrefix(scheduler.Work(e), "once"):
		l.fail(e, "waited for %v, and the event before was %v ago", e.Waited, e.At.Sub(before.At))
	}
	switch {
	case e.State == scheduler.Running:
		l.open = e.ID
	case ends:
		l.open = 0
	}
}

// end returns what was wrong, after Close.
func (l *generations) end() error {
	if l.first == nil && len(l.last) > 0 {
		return fmt.Errorf("no end of %v", l.last)
	}
	return l.first
}

// watchSome is watchGenerations in half of the cases: with events and without them a scheduler takes different ways.
func watchSome(t *rapid.T, o *scheduler.Options) *generations {
	if rapid.Bool().Draw(t, "events") {
		return watchGenerations(o)
	}
	return &generations{}
}
