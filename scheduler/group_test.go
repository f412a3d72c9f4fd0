package scheduler_test

import (
	"errors"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

func isDone(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func TestGroupCancelEndsMembersInEveryState(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		g := w.s.NewGroup("scene")
		unwound := ""
		suspended := func(name string, suspend func(co *scheduler.Co)) *scheduler.Task {
			return g.Go(deadline.Normal, func(co *scheduler.Co) {
				defer func() { unwound += name + " " }()
				suspend(co)
				t.Error("it went on: " + name)
			})
		}
		endless := &scheduler.Task{Delay: time.Hour, Func: func() {}}
		w.s.Submit(endless)
		tasks := []*scheduler.Task{
			suspended("sleep", func(co *scheduler.Co) { co.Sleep(time.Hour) }),
			suspended("frame", func(co *scheduler.Co) { co.NextFrame() }),
			suspended("wait", func(co *scheduler.Co) { co.Wait(endless) }),
			suspended("await", func(co *scheduler.Co) { scheduler.Await[int](co, &handoff{}) }),
		}
		w.s.BeginFrame(deadline.Now())
		w.drain()

		// What has never run: delayed, ready, not read yet; and steps that are running.
		delayed := &scheduler.Task{Delay: time.Hour, Func: never(t)}
		scheduler.SubmitTo(g, delayed)
		tasks = append(tasks, delayed, g.Go(deadline.Idle, func(*scheduler.Co) { never(t)() }))
		steps := 0
		step := &scheduler.Task{Priority: deadline.Immediate, Step: func() bool {
			steps++
			late := g.Post(deadline.Immediate, never(t))
			if !g.Cancel() || g.Cancel() {
				t.Error("Cancel: want true, then false")
			}
			after := g.Post(deadline.Immediate, never(t))
			if s := after.State(); s != scheduler.Canceled || late.State() == scheduler.Done {
				t.Errorf("a function posted into a cancelled group is %v", s)
			}
			return true
		}}
		scheduler.SubmitTo(g, step)
		tasks = append(tasks, step)
		ready := g.Post(deadline.Normal, never(t))
		done := g.Done()
		w.drain()
		for _, x := range tasks {
			canceled(t, x)
		}
		if ready.Cancel() || steps != 1 || scheduler.Members(g) != 0 || !isDone(done) {
			t.Errorf("%d steps, %d members, done: %v", steps, scheduler.Members(g), isDone(done))
		}
		if len(unwound) != len("sleep frame wait await ") {
			t.Errorf("unwound: %s", unwound)
		}
		if !errors.Is(g.Err(), scheduler.ErrCanceled) || endless.State() != scheduler.Queued {
			t.Errorf("Err = %v; another task is %v", g.Err(), endless.State())
		}
		if st := w.s.Stats(); st.Waiting != 0 || st.Frame != 0 || st.Ready != none {
			t.Errorf("%+v: want nothing left", st)
		}
		again := &scheduler.Task{Func: never(t)}
		scheduler.SubmitTo(g, again)
		canceled(t, again)
		w.drain()
	})
}

func TestAMemberNeverRunsByItsOldPriority(t *testing.T) {
	// More members than are moved between two looks at the clock, and no time at all: one task a slice.
	inWorld(t, scheduler.Options{}, func(w *world) {
		var l log
		g := w.s.NewGroup("scene")
		const n = 3000
		for range n {
			g.Post(deadline.UserBlocking, func() { l = append(l, "member") })
		}
		w.s.Post(deadline.Normal, l.add("other"))
		g.SetPriority(deadline.Low)
		w.s.RunUntil(deadline.In(0))
		l.want(t, "other")
		w.drain()
		if len(l) != n {
			t.Errorf("%d members ran, want %d", len(l), n)
		}
	})
}

