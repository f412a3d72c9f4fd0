package scheduler_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// future is the least Awaitable.
type future struct {
	mu    sync.Mutex
	done  bool
	value int
	err   error
	f     []func()
}

func (f *future) Notify(g func()) {
	f.mu.Lock()
	done := f.done
	if !done {
		f.f = append(f.f, g)
	}
	f.mu.Unlock()
	if done {
		g()
	}
}

func (f *future) finish(v int, err error) {
	f.mu.Lock()
	f.done, f.value, f.err = true, v, err
	fs := f.f
	f.f = nil
	f.mu.Unlock()
	for _, g := range fs {
		g()
	}
}

func (f *future) Result() (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.value, f.err
}

func TestYieldLetsTheMoreUrgentRunFirst(t *testing.T) {
	for _, policy := range []deadline.Policy{deadline.ByExpiration, deadline.ByPriority} {
		inWorld(t, scheduler.Options{Policy: policy}, func(w *world) {
			var l log
			w.s.Go(deadline.Normal, func(co *scheduler.Co) {
				l.add("a1")()
				w.s.Post(deadline.Normal, l.add("peer"))
				w.s.Post(deadline.UserBlocking, l.add("user"))
				if !co.ShouldYield() {
					t.Error("ShouldYield = false with more urgent work")
				}
				co.Yield()
				if co.ShouldYield() {
					t.Error("ShouldYield = true with time and no more urgent work")
				}
				l.add("a2")()
				co.Yield()
				l.add("a3")()
			})
			w.drain()
			l.want(t, "a1 user a2 a3 peer")
		})
	}
}

func TestCoroutineTimeline(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		nav, load, hud := w.row("nav"), w.row("load"), w.row("hud")
		spawn := func(p deadline.Priority, f func(co *scheduler.Co)) {
			w.s.Submit(&scheduler.Task{Priority: p, Cost: ms, Co: f})
		}
		spawn(deadline.Normal, func(co *scheduler.Co) {
			for range 6 {
				w.spend(nav, ms)
				co.Yield()
			}
		})
		f := &future{}
		go func() { time.Sleep(20 * ms); f.finish(7, nil) }()
		spawn(deadline.UserBlocking, func(co *scheduler.Co) {
			w.spend(load, ms)
			v, err := scheduler.Await[int](co, f)
			if v != 7 || err != nil {
				t.Errorf("Await = %v, %v", v, err)
			}
			w.spend(load, ms)
			co.Sleep(9 * ms)
			w.spend(load, ms)
		})
		spawn(deadline.Immediate, func(co *scheduler.Co) {
			for range 4 {
				w.spend(hud, ms)
				co.NextFrame()
			}
		})
		for range 6 {
			w.frame(4 * ms)
		}
		w.want(`
			slice |====    ====    ==      ==              =
			nav   |  ##     ###     #
			load  | #                       #              #
			hud   |#       #       #       #
			`)
	})
}

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
			t.Errorf("%d of 3 went on", n)
		}
		if st := w.s.Stats(); st.Waiting != 0 || st.Coroutines != 5 {
			t.Errorf("%+v, want nobody waiting, and 5 coroutines, with the carrier and that of OnPanic", st)
		}
	})
}

// A waiter belongs to the life it saw, even if the task is cancelled and submitted again before anybody
// looks.
func TestWaitEndsWithTheLifeItSaw(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		task := &scheduler.Task{Func: func() {}, Delay: time.Hour}
		w.s.Submit(task)
		var got []error
		wait := func(co *scheduler.Co) { got = append(got, co.Wait(task)) }
		w.s.Go(deadline.Normal, wait)
		w.drain()
		task.Cancel()
		w.s.Submit(task)
		w.s.Go(deadline.Normal, wait) // for the second life
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
		mustPanic(t, "scheduler: Co used outside its function", func() { stale.Yield() })
		w.frame(ms)
		if self.State() != scheduler.Done {
			t.Error("a call from outside disturbed the coroutine")
		}
		mustPanic(t, "scheduler: Co used outside its function", func() { stale.Priority() })
		mustPanic(t, "scheduler: Co used outside its function", func() { new(scheduler.Co).NextFrame() })

		other := scheduler.New(scheduler.Options{})
		foreign := &scheduler.Task{Func: func() {}}
		other.Submit(foreign)
		var me *scheduler.Task
		me = &scheduler.Task{Co: func(co *scheduler.Co) {
			mustPanic(t, "scheduler: a task that waits for itself", func() { co.Wait(me) })
			mustPanic(t, "scheduler: Wait for nil", func() { _ = co.Wait(nil) })
			mustPanic(t, "scheduler: Wait for a task of another scheduler", func() { co.Wait(foreign) })
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

func mustPanic(t *testing.T, want string, f func()) {
	t.Helper()
	if got := panics(f); got != want {
		t.Errorf("panic: %s, want %q", got, want)
	}
}

func TestAwait(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		boom := errors.New("boom")
		ready := &future{}
		ready.finish(1, boom)
		var got int
		co := w.s.Go(deadline.Low, func(co *scheduler.Co) {
			if v, err := scheduler.Await[int](co, ready); v != 1 || err != boom {
				t.Errorf("Await of a finished future = %v, %v", v, err)
			}
			for i := range 3 {
				f := &future{}
				go func() {
					time.Sleep(ms)
					f.finish(i, nil)
				}()
				v, _ := scheduler.Await[int](co, f)
				got += v
				if co.Priority() != deadline.Low {
					t.Error("Await lost the priority")
				}
			}
		})
		if r := w.drain(); r.Ran != 1 {
			t.Errorf("%+v: Await of a finished future gave the turn away", r)
		}
		for range 5 {
			time.Sleep(ms + 1)
			w.drain()
		}
		if got != 3 || co.State() != scheduler.Done {
			t.Errorf("sum = %d, state %v", got, co.State())
		}
	})
}

func TestSetPriorityOfASuspendedCoroutine(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var l log
		co := w.s.Go(deadline.Low, func(co *scheduler.Co) {
			co.NextFrame()
			l.add(co.Priority().String())()
			co.Sleep(ms)
			l.add(co.Priority().String())()
		})
		w.frame(ms)
		co.SetPriority(deadline.UserBlocking)
		w.s.Post(deadline.Normal, func() { l.add("peer")(); co.SetPriority(deadline.Idle) })
		w.frame(ms)
		w.frame(ms)
		l.want(t, "user-blocking peer idle")
	})
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

