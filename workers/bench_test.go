package workers_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/park"
	"github.com/frameslice/frameslice/workers"
)

func BenchmarkSubmitFromOutside(b *testing.B) {
	run := func(b *testing.B, submit func(f func())) {
		var wg sync.WaitGroup
		f := wg.Done
		b.ReportAllocs()
		wg.Add(b.N)
		b.ResetTimer()
		for range b.N {
			submit(f)
		}
		wg.Wait()
	}
	b.Run("pool", func(b *testing.B) {
		p := workers.New(workers.Options{Workers: 2})
		defer p.Close(background)
		run(b, func(f func()) { p.Go(deadline.Normal, f) })
	})
	b.Run("pool-background", func(b *testing.B) {
		p := workers.New(workers.Options{Background: 2, RaiseProcs: true})
		defer p.Close(background)
		run(b, func(f func()) { p.Go(deadline.Normal, f) })
	})
}

func BenchmarkSubmitJob(b *testing.B) {
	p := workers.New(workers.Options{Workers: 2})
	defer p.Close(background)
	jobs := make([]workers.Job, 1024)
	for i := range jobs {
		jobs[i].Func = func(*workers.Worker) {}
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		j := &jobs[i%len(jobs)]
		if s := j.State(); s == workers.Queued || s == workers.Running {
			j.Wait(background)
		}
		p.Submit(j)
	}
}

// fib without a cut-off: one fork a call, all overhead.
type fibJob struct {
	workers.Job
	n, r int
}

type fibStack struct {
	frames [64]fibJob
	top    int
	_      [64]byte
}

type fibber struct {
	_      [128]byte // the check of the pointer for nil reads the beginning: not what one worker writes
	stacks [workers.MaxWorkers]fibStack
}

func newFibber() *fibber {
	f := &fibber{}
	for i := range f.stacks {
		for k := range f.stacks[i].frames {
			j := &f.stacks[i].frames[k]
			j.Func = func(w *workers.Worker) { j.r = f.fib(w, j.n) }
		}
	}
	return f
}

func (f *fibber) fib(w *workers.Worker, n int) int {
	if n < 2 {
		return n
	}
	s := &f.stacks[w.Index()]
	j := &s.frames[s.top]
	s.top++
	j.n = n - 1
	w.Fork(&j.Job)
	b := f.fib(w, n-2)
	w.Join(&j.Job)
	s.top--
	return j.r + b
}

