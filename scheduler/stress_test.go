package scheduler_test

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// Everything from everywhere at once. Each accepted task ends exactly once, the counters add up, the host
// never sleeps on work, and the race detector has nothing to say.
func TestStress(t *testing.T) {
	for _, lock := range []bool{false, true} {
		onThread(lock, func() { stress(t, rand.Uint64()) })
	}
}

func stress(t *testing.T, seed uint64) {
	const producers = 8
	each := 2000
	if testing.Short() || scheduler.RaceEnabled {
		each = 400
	}
	woken := make(chan struct{}, 1)
	var wakes atomic.Int64
	s := scheduler.New(scheduler.Options{
		OnPanic: func(*scheduler.PanicError) {},
		Wake: func() {
			wakes.Add(1)
			select {
			case woken <- struct{}{}:
			default:
			}
		},
	})
	var ran, canceled, failed atomic.Int64
	var wg sync.WaitGroup
	for p := range producers {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(seed, uint64(p)))
			var mine []*scheduler.Task
			var came []*atomic.Bool // to their end; the last step of one that is canceled meanwhile may, too
			var handles []scheduler.Handle
			own := &scheduler.Task{Func: func() { ran.Add(1) }}
			for range each {
				prio := deadline.Priority(rng.IntN(5) - 2)
				switch rng.IntN(9) {
				case 0, 1, 2:
					handles = append(handles, s.Post(prio, func() { ran.Add(1) }))
				case 3:
					f, end := &future{}, &atomic.Bool{}
					came = append(came, end)
					mine = append(mine, s.Go(prio, func(co *scheduler.Co) {
						if v, _ := scheduler.Await[int](co, f); v != 5 {
							t.Error("Await returned before there was a result")
						}
						co.Yield()
						end.Store(true)
					}))
					wg.Go(func() { f.finish(5, nil) })
				case 4:
					delay := time.Duration(rng.IntN(1000)) * time.Microsecond
					x := &scheduler.Task{Priority: prio, Delay: delay}
					n, end := rng.IntN(3), &atomic.Bool{}
					x.Step = func() bool {
						n--
						end.Store(n < 0)
						return n >= 0
					}
					s.Submit(x)
					mine, came = append(mine, x), append(came, end)
				case 5:
					if len(mine) > 0 {
						x := mine[rng.IntN(len(mine))]
						if x.Cancel() {
							canceled.Add(1)
						}
					}
					if len(handles) > 0 && handles[rng.IntN(len(handles))].Cancel() {
						canceled.Add(1)
					}
				case 6:
					if len(mine) > 0 {
						mine[rng.IntN(len(mine))].SetPriority(prio)
					}
					if len(handles) > 0 {
						handles[rng.IntN(len(handles))].SetPriority(prio)
					}
				case 7:
					failed.Add(1)
					if rng.IntN(2) == 0 {
						s.Post(prio, func() { panic("stress") })
					} else {
						s.Post(prio, runtime.Goexit)
					}
				case 8: // a task of one's own, again and again
					if st := own.State(); st != scheduler.Queued && st != scheduler.Running {
						s.Submit(own)
					} else if own.Cancel() {
						canceled.Add(1)
						s.Submit(own)
					}
				}
				if rng.IntN(50) == 0 {
					runtime.Gosched()
				}
			}
			for i, x := range mine {
				<-x.Done()
				switch st := x.State(); {
				case st == scheduler.Done && came[i].Load():
					ran.Add(1)
				case st != scheduler.Canceled:
					t.Errorf("a task is %v after Done, and came to its end: %v", st, came[i].Load())
				}
			}
			if done := own.Done(); done != nil {
				<-done
			}
			for _, h := range handles {
				for h.State() == scheduler.Queued || h.State() == scheduler.Running {
					time.Sleep(time.Millisecond) // the pump is on its way
				}
			}
		})
	}
	finished := make(chan struct{})
	go func() { wg.Wait(); close(finished) }()

	// The host: it sleeps until Next or Wake, and for nothing else.
	for idle := false; !idle; {
		s.BeginFrame(deadline.Now())
		s.RunUntil(deadline.In(200 * time.Microsecond))
		at, ok := s.Next()
		wait := time.Hour
		if ok {
			wait = max(at.Sub(deadline.Now()), 0)
		}
		select {
		case <-woken:
		case <-finished:
			idle = true
		case <-time.After(wait):
			if wait == time.Hour {
				t.Fatal("a lost wake-up")
			}
		}
	}
	s.RunUntil(deadline.Deadline{})
	st := s.Stats()
	got := [3]int64{int64(st.Done), int64(st.Canceled), int64(st.Failed)}
	if want := [3]int64{ran.Load(), canceled.Load(), failed.Load()}; got != want {
		t.Errorf("seed %#x: done, cancelled, failed: %v, want %v", seed, got, want)
	}
	if st.Ready != [5]int{} || st.Delayed != [5]int{} || st.Waiting != 0 {
		t.Errorf("seed %#x: %+v, want nothing left", seed, st)
	}
	if size, free := scheduler.ArenaSize(s); size != free {
		t.Errorf("seed %#x: %d of %d items are free", seed, free, size)
	}
	s.Close()
}

// Wake is called once for each time that the inbox turns non-empty.
func TestWakeIsCalledOncePerBurst(t *testing.T) {
	wakes := 0
	s := scheduler.New(scheduler.Options{Wake: func() { wakes++ }})
	for i := 1; i <= 3; i++ {
		if _, ok := s.Next(); ok {
			t.Error("Next reports work where there is none")
		}
		var task scheduler.Task
		task.Func = func() {}
		s.Submit(&task)
		h := s.Post(deadline.Normal, func() {})
		h.SetPriority(deadline.Low)
		task.Cancel()
		s.Go(deadline.Normal, func(co *scheduler.Co) {})
		if wakes != i {
			t.Errorf("burst %d: %d calls of Wake", i, wakes)
		}
		if at, ok := s.Next(); !ok || at > deadline.Now() {
			t.Error("Next does not see the inbox")
		}
		s.RunUntil(deadline.Deadline{})
	}
	// A message to work that waits wakes too: a cancelled coroutine has to be unwound.
	co := s.Go(deadline.Normal, func(co *scheduler.Co) { co.Sleep(time.Hour) })
	s.RunUntil(deadline.Deadline{})
	wakes = 0
	co.Cancel()
	if wakes != 1 {
		t.Errorf("Cancel of a suspended coroutine: %d calls of Wake", wakes)
	}
	s.Close()
}
