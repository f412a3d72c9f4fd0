package workers_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/workers"
)

// A counter notices when two use it at a time, as the race detector does.
type counter struct {
	n    int
	busy bool
}

func (c *counter) use(t *testing.T, f func()) {
	if c.busy {
		t.Error("a value that another one has")
	}
	c.busy = true
	c.n++
	f()
	c.busy = false
}

// Every way to run a job: whatever has a value has it alone, and nothing is lost.
func TestLocalAddsUp(t *testing.T) {
	each(t, func(t *testing.T, p *workers.Pool) {
		l := workers.NewLocal[counter](p, nil)
		var want atomic.Int64
		one := func(w *workers.Worker) { want.Add(1); l.Get(w).use(t, func() {}) }
		do := func() { want.Add(1); l.Do(func(c *counter) { c.use(t, func() {}) }) }
		var all []*workers.Job
		for i := range 200 {
			j := &workers.Job{Priority: deadline.Priorities()[i%5], Func: func(w *workers.Worker) {
				one(w)
				if i%5 == 0 {
					inner := &workers.Job{Func: one}
					l.Get(w).use(t, func() { // which it still has while it waits
						w.Submit(inner)
						if err := inner.Wait(background); err != nil {
							t.Error(err)
						}
						w.Yield()
					})
					want.Add(1)
				}
				if i%7 == 0 {
					var a, b workers.Job
					a.Func, b.Func = one, one
					w.Fork(&a)
					w.Fork(&b)
					one(w)
					w.Join(&b)
					w.Join(&a)
				}
			}}
			all = append(all, j)
			p.Submit(j)
			if i%3 == 0 {
				p.RunUntil(deadline.Deadline{})
			}
		}
		p.ParallelFor(1000, 1, func(lo, hi int) {
			for range hi - lo {
				do()
			}
		})
		for _, j := range all {
			p.RunUntil(deadline.Deadline{})
			if err := j.Wait(background); err != nil {
				t.Error(err)
			}
		}
		got := 0
		for c := range l.All() {
			got += c.n
		}
		if int64(got) != want.Load() {
			t.Errorf("counted %d, want %d", got, want.Load())
		}
	})
}

// A job that its worker runs while another waits has a value of its own.
func TestLocalOfNestedJobs(t *testing.T) {
	p := workers.New(workers.Options{Workers: 1})
	defer mustClose(t, p)
	l := workers.NewLocal(p, func() []int { return make([]int, 0, 8) })
	var log []string
	note := func(name string, w *workers.Worker) {
		v := l.Get(w)
		*v = append(*v, len(log))
		log = append(log, fmt.Sprint(name, len(*v)))
	}
	outer := &workers.Job{Func: func(w *workers.Worker) {
		note("outer", w)
		for range 2 {
			inner := &workers.Job{Func: func(w *workers.Worker) { note("inner", w) }}
			p.Submit(inner)
			if err := inner.Wait(background); err != nil {
				t.Error(err)
			}
		}
		note("outer", w)
	}}
	p.Submit(outer)
	<-waitFor(outer)
	// The nested ones came one after the other: they had the same one.
	if want := "[outer1 inner1 inner2 outer2]"; fmt.Sprint(log) != want {
		t.Errorf("got %v, want %v", log, want)
	}
}

// A job that panics or calls Goexit gives back what it had, and one that is begun again finds it.
func TestLocalAfterAPanic(t *testing.T) {
	p := workers.New(workers.Options{Workers: -1})
	defer mustClose(t, p)
	l := workers.NewLocal[int](p, nil)
	for range 5 {
		j := &workers.Job{Func: func(w *workers.Worker) { *l.Get(w)++; panic("x") }}
		p.Submit(j)
		p.RunUntil(deadline.Deadline{})
		if pe := (*workers.PanicError)(nil); !errors.As(j.Err(), &pe) {
			t.Error(j.Err())
		}
		_ = panicOf(func() { l.Do(func(v *int) { *v++; panic("y") }) })
	}
	var got []int
	for v := range l.All() {
		got = append(got, *v)
	}
	if fmt.Sprint(got) != "[10]" {
		t.Errorf("values %v, want one of 10", got)
	}
}

func TestLocalMisuse(t *testing.T) {
	p, q := workers.New(workers.Options{Workers: 1}), workers.New(workers.Options{Workers: 1})
	defer mustClose(t, p)
	defer mustClose(t, q)
	l := workers.NewLocal[int](p, nil)
	err := run(q, func(w *workers.Worker) { l.Get(w) })
	if pe := (*workers.PanicError)(nil); !errors.As(err, &pe) ||
		pe.Value != "workers: Local.Get with a Worker of another pool" {
		t.Error(err)
	}
}

