package scheduler_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/testkit"
	"github.com/frameslice/frameslice/scheduler"
)

func TestWaitReturnsTheOutcome(t *testing.T) {
	boom := errors.New("boom")
	inWorld(t, scheduler.Options{OnPanic: func(*scheduler.PanicError) {}}, func(w *world) {
		var l log
		good := &scheduler.Task{Func: l.add("good"), Delay: 5 * ms}
		bad := &scheduler.Task{Func: func() { panic(boom) }, Delay: 5 * ms}
		gone := &scheduler.Task{Func: never(t), Delay: 5 * ms}
		for _, x := range []*scheduler.Task{good, bad, gone} {
			w.s.Submit(x)
		}
		n := 0
		for range 3 {
			w.s.Go(deadline.Normal, func(co *scheduler.Co) {
				if err := co.Wait(good); err != nil {
					t.Errorf("Wait(good) = %v", err)
				}
				if err := co.Wait(bad); !errors.Is(err, boom) {
					t.Errorf("Wait(bad) = %v", err)
				}
				if err := co.Wait(gone); !errors.Is(err, scheduler.ErrCanceled) {
					t.Errorf("Wait(gone) = %v", err)
				}
				if err := co.Wait(good); err != nil { // long ended
					t.Errorf("Wait(good) again = %v", err)
				}
				if err := co.Wait(&scheduler.Task{}); err != nil {
					t.Errorf("Wait(unsubmitted) = %v", err)
				}
				n++
			})
		}
		w.drain()
		if st := w.s.Stats(); st.Waiting != 3 {
			t.Errorf("%d are waiting, want 3", st.Waiting)
		}
		gone.Cancel()
		time.Sleep(5 * ms)
		w.drain()
		if n != 3 {
			t.Errorf("%d of 3 continued", n)
		}
		if st := w.s.Stats(); st.Waiting != 0 || st.Coroutines != 5 {
			t.Errorf("%+v, want nobody waiting, and 5 coroutines, with the carrier and that of OnPanic", st)
		}
	})
}

// A waiter belongs to the generation it saw, even if the task is cancelled and submitted again before anybody
// looks.
func TestWaitEndsWithTheGenerationItSaw(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		task := &scheduler.Task{Func: func() {}, Delay: time.Hour}
		w.s.Submit(task)
		var got []error
		wait := func(co *scheduler.Co) { got = append(got, co.Wait(task)) }
		w.s.Go(deadline.Normal, wait)
		w.drain()
		task.Cancel()
		w.s.Submit(task)
		w.s.Go(deadline.Normal, wait) // for the second generation
		w.drain()
		if len(got) != 1 || !errors.Is(got[0], scheduler.ErrCanceled) {
			t.Errorf("the first waiter got %v", got)
		}
		time.Sleep(time.Hour)
		w.drain()
		if len(got) != 2 || got[1] != nil {
			t.Errorf("the second waiter got %v", got)
		}
	})
}

func TestMisuseOfCoPanics(t *testing.T) {
	var reports int
	inWorld(t, scheduler.Options{OnPanic: func(*scheduler.PanicError) { reports++ }}, func(w *world) {
		var stale *scheduler.Co
		self := w.s.Go(deadline.Normal, func(co *scheduler.Co) { stale = co; co.NextFrame() })
		w.frame(ms)
		testkit.Panics(t, "scheduler: Co used outside its function", func() { stale.Yield() })
		w.frame(ms)
		if self.State() != scheduler.Done {
			t.Error("a call from outside disturbed the coroutine")
		}
		testkit.Panics(t, "scheduler: Co used outside its function", func() { stale.Priority() })
		testkit.Panics(t, "scheduler: Co used outside its function", func() { new(scheduler.Co).NextFrame() })

		other := scheduler.New(scheduler.Options{})
		foreign := &scheduler.Task{Func: func() {}}
		other.Submit(foreign)
		var me *scheduler.Task
		me = &scheduler.Task{Co: func(co *scheduler.Co) {
			testkit.Panics(t, "scheduler: a task that waits for itself", func() { co.Wait(me) })
			testkit.Panics(t, "scheduler: Wait for nil", func() { _ = co.Wait(nil) })
			testkit.Panics(t, "scheduler: Wait for a task of another scheduler", func() { co.Wait(foreign) })
			if co.Priority() != deadline.Low {
				t.Errorf("Priority = %v", co.Priority())
			}
		}, Priority: deadline.Low}
		w.s.Submit(me)
		w.drain()
		if me.Err() != nil || reports != 0 {
			t.Errorf("Err = %v, %d reports", me.Err(), reports)
		}
		other.Close()
	})
}

