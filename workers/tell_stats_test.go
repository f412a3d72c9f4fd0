package workers

import (
	"maps"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// A look between the end of a job and the count of its time finds as much as the look before. What is told is never
// more than the time within jobs.
func TestBusyBetweenTheEndOfAJobAndItsCount(t *testing.T) {
	const ms = time.Millisecond
	var s seen
	for i, c := range []struct {
		counted, started, now time.Duration
		want                  time.Duration
	}{
		{0, 0, 5 * ms, 0},
		{0, 10 * ms, 9 * ms, 0}, // the job began after the reader's look at the clock
		{0, 10 * ms, 110 * ms, 100 * ms},
		{0, 0, 111 * ms, 100 * ms}, // it has ended
		{0, 112 * ms, 113 * ms, 100 * ms},
		{102 * ms, 0, 114 * ms, 102 * ms},
		{102 * ms, 114 * ms, 113 * ms, 102 * ms},
		{102 * ms, 114 * ms, 115 * ms, 103 * ms},
	} {
		s.busy.Store(int64(c.counted))
		s.started.Store(int64(c.started))
		busy, running := s.busyAt(deadline.Instant(c.now))
		if busy != c.want || running != (c.started != 0) {
			t.Errorf("look %d: %v, running %v, want %v", i, busy, running, c.want)
		}
	}
}

// The time of a job that panics or calls Goexit counts as that of others.
func TestBusyCountsJobsThatDoNotReturn(t *testing.T) {
	NeedsWorkers(t)
	p := New(Options{Workers: 1, OnPanic: func(*PanicError) {}})
	defer MustClose(t, p)
	for _, end := range []func(){func() {}, runtime.Goexit, func() { panic("a job's") }} {
		before := busyOf(p, 0, false)
		var took time.Duration
		p.Go(deadline.Normal, func() {
			begun := time.Now()
			time.Sleep(5 * time.Millisecond)
			took = time.Since(begun)
			end()
		})
		last := Job{Func: func(*Worker) {}} // it begins when the time has been counted
		p.Submit(&last)
		for !last.Finished() {
			time.Sleep(100 * time.Microsecond)
		}
		if got := busyOf(p, 0, false) - before; got < took {
			t.Errorf("a job of %v counts as %v", took, got)
		}
	}
}

func busyOf(p *Pool, index int, low bool) time.Duration {
	var s Stats
	p.Stats(&s)
	for _, one := range s.PerWorker {
		if one.Index == index && one.Low == low {
			return one.Busy
		}
	}
	return 0
}

// Whatever the workers do, and however many look, no count of a worker goes back. A worker that comes and goes keeps
// its name.
func TestCountsOfWorkersNeverGoBack(t *testing.T) {
	NeedsWorkers(t)
	p := New(Options{Workers: 2, Background: 1, OnPanic: func(*PanicError) {}})
	var stop atomic.Bool
	again := func(f func(w *Worker)) {
		prios := []deadline.Priority{deadline.UserBlocking, deadline.Low}
		for _, prio := range prios {
			var next func()
			next = func() {
				if !stop.Load() {
					j := &Job{Priority: prio, Func: func(w *Worker) { defer next(); f(w) }}
					p.Submit(j)
				}
			}
			next()
		}
	}
	again(func(*Worker) {})
	again(func(*Worker) { spin(100 * time.Microsecond) })
	again(func(*Worker) { spin(time.Millisecond); runtime.Goexit() })
	again(func(*Worker) { spin(time.Millisecond); panic("a job's") })
	again(func(w *Worker) { w.Blocking(func() { time.Sleep(time.Millisecond) }) })
	again(func(w *Worker) { w.ParallelFor(8, 1, func(int, int) { spin(100 * time.Microsecond) }) })
	again(func(w *Worker) { spin(time.Millisecond); w.Yield(); spin(time.Millisecond) })
	again(func(w *Worker) {
		j := Job{Func: func(*Worker) { spin(100 * time.Microsecond) }}
		w.Fork(&j)
		spin(50 * time.Microsecond)
		w.Join(&j)
	})

	type name struct {
		index int
		low   bool
	}
	var told struct {
		sync.Mutex
		counts map[name]WorkerStats
	}
	told.counts = map[name]WorkerStats{}
	long := 2 * time.Second
	if testing.Short() {
		long = 300 * time.Millisecond
	}
	end := time.Now().Add(long)
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			var s Stats
			for time.Now().Before(end) {
				told.Lock()
				before := maps.Clone(told.counts) // what all have been told by now
				told.Unlock()
				p.Stats(&s)
				told.Lock()
				for _, one := range s.PerWorker {
					id := name{one.Index, one.Low}
					was, now := before[id], told.counts[id]
					if one.Busy < was.Busy || one.Run < was.Run {
						t.Errorf("worker %v: %v, %d runs, and then %v, %d", id, was.Busy, was.Run, one.Busy, one.Run)
						stop.Store(true)
					}
					now.Busy, now.Run = max(now.Busy, one.Busy), max(now.Run, one.Run)
					told.counts[id] = now
				}
				told.Unlock()
				p.ParallelFor(2, 1, func(int, int) { spin(10 * time.Microsecond) })
				if stop.Load() {
					return
				}
			}
		})
	}
	all.Wait()
	stop.Store(true)
	MustClose(t, p)
}
