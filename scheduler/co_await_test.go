package scheduler_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

func TestAwaitWithAnEnd(t *testing.T) {
	boom := errors.New("boom")
	ways := map[string]func(co *scheduler.Co, a scheduler.Awaitable[int]) (int, error){
		"timeout": func(co *scheduler.Co, a scheduler.Awaitable[int]) (int, error) {
			return scheduler.AwaitTimeout(co, a, 5*ms)
		},
		"context": func(co *scheduler.Co, a scheduler.Awaitable[int]) (int, error) {
			ctx, cancel := context.WithTimeoutCause(context.Background(), 5*ms, boom)
			defer cancel()
			return scheduler.AwaitContext(ctx, co, a)
		},
	}
	for name, await := range ways {
		t.Run(name, func(t *testing.T) {
			inWorld(t, scheduler.Options{}, func(w *world) {
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
			})
		})
	}
}

func TestCancelEndsAWaitAndItsTimer(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		late := &future{}
		co := w.s.Go(deadline.Normal, func(co *scheduler.Co) { scheduler.AwaitTimeout(co, late, time.Hour) })
		w.drain()
		co.Cancel()
		w.drain()
		late.finish(1, nil)
		w.drain()
		canceled(t, co)
		if st := w.s.Stats(); st.Delayed != none || st.Waiting != 0 {
			t.Errorf("%+v: the timer is left", st)
		}
	})
}

// listed is one that finishes when all its functions are called.
type listed []func()

func (l *listed) Notify(f func())    { *l = append(*l, f) }
func (*listed) Result() (int, error) { return 0, nil }

// The end of a timeout does not wait behind work that the coroutine would pass: here one that was raised by who waits
// for it, under more Normal work than there is time for.
func TestTimeoutOfARaisedCoroutine(t *testing.T) {
	s, now := virtual(t, scheduler.Options{Policy: deadline.ByPriority})
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
		t.Errorf("after 20 ms the wait of 10 ms is %v, who waits for it %v", low.State(), high.State())
	}
}
