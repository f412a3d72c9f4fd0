package scheduler_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/testkit"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/scheduler/flow"
)

func TestCancelOfASuspendedCoroutineRunsItsDefers(t *testing.T) {
	other := &scheduler.Task{Func: func() {}, Delay: time.Hour}
	for name, suspend := range map[string]func(*scheduler.Co){
		"Yield":     func(co *scheduler.Co) { time.Sleep(8 * ms); co.Yield() },
		"NextFrame": func(co *scheduler.Co) { co.NextFrame() },
		"Sleep":     func(co *scheduler.Co) { co.Sleep(time.Hour) },
		"Wait":      func(co *scheduler.Co) { co.Wait(other) },
		"Await":     func(co *scheduler.Co) { scheduler.Await[int](co, &future{}) },
	} {
		inWorld(t, scheduler.Options{}, func(w *world) {
			other = &scheduler.Task{Func: func() {}, Delay: time.Hour}
			w.s.Submit(other)
			var l log
			task := w.s.Go(deadline.Normal, func(co *scheduler.Co) {
				defer func() { l.add("outer")() }()
				func() {
					defer func() { l.add("inner")() }()
					suspend(co)
					l.add("continued")()
				}()
			})
			var waited error
			w.s.Go(deadline.Normal, func(co *scheduler.Co) { waited = co.Wait(task) })
			w.frame(8 * ms)
			if !task.Cancel() || task.Cancel() {
				t.Errorf("%s: Cancel, Cancel: want true, false", name)
			}
			w.s.Post(deadline.Normal, l.add("next"))
			w.frame(8 * ms)
			l.want(t, "inner outer next")
			canceled(t, task)
			if st := w.s.Stats(); st.Frame+st.Waiting != 0 || !errors.Is(waited, scheduler.ErrCanceled) {
				t.Errorf("%s: %+v, Wait returned %v", name, st, waited)
			}
		})
	}
}