func TestAwaitOfWhatHasFinished(t *testing.T) {
	s, _ := virtual(t, scheduler.Options{})
	boom := errors.New("boom")
	ready := &future{}
	ready.finish(1, boom)
	s.Go(deadline.Low, func(co *scheduler.Co) {
		if v, err := scheduler.Await(co, ready); v != 1 || err != boom || co.Priority() != deadline.Low {
			t.Errorf("Await of a finished future = %v, %v", v, err)
		}
	})
	if r := s.RunUntil(deadline.Deadline{}); r.Ran != 1 {
		t.Errorf("%+v: Await of a finished future gave the turn away", r)
	}
}

func TestManyCoroutinesAndThePool(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		n := 0
		many := 3 * scheduler.IdleLimit
		for range 2 {
			for range many {
				w.s.Go(deadline.Normal, func(co *scheduler.Co) { co.NextFrame(); n++ })
			}
			w.frame(ms)
			if st := w.s.Stats(); st.Frame != many || st.Coroutines != many {
				t.Errorf("%+v, want %d in NextFrame", st, many)
			}
			w.frame(ms)
			if st := w.s.Stats(); st.Coroutines != scheduler.IdleLimit {
				t.Errorf("%d coroutines are kept, want %d", st.Coroutines, scheduler.IdleLimit)
			}
		}
		if n != 2*many {
			t.Errorf("%d of %d ended", n, 2*many)
		}
	})
}

// Cancel of what is a coroutine, or is in the middle of something: defers run, panics are not lost.

func TestWaitLiftsWhatIsWaitedFor(t *testing.T) {
	for _, byPriority := range []bool{false, true} {
		inWorld(t, scheduler.Options{ByPriority: byPriority}, func(w *world) {
			var l log
			// The menu waits for the icons, which wait for the file: each lower than the one before.
			file := w.s.Go(deadline.Idle, func(co *scheduler.Co) { l.add("file")() })
			icons := w.s.Go(deadline.Low, func(co *scheduler.Co) { co.Wait(file); l.add("icons")() })
			w.s.RunUntil(deadline.In(0))
			if icons.State() != scheduler.Suspended {
				t.Errorf("the icons are %v", icons.State())
			}
			w.s.Post(deadline.Normal, l.add("normal"))
			w.s.Go(deadline.UserBlocking, func(co *scheduler.Co) { co.Wait(icons); l.add("menu")() })
			w.drain()
			l.want(t, "file icons menu normal")
		})
	}
}

func TestARaisedWaiterLiftsToo(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var l log
		file := w.s.Go(deadline.Idle, func(co *scheduler.Co) { l.add("file")() })
		menu := w.s.Go(deadline.Low, func(co *scheduler.Co) { co.Wait(file); l.add("menu")() })
		w.s.RunUntil(deadline.In(0))
		w.s.Post(deadline.Normal, l.add("normal"))
		menu.SetPriority(deadline.Immediate)
		w.drain()
		l.want(t, "file menu normal")
	})
}

