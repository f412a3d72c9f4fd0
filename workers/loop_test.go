package workers_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/park"
	"github.com/frameslice/frameslice/workers"
)

func TestParallelForDoesEveryIndexOnce(t *testing.T) {
	each(t, func(t *testing.T, p *workers.Pool) {
		for _, n := range []int{-1, 0, 1, 2, 3, 63, 64, 65, 1000, 100_000} {
			for _, grain := range []int{-1, 0, 1, 7, 1000, 1 << 30} {
				if n == 100_000 && grain == 1 {
					continue
				}
				seen := make([]atomic.Int32, max(n, 0))
				p.ParallelFor(n, grain, func(lo, hi int) {
					if lo >= hi || hi-lo < grain && hi != n {
						t.Errorf("n %d, grain %d: piece [%d, %d)", n, grain, lo, hi)
					}
					for i := lo; i < hi; i++ {
						seen[i].Add(1)
					}
				})
				for i := range seen {
					if c := seen[i].Load(); c != 1 {
						t.Fatalf("n %d, grain %d: index %d done %d times", n, grain, i, c)
					}
				}
			}
		}
	})
}

// Two pieces that wait for one another: the caller cannot do it alone.
func TestParallelForIsHelped(t *testing.T) {
	needsWorkers(t)
	p := workers.New(workers.Options{Workers: 1})
	defer mustClose(t, p)
	for range 200 {
		var met sync.WaitGroup
		met.Add(2)
		p.ParallelFor(2, 1, func(lo, hi int) {
			met.Done()
			met.Wait()
		})
	}
}

// The last piece is the helper's, and long: the caller must sleep and be woken.
func TestParallelForWaitsForTheLastHelper(t *testing.T) {
	needsWorkers(t)
	for _, k := range []park.Kind{park.Auto, park.Chan} {
		p := workers.New(workers.Options{Workers: 2}.Parking(k))
		var caller atomic.Uint64
		for range 50 {
			var ended atomic.Int64
			var met sync.WaitGroup
			met.Add(3)
			p.ParallelFor(3, 1, func(lo, hi int) {
				met.Done()
				met.Wait()
				for range int(caller.Add(1) % 3 * 300) {
					runtime.Gosched()
				}
				ended.Add(1)
			})
			if ended.Load() != 3 {
				t.Fatal("ParallelFor returned before its pieces")
			}
		}
		mustClose(t, p)
	}
}

func TestParallelForNestsAndOverlaps(t *testing.T) {
	each(t, func(t *testing.T, p *workers.Pool) {
		var sum atomic.Int64
		inner := func(w *workers.Worker) {
			loop := p.ParallelFor
			if w != nil {
				loop = w.ParallelFor
			}
			loop(10, 1, func(lo, hi int) {
				for range hi - lo {
					p.ParallelFor(10, 1, func(lo, hi int) { sum.Add(int64(hi - lo)) })
				}
			})
		}
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() { inner(nil) })
		}
		jobs := make([]workers.Job, 4)
		for i := range jobs {
			jobs[i].Priority = deadline.Priorities()[i]
			jobs[i].Func = inner
			p.Submit(&jobs[i])
		}
		wg.Wait()
		for i := range jobs {
			if err := jobs[i].Wait(background); err != nil {
				t.Error(err)
			}
		}
		if sum.Load() != 800 {
			t.Errorf("sum %d, want 800", sum.Load())
		}
	})
}

// More loops at once than there are descriptors: the rest run alone.
func TestParallelForWithoutADescriptor(t *testing.T) {
	p := workers.New(workers.Options{Workers: 1})
	defer mustClose(t, p)
	var sum atomic.Int64
	var nest func(depth int)
	nest = func(depth int) {
		p.ParallelFor(2, 1, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				sum.Add(1)
				if depth > 0 && i == 0 {
					nest(depth - 1)
				}
			}
		})
	}
	nest(100)
	if sum.Load() != 202 {
		t.Errorf("sum %d, want 202", sum.Load())
	}
}