func TestACoroutineThatSwallowsItsCancelEnds(t *testing.T) {
	for name, body := range map[string]func(co *scheduler.Co, l *log){
		"returns": func(co *scheduler.Co, l *log) {
			if text := testkit.PanicOf(co.NextFrame); text != "scheduler: the task was canceled" {
				l.say("recovered %s", text)
			}
		},
		"suspends again": func(co *scheduler.Co, l *log) {
			for {
				testkit.Recovered(co.NextFrame)
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

// What a deferred call submits while the coroutine unwinds is the next generation. A Cancel takes the generation back.
func TestSubmitWhileACoroutineUnwinds(t *testing.T) {
	for _, again := range []bool{true, false} {
		inWorld(t, scheduler.Options{}, func(w *world) {
			runs, task := 0, &scheduler.Task{}
			task.Co = func(co *scheduler.Co) {
				if runs++; runs == 2 {
					return
				}
				defer func() {
					w.s.Submit(task)
					if !again && (!task.Cancel() || task.Cancel()) {
						t.Error("Cancel of a resubmission, and once more: want true, then false")
					}
				}()
				co.NextFrame()
			}
			w.s.Submit(task)
			first := task.Done()
			w.frame(ms)
			task.Cancel()
			w.frame(ms)
			w.frame(ms)
			eq(t, "the first generation has ended", isDone(first), true)
			if again {
				eq(t, "runs", runs, 2)
				eq(t, "state", task.State(), scheduler.Done)
			} else {
				eq(t, "runs", runs, 1)
				canceled(t, task)
			}
		})
	}
}

func TestAwaitWithAnEnd(t *testing.T) {
	boom := errors.New("boom")
	for name, await := range map[string]func(co *scheduler.Co, a scheduler.Awaitable[int]) (int, error){
		"timeout": func(co *scheduler.Co, a scheduler.Awaitable[int]) (int, error) {
			return scheduler.AwaitTimeout(co, a, 5*ms)
		},
		"context": func(co *scheduler.Co, a scheduler.Awaitable[int]) (int, error) {
			ctx, cancel := context.WithTimeoutCause(context.Background(), 5*ms, boom)
			defer cancel()
			return flow.AwaitContext(ctx, co, a)
		},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, scheduler.Options{}, func(w *world) { awaitWithAnEnd(t, w, await, boom) })
		})
	}
}

func awaitWithAnEnd(
	t *testing.T, w *world, await func(*scheduler.Co, scheduler.Awaitable[int]) (int, error), boom error,
) {
	var l log
	late, soon, there := &future{}, &future{}, &future{done: true, value: 3}
	w.s.Go(deadline.Normal, func(co *scheduler.Co) {
		for range 3 { // the same coroutine, so that nothing is left of a wait that ended
			v, err := await(co, late)
			if v != 0 || !errors.Is(err, scheduler.ErrTimeout) && !errors.Is(err, boom) {
				t.Errorf("late: %d, %v", v, err)
			}
			l.add("late")()
			notice := late.f[len(late.f)-1]
			notice() // it comes now, and again
			go notice()
			v, err = await(co, soon)
			if v != 7 || err != nil {
				t.Errorf("soon: %d, %v", v, err)
			}
			l.add("soon")()
			soon.done = false
			v, err = await(co, there)
			if v != 3 || err != nil {
				t.Errorf("there: %d, %v", v, err)
			}
		}
	})
	w.drain()
	for range 3 {
		time.Sleep(5*ms + 10*time.Microsecond)
		w.drain()
		time.Sleep(4 * ms)
		go soon.finish(7, nil)
		time.Sleep(10 * time.Microsecond)
		w.drain()
	}
	l.want(t, "late soon late soon late soon")
	if st := w.s.Stats(); st.Waiting != 0 || st.Delayed != none {
		t.Errorf("%+v: a timer or a wait is left", st)
	}
}

// The end of a timeout goes by the scheduler's clock, and a cancelled wait leaves no timer.
func TestTimeoutOfAnAwait(t *testing.T) {
	s, now := virtual(t, scheduler.Options{})
	var ended error
	s.Go(deadline.Normal, func(co *scheduler.Co) {
		_, ended = scheduler.AwaitTimeout(co, silence{}, 10*ms)
	})
	canceled := s.Go(deadline.Normal, func(co *scheduler.Co) { scheduler.AwaitTimeout(co, silence{}, time.Hour) })
	s.RunUntil(deadline.Deadline{})
	*now = now.Add(20 * ms)
	s.Shift(15 * ms) // a jump of the clock puts the end off
	canceled.Cancel()
	s.RunUntil(deadline.Deadline{})
	timers := 0
	for _, n := range s.Stats().Delayed {
		timers += n
	}
	if ended != nil || timers != 1 {
		t.Errorf("after 5 of 10 ms: %v, %d timers", ended, timers)
	}
	*now = now.Add(6 * ms)
	s.RunUntil(deadline.Deadline{})
	if !errors.Is(ended, scheduler.ErrTimeout) || !errors.Is(ended, context.DeadlineExceeded) {
		t.Errorf("after 11 of 10 ms: %v", ended)
	}
}

// The end of a timeout does not wait behind work that the coroutine would pass: here one that was raised by another
// that waits for it, under more Normal work than there is time for.
func TestTimeoutOfARaisedCoroutine(t *testing.T) {
	s, now := virtual(t, scheduler.Options{ByPriority: true})
	low := s.Go(deadline.Low, func(co *scheduler.Co) { _, _ = scheduler.AwaitTimeout(co, silence{}, 10*ms) })
	s.RunUntil(deadline.Deadline{})
	high := s.Go(deadline.UserBlocking, func(co *scheduler.Co) { _ = co.Wait(low) })
	s.RunUntil(deadline.Deadline{})
	for range 20 {
		for range 200 {
			s.Post(deadline.Normal, func() { *now += deadline.Instant(10 * time.Microsecond) })
		}
		s.RunUntil(deadline.At(now.Add(ms)))
	}
	if high.State() != scheduler.Done {
		t.Errorf("after 20 ms the wait of 10 ms is %v, and the one that waits for it %v", low.State(), high.State())
	}
}

// listed is one that finishes when all its functions are called.
type listed []func()

func (l *listed) Notify(f func())    { *l = append(*l, f) }
func (*listed) Result() (int, error) { return 0, nil }