func TestAContinuationDoesNotSurviveCancel(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var task scheduler.Task
		n := 0
		task.Step = func() bool {
			n++
			if !task.Cancel() || task.Cancel() {
				t.Error("Cancel of a running step: want true, then false")
			}
			if !w.s.ShouldYield() {
				t.Error("ShouldYield = false in a cancelled task")
			}
			return true
		}
		w.s.Submit(&task)
		w.drain()
		if n != 1 {
			t.Errorf("%d steps, want 1", n)
		}
		canceled(t, &task)

		// The last step was the last anyway, but Cancel said true.
		task.Step = func() bool { task.Cancel(); return false }
		w.s.Submit(&task)
		w.drain()
		canceled(t, &task)

		// Between two steps.
		n = 0
		task.Step = func() bool { n++; time.Sleep(ms); return true }
		w.s.Submit(&task)
		w.frame(2 * ms)
		if !task.Cancel() {
			t.Error("Cancel between steps = false")
		}
		canceled(t, &task)
		ran := n
		w.drain()
		if n != ran {
			t.Error("a step ran after Cancel")
		}
	})
}

func TestCancelOfASuspendedCoroutineRunsItsDefers(t *testing.T) {
	other := &scheduler.Task{Func: func() {}, Delay: time.Hour}
	never := &future{}
	for name, suspend := range map[string]func(*scheduler.Co){
		"Yield":     func(co *scheduler.Co) { time.Sleep(8 * ms); co.Yield() },
		"NextFrame": func(co *scheduler.Co) { co.NextFrame() },
		"Sleep":     func(co *scheduler.Co) { co.Sleep(time.Hour) },
		"Wait":      func(co *scheduler.Co) { co.Wait(other) },
		"Await":     func(co *scheduler.Co) { scheduler.Await[int](co, never) },
	} {
		for _, p := range []deadline.Priority{deadline.Normal, deadline.Idle} {
			inWorld(t, scheduler.Options{}, func(w *world) {
				other := &scheduler.Task{Func: func() {}, Delay: time.Hour}
				w.s.Submit(other)
				var l log
				task := w.s.Go(p, func(co *scheduler.Co) {
					defer l.add("outer")()
					defer l.add("unwound")()
					func() {
						defer l.add("inner")()
						if name == "Wait" {
							co.Wait(other)
						} else {
							suspend(co)
						}
						l.add("went on")()
					}()
				})
				var waited error
				w.s.Go(p, func(co *scheduler.Co) { waited = co.Wait(task) })
				w.frame(8 * ms)
				l = nil // defer l.add(..)() logs at once
				if !task.Cancel() || task.Cancel() {
					t.Errorf("%s: Cancel, Cancel: want true, false", name)
				}
				w.frame(8 * ms)
				canceled(t, task)
				if !errors.Is(waited, scheduler.ErrCanceled) {
					t.Errorf("%s: Wait returned %v", name, waited)
				}
				if slices.Contains(l, "went on") {
					t.Errorf("%s: the coroutine went on after Cancel", name)
				}
				if st := w.s.Stats(); st.Frame+st.Waiting != 0 {
					t.Errorf("%s: %+v, want nobody waiting", name, st)
				}
			})
		}
	}
}

