package workers_test

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/workers"
)

// Whatever the numbers, every index is done once, and no piece is empty or shorter than it should be. A loop that would
// take for ever stays within its range while it lasts.
func TestLoopsDoEveryIndexOnce(t *testing.T) {
	length, add := func(lo, hi int) int { return hi - lo }, func(a, b int) int { return a + b }
	numbers := []int{math.MinInt, -1, 0, 1, 2, 7, 63, 64, 65, 1000, 100_000, math.MaxInt/2 + 1, math.MaxInt}
	each(t, func(t *testing.T, p *workers.Pool) {
		for _, n := range numbers {
			for _, grain := range numbers {
				endless := n > 1000 && grain <= 1000 && n != 100_000
				if n == 100_000 && grain == 1 || n > 100_000 && grain == 100_000 {
					continue
				}
				var calls atomic.Int64
				seen := make([]atomic.Int32, min(max(n, 0), 100_000))
				done := panicOf(func() {
					p.ParallelFor(n, grain, func(lo, hi int) {
						if lo < 0 || lo >= hi || hi > n || hi-lo < grain && hi != n {
							t.Errorf("n %d, grain %d: piece [%d, %d)", n, grain, lo, hi)
						}
						if calls.Add(1) == 1000 && endless {
							panic("enough")
						}
						for i := lo; i < min(hi, len(seen)); i++ {
							seen[i].Add(1)
						}
					})
				}) == nil
				if endless {
					continue
				}
				for i := range seen {
					if c := seen[i].Load(); c != 1 || !done {
						t.Fatalf("n %d, grain %d: index %d done %d times", n, grain, i, c)
					}
				}
				if sum := workers.Reduce(p, n, grain, length, add); sum != max(n, 0) {
					t.Errorf("Reduce of %d, grain %d: %d elements", n, grain, sum)
				}
			}
		}
	})
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
	f := workers.Submit(p, deadline.UserBlocking, func(context.Context) (int, error) { return 1, nil })
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

// Loops that overlap without an end do not keep jobs from being run: neither Immediate ones nor those whose timeout has
// passed.
func TestLoopsThatOverlapLetJobsRun(t *testing.T) {
	for _, prio := range []deadline.Priority{deadline.Immediate, deadline.Normal} {
		p := oneWorker(t, workers.Options{Workers: 1}.Aging(deadline.Timeouts{Normal: time.Millisecond}))
		var callers sync.WaitGroup
		end := make(chan struct{})
		for range 4 {
			callers.Go(func() {
				for {
					select {
					case <-end:
						return
					default:
						p.ParallelFor(50, 1, func(lo, hi int) { time.Sleep(50 * time.Microsecond) })
					}
				}
			})
		}
		within(t, "a job beside loops", func() {
			for range 5 {
				j := workers.Job{Priority: prio, Func: func(*workers.Worker) {}}
				for p.Submit(&j); j.State() != workers.Finished; time.Sleep(time.Millisecond) {
				}
			}
		})
		close(end)
		callers.Wait()
		mustClose(t, p)
	}
}
