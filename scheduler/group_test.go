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

// Members in other states are those of the reference.
func TestGroupCancelUnwindsMembersThatWait(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		g := w.s.NewGroup("scene")
		endless := w.submit(deadline.Normal, time.Hour, nop)
		unwound := 0
		suspended := func(suspend func(co *scheduler.Co)) *scheduler.Task {
			return g.Go(deadline.Normal, func(co *scheduler.Co) {
				defer func() { unwound++ }()
				suspend(co)
				t.Error("it continued")
			})
		}
		tasks := []*scheduler.Task{
			suspended(func(co *scheduler.Co) { co.Wait(endless) }),
			suspended(func(co *scheduler.Co) { co.AfterDraw() }),
			suspended(func(co *scheduler.Co) { scheduler.Await(co, &handoff{}) }),
		}
		w.s.RunPhase(scheduler.AfterDraw)
		w.drain()
		done := g.Done()
		if !g.Cancel() || g.Cancel() {
			t.Error("Cancel: want true, then false")
		}
		w.drain()
		for _, x := range tasks {
			canceled(t, x)
		}
		if unwound != 3 || scheduler.Members(g) != 0 || !isDone(done) || !errors.Is(g.Err(), scheduler.ErrCanceled) {
			t.Errorf("%d unwound, %d members, done: %v, %v", unwound, scheduler.Members(g), isDone(done), g.Err())
		}
		if st := w.s.Stats(); st.Waiting+st.Drawing != 0 || endless.State() != scheduler.Queued {
			t.Errorf("%+v: want nothing left; another task is %v", st, endless.State())
		}
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

// An idle task belongs to its group like any other: Done waits for it, and Cancel ends it.
func TestGroupsWaitForIdleTasks(t *testing.T) {
	s, now := virtual(t, scheduler.Options{})
	g := s.NewGroup("g")
	ran := 0
	scheduler.SubmitTo(g, &scheduler.Task{Idle: func(deadline.Deadline, bool) { ran++ }})
	timed := &scheduler.Task{Idle: func(deadline.Deadline, bool) { ran++ }, Timeout: time.Second}
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

// Tasks that submit themselves into a group in their own run: members from the next generation on, but the group waits
// for them at once.
