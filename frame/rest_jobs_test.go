package frame_test

import (
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// sleeper is a host that draws on demand: it sleeps until Next or Wake. It gives up at the end.
func sleeper(l *frame.Loop, woken chan struct{}, done func() bool, end time.Duration) (frames int) {
	begin := time.Now()
	for ; !done() && time.Since(begin) < end; frames++ {
		l.Begin()
		l.Slice()
		l.End()
		wait := end
		if at, ok := l.Scheduler().Next(); ok {
			wait = at.Sub(deadline.Now())
		}
		if wait > 0 && !done() {
			l.Rest()
			select {
			case <-woken:
			case <-time.After(wait):
			}
		}
	}
	return frames
}

func TestASleepingHostRunsTheJobsOfAPoolWithoutWorkers(t *testing.T) {
	for _, c := range []struct {
		name string
		work func(l *frame.Loop, done func())
	}{
		{"a coroutine's", func(l *frame.Loop, done func()) {
			l.Go(deadline.Normal, func(co *scheduler.Co) {
				frame.Background(co, l.Pool(), func() (int, error) { time.Sleep(time.Millisecond); return 1, nil })
				done()
			})
		}},
		{"long ones", func(l *frame.Loop, done func()) {
			l.Go(deadline.Normal, func(co *scheduler.Co) {
				for range 5 {
					frame.Background(co, l.Pool(), func() (int, error) {
						time.Sleep(30 * time.Millisecond)
						return 1, nil
					})
				}
				done()
			})
		}},
		{"in turns", func(l *frame.Loop, done func()) {
			l.Pool().Submit(&workers.Job{Func: func(w *workers.Worker) {
				for range 40 {
					time.Sleep(4 * time.Millisecond)
					w.Yield()
				}
				done()
			}})
		}},
		{"another goroutine's", func(l *frame.Loop, done func()) {
			time.AfterFunc(time.Second, func() {
				l.Post(deadline.Normal, func() { l.Pool().Go(deadline.Normal, done) })
			})
		}},
		{"from another goroutine", func(l *frame.Loop, done func()) {
			time.AfterFunc(time.Second, func() { l.Pool().Go(deadline.Normal, done) })
		}},
		{"a future of another goroutine, and what follows it", func(l *frame.Loop, done func()) {
			time.AfterFunc(time.Second, func() {
				one := workers.Submit(l.Pool(), deadline.Idle, func() (int, error) { return 1, nil })
				workers.Then(one, func(n int) (int, error) { done(); return n, nil })
			})
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var woken chan struct{}
			o := frame.Options{Placement: frame.PlaceAfterDraw}
			o.Scheduler.Wake = func() {
				select {
				case woken <- struct{}{}:
				default:
				}
			}
			bubble(t, o, func(t *testing.T, l *frame.Loop) {
				woken = make(chan struct{}, 1)
				done := false
				c.work(l, func() { done = true })
				frames := sleeper(l, woken, func() bool { return done }, time.Minute)
				if !done {
					t.Errorf("after a minute and %d frames the work is not done", frames)
				}
			})
		})
	}
}
