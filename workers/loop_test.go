package workers_test

import (
	"context"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/testkit"
	"github.com/frameslice/frameslice/workers"
)

// Whatever the numbers, every index is done once, and no piece is empty or shorter than it should be. A loop that would
// take for ever stays within its range while it lasts.
func TestLoopsDoEveryIndexOnce(t *testing.T) {
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
				done := testkit.Recovered(func() {
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

// Loops that overlap without an end do not keep jobs from being run: neither Immediate ones nor those whose timeout has
// passed.
func TestLoopsThatOverlapLetJobsRun(t *testing.T) {
	needsWorkers(t)
	for _, prio := range []deadline.Priority{deadline.Immediate, deadline.Normal} {
		p := workers.New(workers.Options{Workers: 1}.Aging(deadline.Timeouts{Normal: time.Millisecond}))
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
		testkit.Within(t, "a job beside loops", func() {
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

// foreign is a Looper of somebody else's, though it has one of ours within.
type foreign struct {
	*workers.Pool
	called int
}

func (l *foreign) ParallelFor(n, grain int, body func(lo, hi int)) {
	l.called++
	l.Pool.ParallelFor(n, grain, body)
}

// A loop of a foreign Looper is run by the ParallelFor of that Looper.
func TestJoinUsesAForeignLooper(t *testing.T) {
	p := workers.New(workers.Options{Workers: -1})
	defer mustClose(t, p)
	l := &foreign{Pool: p}
	if workers.Join(l, func() {}, func() {}); l.called == 0 {
		t.Error("it does not")
	}
}
