package workers_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/bridge"
	"github.com/frameslice/frameslice/internal/costs"
	"github.com/frameslice/frameslice/workers"
)

// Ways to give a job to the pool. Each makes all its jobs of one kind.
var submitters = map[string]func(p *workers.Pool, f func()) func(){
	"Submit": func(p *workers.Pool, f func()) func() {
		return func() { p.Submit(&workers.Job{Label: "load", Func: func(*workers.Worker) { f() }}) }
	},
	"Go": func(p *workers.Pool, f func()) func() { return func() { p.Go(deadline.Normal, f) } },
	"Future": func(p *workers.Pool, f func()) func() {
		return func() { workers.Submit(p, deadline.Normal, func(context.Context) (int, error) { f(); return 0, nil }) }
	},
	"Group": func(p *workers.Pool, f func()) func() {
		g := p.NewGroup(background, deadline.Normal)
		return func() { g.Go(func(context.Context) error { f(); return nil }) }
	},
	"SubmitWaiting": func(p *workers.Pool, f func()) func() {
		return func() {
			bridge.Of(p).SubmitWaiting(&workers.Job{Label: "load", Func: func(*workers.Worker) { f() }})
		}
	},
}

const (
	quick  = 300 * time.Microsecond
	budget = 8 * ms
)

// The frame goroutine has its slices beside a worker, and a queue that is never empty. No slice takes longer than its
// budget and one quick job, whoever submits, and however a job comes to be long once in a while.
func TestNoSliceRunsALongJob(t *testing.T) {
	needsWorkers(t)
	long := map[string]func(lock chan bool){
		"sleeps": func(chan bool) { time.Sleep(40 * ms) }, // to compute is all the same in a bubble
		"waits":  func(lock chan bool) { lock <- true; <-lock },
	}
	for name, with := range submitters {
		for how, wait := range long {
			for _, one := range []int{10, 30, 1000} {
				t.Run(fmt.Sprintf("%s %s, 1 in %d", name, how, one), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) { testSlices(t, with, wait, one) })
				})
			}
		}
	}
}

func testSlices(t *testing.T, with func(*workers.Pool, func()) func(), wait func(chan bool), one int) {
	p := workers.New(workers.Options{Workers: 1})
	defer mustClose(t, p)
	lock := make(chan bool, 1) // of the program, and another goroutine holds it for long
	over := make(chan struct{})
	defer func() { over <- struct{}{} }()
	go func() {
		for {
			select {
			case <-over:
				return
			case lock <- true:
				time.Sleep(150 * ms)
				<-lock
			}
		}
	}()
	var n, left, longs atomic.Int64
	rng := rand.New(rand.NewPCG(1, uint64(one)))
	isLong := make([]bool, min(60*one, 5000))
	for i := range isLong {
		isLong[i] = one < 1000 && rng.IntN(one) == 0 || one == 1000 && i%1000 == 500
	}
	submit := with(p, func() {
		time.Sleep(quick)
		if isLong[n.Add(1)-1] {
			longs.Add(1)
			wait(lock)
		}
		left.Add(-1)
	})
	for range isLong {
		left.Add(1)
		submit()
	}
	for frame := 0; left.Load() > 0; frame++ {
		begin := time.Now()
		p.RunUntil(deadline.In(budget))
		// Of a kind of which one job in 1000 is long nobody can know before the first one.
		if d := time.Since(begin); d > budget+quick && (one < 1000 || longs.Load() > 1) {
			t.Fatalf("slice %d took %v", frame, d)
		}
		time.Sleep(16*ms - time.Since(begin)%(16*ms))
	}
}

// A job that may wait never runs in a slice beside workers, however short its kind has been. Without workers it does.
func TestAJobThatMayWaitRunsInNoSlice(t *testing.T) {
	for _, n := range []int{-1, 1} {
		bubble(t, workers.Options{Workers: n}, func(t *testing.T, p *workers.Pool) {
			job := func() *workers.Job {
				return &workers.Job{Label: "load", Func: func(*workers.Worker) { time.Sleep(quick) }}
			}
			want := 1
			if bridge.Of(p).SubmitWaiting(&workers.Job{Func: func(*workers.Worker) {}}); hasWorkers(p) {
				learn(p, job)
				want = 0
				defer occupy(p, deadline.Immediate)()
			} else {
				p.RunUntil(deadline.Deadline{})
			}
			bridge.Of(p).SubmitWaiting(job())
			if got := p.RunUntil(deadline.In(budget)); got != want {
				t.Errorf("with Workers %d a slice ran %d, want %d", n, got, want)
			}
		})
	}
}