func TestLiftOfWhatIsUnreadOrDueSooner(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var l log
		w.s.Post(deadline.Normal, l.add("normal"))
		w.s.Go(deadline.UserBlocking, func(co *scheduler.Co) {
			child := w.s.Go(deadline.Low, func(*scheduler.Co) { l.add("child")() })
			co.Wait(child)
		})
		// Its own timeout is shorter than that of its waiter's priority, and stays.
		soon := &scheduler.Task{Priority: deadline.Low, Timeout: ms, Func: l.add("soon")}
		w.s.Submit(soon)
		w.s.Go(deadline.Immediate, func(co *scheduler.Co) {
			other := w.s.Go(deadline.UserBlocking, func(co *scheduler.Co) { co.Wait(soon) })
			_ = other
		})
		w.drain()
		l.want(t, "soon child normal")
	})
}

func TestACircleOfWaitersIsLiftedOnce(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var a, b *scheduler.Task
		a = w.s.Go(deadline.Low, func(co *scheduler.Co) { co.Wait(b) })
		b = w.s.Go(deadline.Idle, func(co *scheduler.Co) { co.Wait(a) })
		w.drain()
		a.SetPriority(deadline.Immediate)
		w.drain()
		if a.State() != scheduler.Suspended || b.State() != scheduler.Suspended {
			t.Errorf("%v, %v", a.State(), b.State())
		}
		a.Cancel()
		w.drain()
		if b.State() != scheduler.Done {
			t.Errorf("b is %v", b.State())
		}
	})
}

// What goes on first itself need not yield to work of a higher priority that comes after it.
func TestShouldYieldToWhatGoesFirst(t *testing.T) {
	low, normal := deadline.Timeouts{}.Of(deadline.Low), deadline.Timeouts{}.Of(deadline.Normal)
	for _, c := range []struct {
		name       string
		byPriority bool
		age        time.Duration // of the Low task when the Normal one comes
		used       time.Duration // of a slice of 1 s, in which continuations may use half
		want       string
	}{
		{"older", false, low - normal + time.Second, 0, "LLN false"},
		{"younger", false, low - normal - time.Second, 0, "LNL true"},
		{"older, but behind its peers", false, low - normal + time.Second, 500 * ms, "LNL true"},
		{"overdue", false, low + time.Second, 0, "LLN false"},
		{"overdue, with its share used", false, low + time.Second, 500 * ms, "LNL true"},
		{"by priority", true, low - normal + time.Second, 0, "LNL true"},
	} {
		for _, shape := range []string{"step", "co"} {
			s, now := virtual(t, scheduler.Options{ByPriority: c.byPriority})
			order, urgent := "", false
			first := func() {
				order += "L"
				s.Post(deadline.Normal, func() { order += "N" })
				*now = now.Add(c.used)
				urgent = s.ShouldYield()
			}
			task := &scheduler.Task{Priority: deadline.Low}
			if shape == "co" {
				task.Co = func(co *scheduler.Co) {
					first()
					co.Yield()
					order += "L"
				}
			} else {
				n := 0
				task.Step = func() bool {
					if n++; n == 1 {
						first()
						return true
					}
					order += "L"
					return false
				}
			}
			s.Submit(task)
			s.Post(deadline.Immediate, func() {})
			s.RunUntil(deadline.At(0)) // reads both, and runs one
			*now = now.Add(c.age)
			for s.RunUntil(deadline.At(now.Add(time.Second))).Ran > 0 {
			}
			if got := fmt.Sprint(order, " ", urgent); got != c.want {
				t.Errorf("%s, %s: %s, want %s", c.name, shape, got, c.want)
			}
		}
	}
}

// WaitUntil looks at once, and then once a frame. A Cancel ends it.
func TestWaitUntil(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var l log
		looks, open := 0, false
		w.s.Go(deadline.Normal, func(co *scheduler.Co) {
			co.WaitUntil(func() bool { return true })
			l.say("at once")
			co.WaitUntil(func() bool { looks++; return open })
			l.say("after %d looks", looks)
		})
		never := w.s.Go(deadline.Normal, func(co *scheduler.Co) { co.WaitUntil(func() bool { return false }) })
		for range 3 {
			w.frame(8 * ms)
		}
		open = true
		w.frame(8 * ms)
		never.Cancel()
		w.frame(8 * ms)
		l.want(t, "at once after 4 looks")
		canceled(t, never)
	})
}
