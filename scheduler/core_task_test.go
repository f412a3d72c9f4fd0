package scheduler_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/testkit"
	"github.com/frameslice/frameslice/scheduler"
)

// A Task goes from one scheduler to another when the first has done with it, and not before: Submit panics then, and
// changes nothing.
func TestATaskChangesTheScheduler(t *testing.T) {
	const early = "scheduler: Submit of a Task that another scheduler has not done with"
	end := deadline.Deadline{}
	for name, state := range map[string]func(a *scheduler.Scheduler, task *scheduler.Task, try func()){
		"unread": func(a *scheduler.Scheduler, task *scheduler.Task, try func()) {
			a.Submit(task)
			try()
			task.Cancel()
		},
		"queued": func(a *scheduler.Scheduler, task *scheduler.Task, try func()) {
			a.Submit(task)
			a.RunPhase(scheduler.BeforeUpdate)
			try()
			task.Cancel()
		},
		"delayed, cancelled": func(a *scheduler.Scheduler, task *scheduler.Task, try func()) {
			task.Delay = ms
			a.Submit(task)
			a.RunUntil(end)
			task.Cancel()
			try() // it is still in the queue of a
		},
		"in an envelope": func(a *scheduler.Scheduler, task *scheduler.Task, try func()) {
			a.Submit(task)
			task.Cancel()
			a.Submit(task)
			task.Cancel()
			try()
		},
		"running": func(a *scheduler.Scheduler, task *scheduler.Task, try func()) {
			f := task.Func
			task.Func = try
			a.Submit(task)
			a.RunUntil(end)
			task.Func = f
		},
		"suspended": func(a *scheduler.Scheduler, task *scheduler.Task, try func()) {
			f := task.Func
			task.Func, task.Co = nil, func(co *scheduler.Co) { co.NextFrame() }
			a.BeginFrame(deadline.Now())
			a.Submit(task)
			a.RunUntil(end)
			try()
			a.BeginFrame(deadline.Now())
			a.RunUntil(end)
			task.Func, task.Co = f, nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			a, nowA := virtual(t, scheduler.Options{})
			b, _ := virtual(t, scheduler.Options{})
			var l log
			for range 3 { // neighbours in the queue
				a.Submit(&scheduler.Task{Delay: ms, Func: l.add("a")})
			}
			task := &scheduler.Task{Func: l.add("task")}
			state(a, task, func() { testkit.Panics(t, early, func() { b.Submit(task) }) })
			a.RunUntil(end) // now it has done with it
			l = nil
			task.Delay = 0
			b.Submit(task)
			b.RunUntil(end)
			l.want(t, "task")
			*nowA += deadline.Instant(ms)
			a.RunUntil(end)
			l.want(t, "a a a")
			a.Submit(task)
			a.Close()
			b.Submit(task)
			b.RunUntil(end)
			l.want(t, "task")
		})
	}
}

// Cancel of tasks that wait, run, end or are submitted again, and handles that outlive theirs.

// canceled checks everything that can be seen of a task that was cancelled.
func canceled(t *testing.T, task *scheduler.Task) {
	t.Helper()
	if task.State() != scheduler.Canceled {
		t.Errorf("state = %v, want canceled", task.State())
	}
	if err := task.Err(); !errors.Is(err, scheduler.ErrCanceled) || !errors.Is(err, context.Canceled) {
		t.Errorf("Err = %v, want ErrCanceled", err)
	}
	select {
	case <-task.Done():
	default:
		t.Error("Done is not closed")
	}
	if task.Cancel() {
		t.Error("a second Cancel = true")
	}
}

func never(t *testing.T) func() { return func() { t.Error("a cancelled function ran") } }