// A long run in a slice, and one that ends by a panic or a Goexit, count as well.
func TestEachLongRunCounts(t *testing.T) {
	needsWorkers(t)
	ends := map[string]func(){"return": func() {}, "panic": func() { panic("x") }, "Goexit": runtime.Goexit}
	for name, end := range ends {
		for _, sliced := range []bool{false, true} {
			bubble(t, workers.Options{Workers: 1}, func(t *testing.T, p *workers.Pool) {
				long := false
				job := func() *workers.Job {
					return &workers.Job{Label: "load", Func: func(*workers.Worker) {
						if time.Sleep(quick); long {
							long = false
							time.Sleep(700 * ms)
							end()
						}
					}}
				}
				learn(p, job)
				free := func() {}
				if sliced {
					free = occupy(p, deadline.Immediate)
					for range 40 { // the frame goroutine's own guess is settled
						p.Submit(job())
						p.RunUntil(deadline.In(budget))
					}
				}
				long = true
				p.Submit(job())
				if sliced {
					p.RunUntil(deadline.In(budget))
				}
				time.Sleep(time.Second)
				synctest.Wait()
				if !sliced {
					free = occupy(p, deadline.Immediate)
				}
				defer func() { free() }()
				p.Submit(job())
				if n := p.RunUntil(deadline.In(budget)); n != 0 || long {
					t.Errorf("%s, in a slice %v: a slice runs the kind all the same", name, sliced)
				}
			})
		}
	}
}

// A run of less than five times the guess is what a busy machine makes of any run, so slices continue with the kind.
func TestALittleLongIsNotLong(t *testing.T) {
	needsWorkers(t)
	for long, want := range map[time.Duration]int{9 * ms: 1, 12 * ms: 0} {
		bubble(t, workers.Options{Workers: 1}, func(t *testing.T, p *workers.Pool) {
			took := 2 * ms
			job := func() *workers.Job {
				return &workers.Job{Label: "tile", Func: func(*workers.Worker) { time.Sleep(took) }}
			}
			learn(p, job)
			took = long
			j := job()
			p.Submit(j)
			must(j.Wait(background))
			took = 2 * ms
			learn(p, job) // until the guess is 2 ms again
			defer occupy(p, deadline.Immediate)()
			p.Submit(job())
			if n := p.RunUntil(deadline.In(3 * ms)); n != want {
				t.Errorf("after a run of %v a slice ran %d, want %d", long, n, want)
			}
		})
	}
}

// Of a kind that is brief most runs are not timed. A long one among them counts all the same, and of several kinds that
// a worker runs in turn each one counts. A sleep of the worker between two runs does not.
func TestALongRunAmongUntimedOnesCounts(t *testing.T) {
	needsWorkers(t)
	bubble(t, workers.Options{Workers: 1}, func(t *testing.T, p *workers.Pool) {
		var long atomic.Bool
		taken := map[int]bool{costs.KeyOf(workers.Occupier, 0).Slot(): true}
		job := func(label string, f func()) func() *workers.Job {
			// Kinds that share a place of the worker's cache are timed in turn, and then each counts alone.
			for taken[costs.KeyOf(label, 0).Slot()] {
				label += "'"
			}
			taken[costs.KeyOf(label, 0).Slot()] = true
			return func() *workers.Job { return &workers.Job{Label: label, Func: func(*workers.Worker) { f() }} }
		}
		brief := job("brief", func() {
			if long.Load() {
				time.Sleep(700 * ms)
			}
		})
		beside, other := job("beside", func() {}), job("other", func() {})
		submit := func(n int, of func() *workers.Job) {
			for range n {
				p.Submit(of())
			}
			synctest.Wait()
		}
		inSlice := func(of func() *workers.Job) int {
			p.Submit(of())
			n := p.RunUntil(deadline.In(budget))
			synctest.Wait()
			return n
		}
		free := func() {}
		helped := func() (all []int) {
			free = occupy(p, deadline.Immediate)
			defer func() { free(); synctest.Wait() }()
			return []int{inSlice(brief), inSlice(beside), inSlice(other)}
		}
		submit(64*workers.History, brief)
		submit(64*workers.History, beside)
		submit(64*workers.History, other)
		time.Sleep(time.Hour)
		submit(3, brief)
		if got := fmt.Sprint(helped()); got != "[1 1 1]" {
			t.Fatalf("before a long run the frame helps with %v", got)
		}
		submit(3, other)
		gate := occupy(p, deadline.Immediate)
		long.Store(true)
		for _, one := range []func() *workers.Job{beside, brief, beside} {
			p.Submit(one())
		}
		gate()
		time.Sleep(time.Second)
		long.Store(false)
		if got := fmt.Sprint(helped()); got != "[0 0 1]" {
			t.Errorf("after a long run the frame helps with %v", got)
		}
	})
}
