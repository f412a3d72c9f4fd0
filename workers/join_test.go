package workers_test

import (
	"sync/atomic"
	"testing"

	"github.com/frameslice/frameslice/workers"
)

// No function of a Join waits behind another one while somebody is idle: here the first ends when all others have.
func TestJoinIsOnePieceEach(t *testing.T) {
	needsWorkers(t)
	p := workers.New(workers.Options{Workers: 2})
	defer mustClose(t, p)
	join := func(l workers.Looper) {
		var left atomic.Int32
		rest := make(chan struct{})
		fs := []func(){func() { <-rest }}
		for range 20 {
			left.Add(1)
			fs = append(fs, func() {
				if left.Add(-1) == 0 {
					close(rest)
				}
			})
		}
		workers.Join(l, fs...)
	}
	within(t, "of a pool", func() { join(p) })
	within(t, "of a worker", func() {
		j := workers.Job{Func: func(w *workers.Worker) { join(w) }}
		p.Submit(&j)
		must(j.Wait(t.Context()))
	})
}

// After a panic nothing is begun, and the panic names the call.
func TestJoinBeginsNothingAfterAPanic(t *testing.T) {
	needsWorkers(t)
	p := workers.New(workers.Options{Workers: 1})
	defer mustClose(t, p)
	var begun atomic.Int32
	both := make(chan struct{})
	meet := func() {
		if begun.Add(1) == 2 {
			close(both)
		}
		<-both
		panic("no")
	}
	pe := panicOf(func() { workers.Join(p, meet, meet, meet, meet, meet, meet, meet, meet) }).(*workers.PanicError)
	if pe.Value != "no" || pe.Label != "Join" || begun.Load() != 2 {
		t.Errorf("%v, and %d were begun", pe, begun.Load())
	}
}

func TestJoinCallsAll(t *testing.T) {
	each(t, func(t *testing.T, p *workers.Pool) {
		var a, b, c int
		workers.Join(p)
		workers.Join(p, func() { a = 1 }, func() { workers.Join(p, func() { b = 2 }, func() { c = 3 }) })
		if a+b+c != 6 {
			t.Error(a, b, c)
		}
		v := panicOf(func() { workers.Join(p, func() {}, func() { explode("no") }) })
		if pe, ok := v.(*workers.PanicError); !ok || pe.Value != "no" {
			t.Errorf("panic %v", v)
		}
	})
}