func TestParallelForRaisesTheFirstPanic(t *testing.T) {
	each(t, func(t *testing.T, p *workers.Pool) {
		boom := errors.New("boom")
		for _, at := range []int{0, 1, 500, 999} {
			for _, grain := range []int{0, 1} {
				var running atomic.Int64
				func() {
					defer func() {
						var pe *workers.PanicError
						if err, ok := recover().(error); !ok || !errors.As(err, &pe) || !errors.Is(err, boom) {
							t.Errorf("panic %v", err)
						}
						if running.Load() != 0 {
							t.Error("raised while pieces were running")
						}
					}()
					p.ParallelFor(1000, grain, func(lo, hi int) {
						running.Add(1)
						defer running.Add(-1)
						if lo <= at && at < hi {
							explode(boom)
						}
						burn(lo, hi, 50)
					})
					t.Error("no panic")
				}()
			}
		}
	})
}

// Goexit on a helper is a panic with ErrGoexit in the caller; on the caller it is what it says, after the
// helpers.
func TestParallelForAndGoexit(t *testing.T) {
	needsWorkers(t)
	p := workers.New(workers.Options{Workers: 1})
	defer mustClose(t, p)
	for range 20 {
		var exiting atomic.Int32
		outcome := make(chan any, 1)
		go func() {
			returned := false
			defer func() {
				v := recover()
				if v == nil && !returned {
					v = "exited"
				}
				outcome <- v
			}()
			var met sync.WaitGroup
			met.Add(2)
			p.ParallelFor(2, 1, func(lo, hi int) {
				met.Done()
				met.Wait()
				if exiting.Add(1) == 1 {
					runtime.Goexit()
				}
			})
			returned = true
		}()
		switch v := (<-outcome).(type) {
		case string:
		case error:
			if !errors.Is(v, workers.ErrGoexit) {
				t.Errorf("panic %v", v)
			}
		default:
			t.Errorf("outcome %v: the Goexit was lost", v)
		}
	}
}

func TestParallelForDoesNotAllocate(t *testing.T) {
	for _, n := range []int{-1, 1} {
		p := workers.New(workers.Options{Workers: n})
		body := func(lo, hi int) { burn(lo, hi, 10) }
		for _, grain := range []int{0, 100} {
			p.ParallelFor(10000, grain, body)
			if n := allocsPerRun(100, func() { p.ParallelFor(10000, grain, body) }); n >= 1 {
				t.Errorf("%v allocations with grain %d", n, grain)
			}
		}
		mustClose(t, p)
	}
}

func ExamplePool_ParallelFor() {
	p := workers.New(workers.Options{})
	defer p.Close(context.Background())
	squares := make([]int, 1000)
	p.ParallelFor(len(squares), 0, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			squares[i] = i * i
		}
	})
	fmt.Println(squares[999])
	// Output: 998001
}

// A background job that polls lets a frame's ParallelFor, and urgent jobs, in.
func TestYieldHelpsAFramesLoop(t *testing.T) {
	needsWorkers(t)
	p := workers.New(workers.Options{Workers: 1})
	defer mustClose(t, p)
	var stop atomic.Bool
	started := make(chan struct{})
	j := workers.Job{Label: "long", Priority: deadline.Low, Func: func(w *workers.Worker) {
		close(started)
		for !stop.Load() {
			if w.ShouldYield() {
				w.Yield()
			}
			runtime.Gosched()
		}
	}}
	p.Submit(&j)
	<-started
	for _, end := range []func(){func() {}, runtime.Goexit, func() { panic("no") }} {
		var byWorker atomic.Int32
		func() {
			defer func() { _ = recover() }()
			p.ParallelFor(2, 1, func(lo, _ int) {
				if runtimeIsWorker() || lo == 1 {
					byWorker.Add(1)
					end()
					return
				}
				eventually(t, "the other half", func() bool { return byWorker.Load() > 0 })
			})
		}()
		var s workers.Stats
		eventually(t, "the job goes on", func() bool { // a moment after the loop
			p.Stats(&s)
			return j.State() == workers.Running && s.PerWorker[0].Running && s.PerWorker[0].Label == "long"
		})
	}
	f := workers.Submit(p, deadline.UserBlocking, func() (int, error) { return 1, nil })
	<-f.Done()
	stop.Store(true)
	if err := j.Wait(background); err != nil {
		t.Error(err)
	}
}

// runtimeIsWorker reports whether the calling goroutine is a worker's.
func runtimeIsWorker() bool {
	var buf [1 << 12]byte
	return strings.Contains(string(buf[:runtime.Stack(buf[:], false)]), "workers.(*Worker).serve")
}