func TestACoroutineThatSwallowsItsCancelEnds(t *testing.T) {
	for name, body := range map[string]func(co *scheduler.Co, l *log){
		"returns": func(co *scheduler.Co, l *log) {
			defer func() { recover() }()
			co.NextFrame()
		},
		"suspends again": func(co *scheduler.Co, l *log) {
			for {
				func() {
					defer func() { recover() }()
					co.NextFrame()
				}()
			}
		},
		"suspends in its deferred calls": func(co *scheduler.Co, l *log) {
			defer co.NextFrame()
			defer co.Yield()
			defer co.Sleep(ms)
			co.NextFrame()
		},
		"yields for ever in a deferred call": func(co *scheduler.Co, l *log) {
			defer func() {
				for {
					co.Yield()
				}
			}()
			co.NextFrame()
		},
	} {
		onPanic := func(pe *scheduler.PanicError) { t.Errorf("%s: %v", name, pe) }
		inWorld(t, scheduler.Options{OnPanic: onPanic},
			func(w *world) {
				var l log
				task := w.s.Go(deadline.Normal, func(co *scheduler.Co) {
					defer func() { l.add("defers")() }()
					body(co, &l)
				})
				w.frame(ms)
				task.Cancel()
				w.s.Post(deadline.Normal, l.add("next"))
				w.frame(ms)
				l.want(t, "defers next")
				canceled(t, task)
				if st := w.s.Stats(); st.Canceled != 1 || st.Failed != 0 {
					t.Errorf("%s: %+v", name, st)
				}
			})
	}
}

func TestAPanicWhileUnwindingIsNotLost(t *testing.T) {
	var got []*scheduler.PanicError
	o := scheduler.Options{OnPanic: func(pe *scheduler.PanicError) { got = append(got, pe) }}
	inWorld(t, o, func(w *world) {
		task := w.s.Go(deadline.Normal, func(co *scheduler.Co) {
			defer func() { panic("cleanup") }()
			co.NextFrame()
		})
		w.frame(ms)
		task.Cancel()
		w.frame(ms)
		if task.State() != scheduler.Failed || len(got) != 1 || got[0].Value != "cleanup" {
			t.Errorf("state %v, reports %v", task.State(), got)
		}
	})
}

// What is submitted in a run, after its cancellation, is the next life; a Cancel after that takes it back.
func TestSubmitAfterCancelInARun(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var task *scheduler.Task
		n, again := 0, true
		act := func() {
			if n++; n > 1 {
				return
			}
			if task.State() == scheduler.Running && task.Co == nil && !task.Cancel() {
				t.Error("Cancel in the run = false")
			}
			w.s.Submit(task)
			if !again && (!task.Cancel() || task.Cancel()) {
				t.Error("Cancel of a resubmission, and once more: want true, then false")
			}
		}
		for _, again = range []bool{true, false} {
			periodic := &scheduler.Task{Period: ms}
			periodic.Func = func() { act(); periodic.Period = 0 }
			for _, task = range []*scheduler.Task{
				periodic,
				{Step: func() bool { act(); return n == 1 }},
				{Co: func(co *scheduler.Co) {
					defer act()
					if n == 0 {
						co.NextFrame()
					}
				}},
			} {
				n = 0
				w.s.Submit(task)
				done := task.Done()
				w.frame(ms)
				if task.Co != nil && n == 0 {
					task.Cancel()
				}
				for range 4 {
					w.frame(ms)
				}
				<-done
				if again && (n != 2 || task.State() != scheduler.Done) {
					t.Errorf("%d runs, then %v, want 2, done", n, task.State())
				}
				if !again {
					if n != 1 {
						t.Errorf("%d runs, want 1", n)
					}
					canceled(t, task)
				}
			}
		}
	})
}

// What a coroutine has submitted again a Cancel takes back, also between its runs.
func TestCancelOfASuspendedCoroutineTakesBackItsSubmission(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		for name, suspend := range map[string]func(*scheduler.Co){
			"sleep": func(co *scheduler.Co) { co.Sleep(time.Hour) },
			"frame": (*scheduler.Co).NextFrame,
			"await": func(co *scheduler.Co) { scheduler.Await[int](co, &handoff{}) },
		} {
			task, runs := &scheduler.Task{}, 0
			task.Co = func(co *scheduler.Co) {
				if runs++; runs == 1 {
					w.s.Submit(task)
					suspend(co)
				}
			}
			w.s.BeginFrame(deadline.Now())
			w.s.Submit(task)
			w.drain()
			if !task.Cancel() {
				t.Errorf("%s: Cancel = false", name)
			}
			w.drain()
			canceled(t, task)
			if runs != 1 {
				t.Errorf("%s: it ran again after Cancel", name)
			}
		}
	})
}

func TestWaitLiftsWhatIsWaitedFor(t *testing.T) {
	for _, policy := range []deadline.Policy{deadline.ByExpiration, deadline.ByPriority} {
		inWorld(t, scheduler.Options{Policy: policy}, func(w *world) {
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

// A coroutine that recovers what unwinds it can read why.
func TestWhatUnwindsHasAText(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var text string
		co := w.s.Go(deadline.Normal, func(co *scheduler.Co) {
			defer func() { text = fmt.Sprint(recover()) }()
			co.NextFrame()
		})
		w.frame(ms)
		co.Cancel()
		w.frame(ms)
		eq(t, "text", text, "scheduler: the task was canceled")
	})
}