func TestCancelLetsGoOfTheMemory(t *testing.T) {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	gone := make(chan string, 4)
	build := func(name string) func() {
		p := new([1 << 16]byte)
		runtime.AddCleanup(p, func(name string) { gone <- name }, name)
		return func() { p[0]++ }
	}
	posted := s.Post(deadline.Idle, build("posted"))
	queued := s.Post(deadline.Idle, build("queued"))
	task := &scheduler.Task{Func: build("task"), Delay: time.Hour}
	s.Submit(task)
	s.Post(deadline.Immediate, func() {})
	s.RunUntil(deadline.In(-1))
	inbox := s.Post(deadline.Idle, build("inbox"))
	for _, h := range []scheduler.Handle{posted, queued, inbox} {
		h.Cancel()
	}
	task.Cancel()
	task = nil
	s.Post(deadline.Immediate, func() {})
	s.RunUntil(deadline.In(-1)) // runs the Immediate function alone: the rest must go by the messages
	var names []string
	for tries := 0; len(names) < 4 && tries < 10_000; tries++ { // another goroutine runs the cleanups
		runtime.GC()
		time.Sleep(10 * time.Millisecond)
		for len(gone) > 0 {
			names = append(names, <-gone)
		}
	}
	slices.Sort(names)
	if got := strings.Join(names, " "); got != "inbox posted queued task" {
		t.Errorf("collected: %q", got)
	}
}

func TestStaleHandlesAreHarmless(t *testing.T) {
	inWorld(t, scheduler.Options{OnPanic: func(*scheduler.PanicError) {}}, func(w *world) {
		old := w.s.Post(deadline.Normal, func() {})
		w.drain()
		n := 0
		var fresh []scheduler.Handle
		for range 100 {
			fresh = append(fresh, w.s.Post(deadline.Normal, func() { n++ }))
		}
		if old.Cancel() || old.SetPriority(deadline.Low) || old.State() != scheduler.Unsubmitted {
			t.Errorf("a stale Handle has an effect, or is %v", old.State())
		}
		w.drain()
		if n != 100 {
			t.Errorf("%d of 100 functions ran", n)
		}
		var zero scheduler.Handle
		if zero.Cancel() || zero.SetPriority(deadline.Low) || zero.State() != scheduler.Unsubmitted {
			t.Error("the zero Handle has an effect")
		}
		if fresh[0].State() != scheduler.Done {
			t.Errorf("state = %v, want done", fresh[0].State())
		}
		bad := w.s.Post(deadline.Normal, func() { panic("boom") })
		w.drain()
		eq(t, "state after a panic", bad.State(), scheduler.Failed)
	})
}

// A Task that is submitted a thousand times a second has 2^32 generations behind it in 50 days. The one after is like
// any other.
func TestATaskOf4BillionGenerations(t *testing.T) {
	s, _ := virtual(t, scheduler.Options{})
	runs, waited := 0, false
	task := &scheduler.Task{Func: func() { runs++ }}
	if task.Done() != nil {
		t.Error("Done of a task that was never submitted is not nil")
	}
	s.Submit(task)
	s.RunUntil(deadline.Deadline{})
	for _, canceled := range []bool{false, true} {
		scheduler.Age(task)
		s.Submit(task)
		done := task.Done()
		if isDone(done) {
			t.Error("done before it has run")
		}
		s.Go(deadline.Immediate, func(co *scheduler.Co) { waited = co.Wait(task) == task.Err() })
		if canceled && !task.Cancel() {
			t.Error("not canceled")
		}
		s.RunUntil(deadline.Deadline{})
		want := map[bool]scheduler.State{false: scheduler.Done, true: scheduler.Canceled}[canceled]
		if c := task.Done(); !isDone(done) || c == nil || !isDone(c) || !waited || runs != 2 || task.State() != want {
			t.Errorf("%d runs, waited %v, %v, Done %v", runs, waited, task.State(), c)
		}
	}
}

// The names of all constants, and of what is none.
func TestNamesOfConstants(t *testing.T) {
	got := fmt.Sprint(scheduler.Unsubmitted, scheduler.Queued, scheduler.Running, scheduler.Suspended, scheduler.Done,
		scheduler.Failed, scheduler.Canceled, scheduler.State(77))
	got += fmt.Sprint("; ", scheduler.BeforeUpdate, scheduler.BeforeDraw, scheduler.AfterDraw, scheduler.Phase(77))
	const want = "unsubmitted queued running suspended done failed canceled State(77)" +
		"; before update before draw after draw invalid phase"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
