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
	await := func(co *scheduler.Co, a scheduler.Awaitable[int]) (int, error) {
		ctx, cancel := context.WithTimeoutCause(context.Background(), 5*ms, boom)
		defer cancel()
		return scheduler.AwaitContext(ctx, co, a)
	}
	inWorld(t, scheduler.Options{}, func(w *world) {
		var l log
		late, soon, there := &future{}, &future{}, &future{done: true, value: 3}
		w.s.Go(deadline.Normal, func(co *scheduler.Co) {
			for range 3 { // the same coroutine, so that nothing is left of a wait that ended
				v, err := await(co, late)
				if v != 0 || !errors.Is(err, boom) {
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
}

// listed is one that finishes when all its functions are called.
type listed []func()

func (l *listed) Notify(f func())    { *l = append(*l, f) }
func (*listed) Result() (int, error) { return 0, nil }
