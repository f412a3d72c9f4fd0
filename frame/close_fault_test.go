package frame_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// A program that ends with its first panic: the handler closes the loop, for a task, for a callback, and again for a
// coroutine that panics when that unwinds it; and for one whose loop the host closes.
func TestCloseInOnPanic(t *testing.T) {
	fail := func() { panic("x") }
	ways := map[string]func(l *frame.Loop){
		"task":     func(l *frame.Loop) { l.Post(deadline.Normal, fail) },
		"callback": func(l *frame.Loop) { l.Once(scheduler.BeforeUpdate, fail) },
		"the host": func(*frame.Loop) {},
	}
	for _, place := range placements() {
		for way, begin := range ways {
			var l *frame.Loop
			var calls atomic.Int32 // the slice may run beside this goroutine
			l = frame.New(frame.Options{
				Placement: place, Interval: time.Second / 100, Workers: workers.Options{Workers: -1},
				Scheduler: scheduler.Options{OnPanic: func(*scheduler.PanicError) {
					calls.Add(1)
					if err := l.Close(); err != nil {
						t.Errorf("%v, %s: %v", place, way, err)
					}
				}},
			})
			var begun atomic.Bool
			l.Go(deadline.Immediate, func(co *scheduler.Co) {
				defer fail()
				for begun.Store(true); ; {
					co.NextFrame()
				}
			})
			frames := func(over func() bool) {
				for range 1000 {
					if over() {
						return
					}
					l.Begin()
					l.Slice()
					time.Sleep(time.Millisecond)
					l.End()
				}
				t.Fatalf("%v, %s: nothing happens", place, way)
			}
			frames(begun.Load)
			want := int32(2)
			if begin(l); way == "the host" {
				want = 1
			} else {
				frames(func() bool { return calls.Load() > 0 })
			}
			if err := l.Close(); err != nil {
				t.Errorf("%v, %s: %v", place, way, err)
			}
			select {
			case <-l.Done():
			default:
				t.Errorf("%v, %s: the loop has not closed", place, way)
			}
			if n := calls.Load(); n != want {
				t.Errorf("%v, %s: OnPanic was called %d times, want %d", place, way, n, want)
			}
		}
	}
}
