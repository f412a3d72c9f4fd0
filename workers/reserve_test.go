package workers_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/workers"
)

// Before a fork what would not end in time is kept back, and nothing else; after it, it runs.
func TestExpectForkKeepsLongJobsBack(t *testing.T) {
	needsWorkers(t)
	synctest.Test(t, func(t *testing.T) {
		p := workers.New(workers.Options{Workers: 1})
		defer mustClose(t, p)
		var mu sync.Mutex
		var log []string
		note := func(s string) { mu.Lock(); defer mu.Unlock(); log = append(log, s) }
		start := time.Now()
		job := func(label string, prio deadline.Priority, cost time.Duration) *workers.Job {
			return &workers.Job{Label: label, Priority: prio, Cost: cost, Func: func(*workers.Worker) {
				note(label + " at " + time.Since(start).String())
			}}
		}
		submit := func(label string, prio deadline.Priority, cost time.Duration) {
			p.Submit(job(label, prio, cost))
			synctest.Wait()
		}
		p.BeginFrame()
		p.ExpectFork(5 * time.Millisecond)
		submit("short", deadline.Normal, time.Millisecond)
		submit("long", deadline.Normal, 6*time.Millisecond)
		submit("behind it", deadline.Normal, time.Millisecond)
		submit("urgent", deadline.UserBlocking, time.Second)
		submit("low", deadline.Low, 4*time.Millisecond)
		submit("idle", deadline.Idle, time.Hour)
		done := 0
		time.Sleep(2 * time.Millisecond)
		p.ParallelFor(10, 1, func(lo, hi int) {
			if lo == 0 {
				done++
			}
		})
		time.Sleep(10 * time.Millisecond)
		note("-")
		p.ExpectFork(5 * time.Millisecond)
		submit("again", deadline.Normal, time.Minute)
		p.EndFrame()
		synctest.Wait()
		want := []string{"short at 0s", "urgent at 0s", "low at 0s", "long at 5ms", "behind it at 5ms", "idle at 5ms",
			"-", "again at 12ms"}
		mu.Lock()
		defer mu.Unlock()
		for i, line := range want {
			if i >= len(log) || log[i] != line {
				t.Fatalf("got  %q\nwant %q", log, want)
			}
		}
	})
}

// Learned costs count too, and the end of the pool ends the waiting.
func TestExpectForkGoesByWhatKindsCost(t *testing.T) {
	needsWorkers(t)
	synctest.Test(t, func(t *testing.T) {
		p := workers.New(workers.Options{Workers: 1})
		var ran atomic.Int32
		f := func() { time.Sleep(3 * time.Millisecond); ran.Add(1) }
		p.ExpectFork(time.Millisecond)
		p.Go(deadline.Normal, f) // of a kind that nobody knows
		time.Sleep(10 * time.Millisecond)
		p.ExpectFork(time.Millisecond)
		p.Go(deadline.Normal, f)
		synctest.Wait()
		if ran.Load() != 1 {
			t.Errorf("%d ran at once, want 1", ran.Load())
		}
		mustClose(t, p)
		if ran.Load() != 2 {
			t.Errorf("%d ran, want 2", ran.Load())
		}
		p.ExpectFork(time.Hour)
	})
}

func ExamplePool_ExpectFork() {
	p := workers.New(workers.Options{})
	defer p.Close(background)
	p.BeginFrame()
	p.ExpectFork(2 * time.Millisecond) // after the input has been read
	// …
	var moved atomic.Int64
	p.ParallelFor(100, 0, func(lo, hi int) { moved.Add(int64(hi - lo)) })
	p.EndFrame()
	fmt.Println(moved.Load(), "moved")
	// Output: 100 moved
}