func TestLocalAllocatesNothing(t *testing.T) {
	p := workers.New(workers.Options{Workers: 1})
	defer mustClose(t, p)
	l := workers.NewLocal[counter](p, nil)
	if err := run(p, func(w *workers.Worker) {
		if n := allocsPerRun(100, func() { l.Get(w).n++ }); n != 0 {
			t.Errorf("Get on a worker: %v allocations", n)
		}
	}); err != nil {
		t.Error(err)
	}
	n := 0
	if a := allocsPerRun(100, func() { l.Do(func(c *counter) { n += c.n }) }); a != 0 {
		t.Errorf("Do: %v allocations", a)
	}
	q := workers.New(workers.Options{Workers: -1})
	defer mustClose(t, q)
	lq := workers.NewLocal[counter](q, nil)
	seat := q.Seat()
	defer seat.Close()
	j := &workers.Job{Label: "get", Func: func(w *workers.Worker) { lq.Get(w).n++ }}
	if a := allocsPerRun(100, func() { q.Submit(j); seat.RunUntil(deadline.Deadline{}) }); a != 0 {
		t.Errorf("Get in RunUntil: %v allocations", a)
	}
}

// Values are far enough apart that two never share a cache line.
func TestLocalValuesHaveLinesOfTheirOwn(t *testing.T) {
	p := workers.New(workers.Options{Workers: -1})
	defer mustClose(t, p)
	l := workers.NewLocal[byte](p, nil)
	var wg sync.WaitGroup
	var met sync.WaitGroup
	met.Add(8)
	for range 8 {
		wg.Go(func() { l.Do(func(*byte) { met.Done(); met.Wait() }) })
	}
	wg.Wait()
	lines := map[uintptr]bool{}
	n := 0
	for v := range l.All() {
		n++
		lines[reflect.ValueOf(v).Pointer()/64] = true
	}
	if n != 8 || len(lines) != 8 {
		t.Errorf("%d values on %d lines, want 8 and 8", n, len(lines))
	}
}

func ExampleLocal() {
	p := workers.New(workers.Options{})
	defer p.Close(context.Background())
	sums := workers.NewLocal[int](p, nil)
	p.ParallelFor(1000, 0, func(lo, hi int) {
		sums.Do(func(sum *int) { // one of as many as there are goroutines at work
			for i := lo; i < hi; i++ {
				*sum += i
			}
		})
	})
	total := 0
	for sum := range sums.All() {
		total += *sum
	}
	fmt.Println(total)
	// Output: 499500
}

func BenchmarkLocal(b *testing.B) {
	p := workers.New(workers.Options{Workers: 1})
	defer p.Close(background)
	l := workers.NewLocal[int](p, nil)
	b.Run("Get", func(b *testing.B) {
		_ = run(p, func(w *workers.Worker) {
			for b.Loop() {
				*l.Get(w)++
			}
		})
	})
	b.Run("Do", func(b *testing.B) {
		for b.Loop() {
			l.Do(func(v *int) { *v++ })
		}
	})
}

// A node that runs within Yield has another value of a Local than the job that yields, and its forks are run.
func TestYieldKeepsWhatALocalHasLentFromNodes(t *testing.T) {
	needsWorkers(t)
	p := workers.New(workers.Options{Workers: 1})
	defer mustClose(t, p)
	l := workers.NewLocal(p, func() string { return "" })
	var nodes, forks atomic.Int32
	started := make(chan struct{})
	j := workers.Job{Func: func(w *workers.Worker) {
		*l.Get(w) = "the job's"
		close(started)
		for forks.Load() < 2 {
			w.Yield()
			runtime.Gosched()
		}
		if v := *l.Get(w); v != "the job's" {
			t.Errorf("the job has %q", v)
		}
	}}
	p.Submit(&j)
	<-started
	var g workers.Graph
	for _, end := range []func(){func() {}, runtime.Goexit} {
		g.Add("node", func(w *workers.Worker) error {
			nodes.Add(1)
			eventually(t, "two nodes at once", func() bool { return nodes.Load() == 2 })
			v := l.Get(w)
			if *v == "the job's" {
				t.Errorf("a node on worker %d got %q", w.Index(), *v)
			}
			*v = "a node's"
			w.Fork(&workers.Job{Func: func(*workers.Worker) { forks.Add(1) }})
			end()
			return nil
		})
	}
	ended := make(chan struct{})
	go func() { // which a Goexit may end
		defer close(ended)
		_ = g.Run(background, p)
	}()
	<-ended
	if err := j.Wait(background); err != nil {
		t.Error(err)
	}
}
