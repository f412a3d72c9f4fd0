package workers

import (
	"context"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// atDepth calls f below n more frames of the stack.
//
//go:noinline
func atDepth(n int, f func()) {
	if n == 0 {
		f()
		return
	}
	atDepth(n-1, f)
}

// waitInJob calls measure in a job of a pool of one worker, below that many frames, with a function that submits a job
// and waits for it. No worker can begin that job, so Wait runs it.
func waitInJob(depth int, measure func(one func())) {
	p := New(Options{Workers: 1})
	defer p.Close(context.Background())
	ctx, cancel := context.WithCancel(context.Background()) // a Wait that can be interrupted has to know where it is
	defer cancel()
	j := Job{Func: func(*Worker) {}}
	one := func() {
		p.Submit(&j)
		if err := j.Wait(ctx); err != nil {
			panic(err)
		}
	}
	outer := Job{Func: func(*Worker) { atDepth(depth, func() { measure(one) }) }}
	p.Submit(&outer)
	_ = outer.Wait(ctx)
}

// A Wait within a job costs the same however deep the caller's stack is.
func TestAWaitWithinAJobDoesNotReadTheStack(t *testing.T) {
	needsWorkers(t)
	best := func(depth int) time.Duration {
		d := time.Duration(math.MaxInt64)
		waitInJob(depth, func(one func()) {
			for range 200 {
				began := deadline.Now()
				for range 10 {
					one()
				}
				d = min(d, deadline.Now().Sub(began))
			}
		})
		return d
	}
	var shallow, deep time.Duration
	for range 5 {
		shallow, deep = best(0), best(1000)
		if deep < 3*shallow {
			return
		}
	}
	t.Errorf("ten Waits take %v, and %v below 1,000 frames", shallow, deep)
}

func BenchmarkWaitWithinAJob(b *testing.B) {
	for _, depth := range []int{0, 200} {
		b.Run(fmt.Sprintf("%d frames", depth), func(b *testing.B) {
			b.ReportAllocs()
			waitInJob(depth, func(one func()) {
				for b.Loop() {
					one()
				}
			})
		})
	}
}

// The same with a context that may end: the caller sleeps, and a worker runs the job.
func BenchmarkWaitThatSleeps(b *testing.B) {
	p := New(Options{Workers: 1})
	defer p.Close(context.Background())
	j := &Job{Func: func(*Worker) {}}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	for b.Loop() {
		p.Submit(j)
		if err := j.Wait(ctx); err != nil {
			b.Fatal(err)
		}
	}
}