func BenchmarkFib(b *testing.B) {
	const n, want = 30, 832040
	const forks = 1346268
	for _, size := range []int{1, 2} {
		b.Run(map[int]string{1: "pool1", 2: "pool2"}[size], func(b *testing.B) {
			p := workers.New(workers.Options{Workers: size})
			defer p.Close(background)
			f := newFibber()
			got := 0
			j := workers.Job{Priority: deadline.UserBlocking, Func: func(w *workers.Worker) { got = f.fib(w, n) }}
			for b.Loop() {
				p.Submit(&j)
				for j.State() != workers.Finished {
					time.Sleep(100 * time.Microsecond)
				}
				if got != want {
					b.Fatal(got)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/forks, "ns/fork")
		})
	}
}

var sink atomic.Int64

func burn(lo, hi, n int) {
	s := int64(0)
	for i := lo; i < hi; i++ {
		x := uint64(i)
		for range n {
			x = x*6364136223846793005 + 1
		}
		s += int64(x & 1)
	}
	sink.Add(s)
}

// The last two loops are uneven: the first element is slow once, or the last half are a thousand times as dear.
func BenchmarkParallelFor(b *testing.B) {
	even := func(k int) func(lo, hi int) { return func(lo, hi int) { burn(lo, hi, k) } }
	for _, c := range []struct {
		name string
		n    int
		body func(lo, hi int)
	}{
		{"10000x2.5ns", 10_000, even(3)}, {"1e6x2.5ns", 1_000_000, even(3)}, {"10000x1us", 10_000, even(1200)},
		{"slow-first", 1_000_000, func(lo, hi int) {
			if lo == 0 {
				burn(0, 1, 100_000)
			}
			burn(lo, hi, 3)
		}},
		{"dear-last", 2000, func(lo, hi int) {
			burn(lo, min(hi, 1000), 3)
			burn(max(lo, 1000), hi, 6000)
		}},
	} {
		side(b, c.name, func() { c.body(0, c.n) }, func(p *workers.Pool) { p.ParallelFor(c.n, 0, c.body) })
	}
}

// The time from the submission until the job runs, on a pool that has been idle for a while, and what it
// costs the submitter, who continues working.
func BenchmarkWake(b *testing.B) {
	spinFor := func(d time.Duration) {
		for t0 := deadline.Now(); deadline.Now().Sub(t0) < d; {
		}
	}
	measure := func(b *testing.B, submit func(f func())) {
		var began atomic.Int64
		var submitNS, wakeNS []float64
		f := func() { began.Store(int64(deadline.Now())) }
		for b.Loop() {
			began.Store(0)
			time.Sleep(2 * time.Millisecond)
			t0 := deadline.Now()
			submit(f)
			t1 := deadline.Now()
			for began.Load() == 0 {
				spinFor(200 * time.Nanosecond)
			}
			submitNS = append(submitNS, float64(t1.Sub(t0)))
			wakeNS = append(wakeNS, float64(began.Load()-int64(t0)))
		}
		b.ReportMetric(quantile(submitNS, 0.5), "submit-p50-ns")
		b.ReportMetric(quantile(wakeNS, 0.5), "begin-p50-ns")
		b.ReportMetric(quantile(wakeNS, 0.9), "begin-p90-ns")
		b.ReportMetric(quantile(wakeNS, 0.99), "begin-p99-ns")
	}
	for _, k := range []park.Kind{park.Chan, park.Poll, park.Syscall} {
		for _, pin := range []workers.Pin{0, workers.PinThread} {
			b.Run(fmt.Sprint(k, "/pin", pin), func(b *testing.B) {
				p := workers.New(workers.Options{Workers: 1, Pin: pin}.Parking(k))
				defer p.Close(background)
				measure(b, func(f func()) { p.Go(deadline.Immediate, f) })
			})
		}
		b.Run(k.String()+"/background", func(b *testing.B) {
			p := workers.New(workers.Options{Background: 2, RaiseProcs: true}.Parking(k))
			defer p.Close(background)
			measure(b, func(f func()) { p.Go(deadline.Normal, f) })
		})
	}
	b.Run("prompt", func(b *testing.B) {
		p := workers.New(workers.Options{Workers: 1, Pin: workers.PinThread, RaiseProcs: true})
		defer p.Close(background)
		measure(b, func(f func()) { p.Go(deadline.Immediate, f) })
	})
}

// Wait runs the job itself within a job, where no worker can begin that job, and sleeps outside.
func BenchmarkWait(b *testing.B) {
	p := workers.New(workers.Options{Workers: 1})
	defer p.Close(background)
	ctx, cancel := context.WithCancel(background)
	defer cancel()
	j := &workers.Job{Func: func(*workers.Worker) {}}
	wait := func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			p.Submit(j)
			if err := j.Wait(ctx); err != nil {
				b.Error(err)
			}
		}
	}
	b.Run("outside", wait)
	b.Run("in a job", func(b *testing.B) {
		outer := &workers.Job{Func: func(*workers.Worker) { wait(b) }}
		p.Submit(outer)
		_ = outer.Wait(ctx)
	})
}

// What a shape costs beside the same without a pool. The rivals are in module bench.

// side runs f as a benchmark without a pool, and g as one with a pool.
func side(b *testing.B, name string, f func(), g func(p *workers.Pool)) {
	b.Run(name+"/serial", func(b *testing.B) {
		for b.Loop() {
			f()
		}
	})
	b.Run(name+"/pool", func(b *testing.B) {
		p := workers.New(workers.Options{})
		defer p.Close(background)
		b.ReportAllocs()
		for b.Loop() {
			g(p)
		}
	})
}

func BenchmarkGroup(b *testing.B) {
	for _, c := range []struct {
		name    string
		jobs, k int
	}{{"1x0", 1, 0}, {"16x1us", 16, 1200}, {"1000x0", 1000, 0}} {
		side(b, c.name, func() {
			for range c.jobs {
				burn(0, 1, c.k)
			}
		}, func(p *workers.Pool) {
			must(grouped(p, background, func(g *workers.Group) {
				for range c.jobs {
					g.Go(func(context.Context) error { burn(0, 1, c.k); return nil })
				}
			}))
		})
	}
}
