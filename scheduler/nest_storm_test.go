package scheduler_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/scheduler/flow"
)

// Random programs of all verbs together, with modal loops within modal loops, panics, Goexit and Close anywhere: every
// piece of work ends, its events are a path of S30, the time in a Nest is nobody's run, and nothing is left behind.

// storm is one such program.
type storm struct {
	s   *scheduler.Scheduler
	r   *rand.Rand
	now *deadline.Instant
	bad string // what went wrong first

	ops, depth int
	closes     bool
	tasks      []*scheduler.Task
	handles    []scheduler.Handle
	jobs       []*stormJob
	groups     []*scheduler.Group
	pulses     []pulser
	latest     *flow.Latest[int, int]
	bounds     []*flow.Bound

	last   map[uint64]scheduler.EventKind // of the lives that have not ended
	open   []uint64                       // runs
	nested time.Duration                  // in this slice
	sum    scheduler.Result
}

type pulser interface {
	Call()
	Flush()
	Cancel()
}

// stormJob is an Awaitable.
type stormJob struct {
	done  bool
	heard []func()
}

func (j *stormJob) Notify(f func()) {
	if j.done {
		f()
		return
	}
	j.heard = append(j.heard, f)
}

func (j *stormJob) Result() (int, error) {
	if !j.done {
		panic("a result before its time")
	}
	return 7, nil
}

func (j *stormJob) finish() {
	j.done = true
	for _, f := range j.heard {
		f()
	}
	j.heard = nil
}

func (m *storm) fail(format string, args ...any) {
	if m.bad == "" {
		m.bad = fmt.Sprintf(format, args...)
	}
}

func (m *storm) wait(d time.Duration)    { *m.now = m.now.Add(d) }
func (m *storm) some() time.Duration     { return time.Duration(m.r.IntN(20)) * ms }
func (m *storm) prio() deadline.Priority { return deadline.Priority(m.r.IntN(5) - 2) }
func (m *storm) one(n int) bool          { return m.r.IntN(n) == 0 }

func newStorm(t *testing.T, seed uint64) *storm {
	m := &storm{r: rand.New(rand.NewPCG(seed, 1)), last: map[uint64]scheduler.EventKind{}}
	m.closes = m.one(2)
	o := scheduler.Options{MicrotaskLimit: 5 + m.r.IntN(50), Policy: deadline.Policy(m.r.IntN(2))}
	o.OnPanic = func(e *scheduler.PanicError) {
		if text := e.Error(); !strings.Contains(text, "on purpose") && !strings.Contains(text, "Goexit") {
			m.fail("%v\n%s", e, e.Stack)
		}
		if m.one(10) {
			m.act()
		}
	}
	if m.one(3) {
		o.Timeouts = deadline.Timeouts{UserBlocking: ms, Normal: 5 * ms, Low: 10 * ms, Idle: 100 * ms}
	}
	if !m.one(4) {
		f := m.event
		o.Trace = &scheduler.Trace{Queued: f, Started: f, Yielded: f, Parked: f, Done: f, Failed: f, Canceled: f}
		o.Times, o.Events = m.one(2), 10
	}
	m.s, m.now = virtual(t, o)
	for range 3 {
		m.groups = append(m.groups, m.s.NewGroup("g"))
	}
	m.pulses = []pulser{
		flow.NewThrottle(m.s, flow.ThrottleOptions{Wait: 3 * ms}, m.body),
		flow.NewDebounce(m.s, flow.DebounceOptions{Wait: 4 * ms, MaxWait: 9 * ms}, m.body),
		flow.NewDebounce(m.s, flow.DebounceOptions{Wait: 4 * ms, Leading: true}, m.body),
	}
	m.latest = flow.NewLatest(m.s, flow.LatestOptions{Keys: 3}, func(int, int) { m.body() })
	for _, full := range []flow.Full{flow.Reject, flow.DropOldest} {
		m.bounds = append(m.bounds, flow.NewBound(m.s, flow.BoundOptions{Limit: 3, Full: full}))
	}
	return m
}

