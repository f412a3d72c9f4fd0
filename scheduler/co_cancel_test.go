package scheduler_test

import (
	"errors"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

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
					l.add("went on")()
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