func TestGroupDoneAndWait(t *testing.T) {
	inWorld(t, scheduler.Options{OnPanic: func(*scheduler.PanicError) {}}, func(w *world) {
		g := w.s.NewGroup("scene")
		if d := g.Done(); func() bool { w.drain(); return !isDone(d) }() {
			t.Error("Done of an empty group is open")
		}
		first := g.Done()
		boom := errors.New("boom")
		g.Post(deadline.Normal, func() {})
		var err error
		w.s.Go(deadline.Immediate, func(co *scheduler.Co) {
			g.Post(deadline.Idle, func() {
				co := g.Go(deadline.Idle, func(co *scheduler.Co) { co.Sleep(5 * ms); panic(boom) })
				_ = co
			})
			err = g.Wait(co)
			if scheduler.Members(g) != 0 || time.Since(w.base) != 5*ms {
				t.Errorf("Wait returned after %v, with %d members", time.Since(w.base), scheduler.Members(g))
			}
		})
		d := g.Done()
		w.drain()
		if !isDone(first) || isDone(d) || err != nil {
			t.Error("Done or Wait came at the wrong time")
		}
		time.Sleep(5 * ms)
		w.drain()
		if !isDone(d) || !errors.Is(err, boom) || !errors.Is(g.Err(), boom) {
			t.Errorf("Wait = %v, Err = %v", err, g.Err())
		}
		self := g.Go(deadline.Normal, func(co *scheduler.Co) { g.Wait(co) })
		w.drain()
		if self.State() != scheduler.Failed {
			t.Errorf("a member that waits for its own group is %v", self.State())
		}
	})
}

func TestGroupsAndClose(t *testing.T) {
	s := scheduler.New(scheduler.Options{})
	g := s.NewGroup("scene")
	g.Post(deadline.Normal, func() {})
	g.Post(deadline.Normal, never(t)) // for which there is no time
	task := &scheduler.Task{Delay: time.Hour, Func: never(t)}
	scheduler.SubmitTo(g, task)
	read := g.Done()
	s.RunUntil(deadline.In(-1))
	unread := g.Done()
	s.Close()
	after := g.Done()
	if !isDone(unread) || !isDone(after) || g.Post(deadline.Normal, never(t)).State() != scheduler.Canceled {
		t.Error("after Close, Done is open or Post is not cancelled")
	}
	if !isDone(read) || !errors.Is(task.Err(), scheduler.ErrClosed) {
		t.Errorf("after Close: %v", task.Err())
	}
	g.SetPriority(deadline.Low)
	g.Cancel()
}

// An idle task belongs to its group like any other: Done waits for it, and Cancel ends it.
func TestGroupsWaitForIdleTasks(t *testing.T) {
	s, now := virtual(t, scheduler.Options{})
	g := s.NewGroup("g")
	ran := 0
	scheduler.SubmitTo(g, &scheduler.Task{Idle: func(scheduler.IdleTime) { ran++ }})
	timed := &scheduler.Task{Idle: func(scheduler.IdleTime) { ran++ }, Timeout: time.Second}
	scheduler.SubmitTo(g, timed)
	done := g.Done()
	s.RunUntil(deadline.At(*now)) // no time
	if isDone(done) || scheduler.Members(g) != 2 {
		t.Fatalf("%d members, done: %v", scheduler.Members(g), isDone(done))
	}
	g.SetPriority(deadline.Low) // which leaves the timeout where it is
	timed.SetPriority(deadline.UserBlocking)
	*now += deadline.Instant(time.Second)
	if r := s.RunUntil(deadline.At(*now)); ran != 1 || r.Expired != 1 {
		t.Fatalf("%+v, %d idle tasks ran, want the one whose timeout has passed, overdue", r, ran)
	}
	g.Cancel()
	s.RunUntil(deadline.At(*now))
	if !isDone(done) || ran != 1 || scheduler.Members(g) != 0 {
		t.Fatalf("%d members, done: %v, %d ran", scheduler.Members(g), isDone(done), ran)
	}
}

// Tasks that submit themselves into a group in their own run: members from the next life on, but the group waits for
// them at once.
