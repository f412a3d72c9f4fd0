package scheduler_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

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

func TestCancelOfWaitingWork(t *testing.T) {
	for _, drained := range []bool{false, true} {
		for _, delay := range []time.Duration{0, time.Hour} {
			inWorld(t, scheduler.Options{}, func(w *world) {
				stop := func(read func()) {
					if !drained {
						read = func() {}
					}
					w.s.Post(deadline.Immediate, func() {})
					task := &scheduler.Task{Func: never(t), Delay: delay}
					w.s.Submit(task)
					step := &scheduler.Task{Step: func() bool { never(t)(); return false }, Delay: delay}
					w.s.Submit(step)
					co := &scheduler.Task{Co: func(*scheduler.Co) { never(t)() }, Delay: delay}
					w.s.Submit(co)
					h := w.s.Post(deadline.Low, never(t))
					read()
					for _, x := range []*scheduler.Task{task, step, co} {
						done := x.Done()
						if x.State() != scheduler.Queued || !x.Cancel() {
							t.Errorf("Cancel of a task that is %v = false", x.State())
						}
						<-done
						canceled(t, x)
					}
					if !h.Cancel() || h.Cancel() || h.State() != scheduler.Canceled {
						t.Errorf("Cancel of a Handle does not work: %v", h.State())
					}
				}
				stop(func() { w.s.RunUntil(deadline.In(0)) }) // reads all, runs the Immediate one
				if r := w.drain(); r.Ran > 1 || r.Ready != 0 {
					t.Errorf("%+v after all was cancelled", r)
				}
				if _, ok := w.s.Next(); ok {
					t.Error("Next sees cancelled work")
				}
				if st := w.s.Stats(); st.Canceled != 4 || st.Delayed != [5]int{} {
					t.Errorf("%+v, want 4 cancelled and none delayed", st)
				}
			})
		}
	}
}

func TestCancelOfARunningFunctionIsTooLate(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var task scheduler.Task
		task.Func = func() {
			if task.State() != scheduler.Running {
				t.Errorf("state = %v, want running", task.State())
			}
			if task.Cancel() {
				t.Error("Cancel of a running function = true")
			}
		}
		w.s.Submit(&task)
		var h scheduler.Handle
		h = w.s.Post(deadline.Normal, func() {
			if h.State() != scheduler.Running || h.Cancel() {
				t.Errorf("a running function is %v, or could be cancelled", h.State())
			}
		})
		w.drain()
		if task.State() != scheduler.Done || task.Err() != nil || task.Cancel() {
			t.Errorf("after the run: %v, %v", task.State(), task.Err())
		}
		if h.State() != scheduler.Done || h.Cancel() {
			t.Errorf("after the run: %v", h.State())
		}
	})
}

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

func TestDefersRunInOrderAndTheFrameGoesOn(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var l log
		task := w.s.Go(deadline.Normal, func(co *scheduler.Co) {
			defer func() { l.add("outer")() }()
			defer func() {
				if v := recover(); v == nil {
					t.Error("unwinding is not a panic")
				} else {
					l.add("recovered")()
					panic(v)
				}
			}()
			defer func() { l.add("inner")() }()
			co.NextFrame()
		})
		w.frame(ms)
		task.Cancel()
		w.s.Post(deadline.Normal, l.add("next"))
		w.frame(ms)
		l.want(t, "inner recovered outer next")
		canceled(t, task)
	})
}

func TestCancelTwiceInOneSliceAndAgainAfterTheEnd(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		task := w.s.Go(deadline.Normal, func(co *scheduler.Co) { co.NextFrame() })
		w.frame(ms)
		w.s.Post(deadline.Immediate, func() {
			if !task.Cancel() || task.Cancel() || task.SetPriority(deadline.Low) != true {
				t.Error("Cancel, Cancel, SetPriority: want true, false, true")
			}
		})
		w.frame(ms)
		canceled(t, task)
	})
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
	for range 20 {
		runtime.GC()
		time.Sleep(10 * time.Millisecond)
		for len(gone) > 0 {
			names = append(names, <-gone)
		}
		if len(names) == 4 {
			break
		}
	}
	slices.Sort(names)
	if got := strings.Join(names, " "); got != "inbox posted queued task" {
		t.Errorf("collected: %q", got)
	}
}

func TestCancelOfAResubmission(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		n := 0
		var task scheduler.Task
		task.Func = func() {
			if n++; n < 4 {
				w.s.Submit(&task)
			}
			if n == 3 && !task.Cancel() {
				t.Error("Cancel of a resubmission = false")
			}
		}
		w.s.Submit(&task)
		w.drain()
		if n != 3 || task.State() != scheduler.Done || task.Err() != nil {
			t.Errorf("%d runs, then %v, want 3, done", n, task.State())
		}
		// Cancelled and submitted again, in the inbox and in the queue.
		n = 10
		w.s.Submit(&task)
		task.Cancel()
		w.s.Submit(&task)
		w.s.Post(deadline.Immediate, func() {})
		w.s.RunUntil(deadline.In(-1))
		done := task.Done()
		task.Cancel()
		w.s.Submit(&task)
		<-done
		select {
		case <-task.Done():
			t.Error("the new life's Done is closed by the old one's end")
		default:
		}
		w.drain()
		if n != 11 || task.State() != scheduler.Done {
			t.Errorf("%d runs, then %v, want 1, done", n-10, task.State())
		}
	})
}

func TestStaleHandlesAreHarmless(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
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
	})
}
