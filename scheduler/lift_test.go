package scheduler_test

import (
	"errors"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

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

func TestTaskOf(t *testing.T) {
	inWorld(t, scheduler.Options{OnPanic: func(*scheduler.PanicError) {}}, func(w *world) {
		boom := errors.New("boom")
		call := func(f func(co *scheduler.Co) (int, error)) *scheduler.TaskOf[int] {
			return scheduler.Call(w.s, deadline.Low, f)
		}
		good := call(func(co *scheduler.Co) (int, error) { co.Sleep(ms); return 42, nil })
		bad := call(func(co *scheduler.Co) (int, error) { return 1, boom })
		panics := call(func(co *scheduler.Co) (int, error) { panic(boom) })
		stopped := call(func(co *scheduler.Co) (int, error) { co.Sleep(time.Hour); return 1, nil })
		check := func(task *scheduler.TaskOf[int], v int, want error) {
			t.Helper()
			got, err := task.Result()
			if got != v || !errors.Is(err, want) || !isDone(task.Done()) {
				t.Errorf("Result = %d, %v, want %d, %v", got, err, v, want)
			}
		}
		n := 0
		w.s.Go(deadline.Normal, func(co *scheduler.Co) {
			v, err := good.Wait(co)
			if n = v; err != nil {
				t.Error(err)
			}
			if _, err := panics.Wait(co); !errors.Is(err, boom) {
				t.Errorf("Wait = %v", err)
			}
		})
		w.drain()
		mustPanic(t, "scheduler: Result of a task that has not ended", func() { _, _ = good.Result() })
		time.Sleep(ms)
		w.drain()
		stopped.Cancel()
		w.drain()
		check(good, 42, nil)
		check(bad, 1, boom)
		check(panics, 0, boom)
		check(stopped, 0, scheduler.ErrCanceled)
		if n != 42 {
			t.Errorf("Wait = %d", n)
		}
	})
}

// Who waits for a task gets what it returned in the life that was waited for, however many have begun since.
func TestTaskOfThatIsSubmittedAgain(t *testing.T) {
	for _, prio := range []deadline.Priority{deadline.Immediate, deadline.Idle} { // the waiters': before, behind
		for _, step := range []func(co *scheduler.Co){(*scheduler.Co).NextFrame, (*scheduler.Co).Yield} {
			inWorld(t, scheduler.Options{}, func(w *world) {
				var task *scheduler.TaskOf[int]
				n, ended := 0, 0
				boom := errors.New("boom")
				task = scheduler.Call(w.s, deadline.Normal, func(co *scheduler.Co) (int, error) {
					n++
					life := n
					if life < 6 {
						w.s.Submit(&task.Task)
					}
					step(co)
					if ended++; life == 6 {
						return 6, boom
					}
					return life, nil
				})
				waited := 0
				for i := range 2 {
					w.s.Go(prio, func(co *scheduler.Co) {
						for range 3 {
							want := ended + 1
							wait := task.Wait
							if i == 1 {
								wait = func(co *scheduler.Co) (int, error) { return task.WaitTimeout(co, time.Hour) }
							}
							v, err := wait(co)
							if v != min(want, 6) || (err == boom) != (v == 6) {
								t.Errorf("waited for %d, %v, want %d", v, err, want)
							}
							waited++
						}
					})
				}
				w.drain()
				for range 8 {
					w.frame(ms)
				}
				if n != 6 || waited != 6 {
					t.Errorf("%d runs, waited for %d", n, waited)
				}
			})
		}
	}
}