// event holds the events against S30.
func (m *storm) event(e scheduler.Event) {
	before, seen := m.last[e.ID]
	innermost := len(m.open) > 0 && m.open[len(m.open)-1] == e.ID
	running := seen && before == scheduler.EventStarted
	ok := running && innermost
	switch e.Kind {
	case scheduler.EventQueued:
		ok = !seen
	case scheduler.EventStarted:
		ok = seen && !running
		m.open = append(m.open, e.ID)
	case scheduler.EventCanceled:
		if !running {
			yielded := before == scheduler.EventYielded && e.Work != scheduler.WorkCo
			ok = !seen || before == scheduler.EventQueued || yielded
		}
	}
	if running && len(m.open) > 0 && e.Kind != scheduler.EventStarted {
		m.open = m.open[:len(m.open)-1]
	}
	if !ok || e.Waited < 0 || e.Ran < 0 {
		m.fail("%v of %x after %v (%v); open are %x", e, e.ID, before, seen, m.open)
	}
	if m.last[e.ID] = e.Kind; e.Kind >= scheduler.EventDone {
		delete(m.last, e.ID)
	}
}

// host is a frame, of the program or of a modal loop.
func (m *storm) host() {
	if !m.one(4) {
		m.s.BeginFrame(*m.now)
	}
	for p := range scheduler.AfterDraw + 1 {
		switch m.r.IntN(8) {
		case 0:
			m.s.NotePhase(p)
		case 1:
			m.slice(m.some() / 4)
		default:
			m.s.RunPhase(p)
		}
	}
	m.slice(m.some() / 4)
	m.s.Next()
	m.wait(m.some() / 4)
}

// slice is one of length d, whose Result it checks and adds up.
func (m *storm) slice(d time.Duration) {
	begun, outer := *m.now, m.nested
	m.nested = 0
	r := m.s.RunUntil(deadline.At(begun.Add(d)))
	if took := m.now.Sub(begun) - m.nested; r.Used > took || r.Worst.Cost > took || r.Expired > r.Ran {
		m.fail("%+v in %v without Nests", r, took)
	}
	m.nested = outer
	m.sum.Ran += r.Ran
	m.sum.Expired += r.Expired
	m.sum.Deferred += r.Deferred
	m.sum.TooBig += r.TooBig
	m.sum.Microtasks += r.Microtasks
}

// calm lets everything come to its end: nobody acts any more.
func (m *storm) calm() {
	m.ops = stormOps
	for range 100 {
		for _, j := range m.jobs {
			j.finish()
		}
		m.wait(time.Second)
		m.s.BeginFrame(*m.now)
		for p := range scheduler.AfterDraw + 1 {
			m.s.RunPhase(p)
		}
		m.slice(time.Second)
	}
}

// check is what must hold in the end.
func (m *storm) check() string {
	m.calm() // periodic tasks and callbacks of Each go on
	for _, h := range m.handles {
		h.Cancel()
	}
	for _, t := range m.tasks {
		t.Cancel()
	}
	m.calm()
	left := m.latest.Len()
	for _, g := range m.groups {
		left += g.Len()
	}
	for _, b := range m.bounds {
		for _, p := range deadline.Priorities() {
			left += b.Len(p)
		}
	}
	st := m.s.Stats()
	if m.s.Context().Err() == nil {
		_, more := m.s.Next()
		if more || m.s.DrawRequested() || st.Frame+st.Waiting+st.Drawing+st.Idle+left != 0 || len(m.last) != 0 {
			m.fail("something is left: %d, %+v, events %v", left, st, m.last)
		}
	}
	m.s.Close()
	for _, t := range m.tasks {
		if <-t.Done(); t.State() < scheduler.Done {
			m.fail("after Close a task is %v", t.State())
		}
	}
	sum := scheduler.Stats{
		Ran: uint64(m.sum.Ran), Expired: uint64(m.sum.Expired), Deferred: uint64(m.sum.Deferred),
		TooBig: uint64(m.sum.TooBig),
	}
	if st.Ran != sum.Ran || st.Expired != sum.Expired || st.Deferred != sum.Deferred || st.TooBig != sum.TooBig {
		m.fail("the totals are not the sums of the results, %+v: %+v", m.sum, st)
	}
	if n := m.s.Stats().Coroutines; n != 0 || len(m.open)+len(m.last) != 0 {
		m.fail("after Close: %d coroutines, runs %x, events %v", n, m.open, m.last)
	}
	return m.bad
}

func TestStormOfEverythingInNests(t *testing.T) {
	seeds := uint64(2000)
	if testing.Short() || scheduler.RaceEnabled {
		seeds = 200
	}
	for seed := range seeds {
		m := newStorm(t, seed)
		for range 12 {
			for range m.r.IntN(6) {
				m.act()
			}
			m.host()
		}
		if bad := m.check(); bad != "" {
			t.Fatalf("seed %d: %s", seed, bad)
		}
	}
}
