package workers_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/workers"
)

// A circle is found that goes through what a helper does for a job, or through what runs on top of one.
func TestWaitCyclesThroughParts(t *testing.T) {
	needsWorkers(t)
	type pool = *workers.Pool
	// Each starts a, which waits for b in a way, and b, which waits for a.
	for name, start := range map[string]func(p pool, a, b *workers.Job){
		"loop": func(p pool, a, b *workers.Job) {
			on := make(chan struct{})
			a.Func = func(*workers.Worker) {
				p.ParallelFor(2, 1, func(lo, hi int) {
					if lo == 0 {
						p.Submit(b)
						close(on)
						time.Sleep(50 * time.Millisecond) // a helper has the other piece
						return
					}
					<-on
					_ = b.Wait(background)
				})
			}
			p.Submit(a)
		},
		"graph": func(p pool, a, b *workers.Job) {
			var g workers.Graph
			on := make(chan struct{})
			g.AddPinned("here", func(*workers.Worker) error {
				p.Submit(b)
				close(on)
				time.Sleep(50 * time.Millisecond)
				return nil
			})
			g.Add("there", func(*workers.Worker) error { <-on; return b.Wait(background) })
			a.Func = func(*workers.Worker) { _ = g.Run(background, p) }
			p.Submit(a)
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := workers.New(workers.Options{Workers: 3, FindCycles: true})
			a, b := &workers.Job{Label: "a"}, &workers.Job{Label: "b"}
			b.Func = func(*workers.Worker) { panicOn(a.Wait(background)) }
			var pe *workers.PanicError
			ends(t, "the circle", func() {
				start(p, a, b)
				for b.State() != workers.Finished {
					time.Sleep(time.Millisecond)
				}
				_ = a.Wait(background)
				if err := errors.Join(a.Err(), b.Err()); err != nil && !errors.As(err, &pe) {
					t.Error(err)
				}
			})
			if pe == nil || !strings.Contains(pe.Error(), "in a circle: ") {
				t.Error("got", pe)
			}
			mustClose(t, p)
		})
	}
}

// The parts of a loop wait for several jobs at a time, and one of these may wait for the loop's job later.
func TestPartsWaitWithoutACircle(t *testing.T) {
	needsWorkers(t)
	p := workers.New(workers.Options{Workers: 4, FindCycles: true})
	defer mustClose(t, p)
	var b [2]workers.Job
	for i := range b {
		b[i].Func = func(*workers.Worker) { time.Sleep(time.Duration(20+20*i) * time.Millisecond) }
		p.Submit(&b[i])
	}
	a := &workers.Job{Label: "a"}
	a.Func = func(*workers.Worker) {
		p.ParallelFor(2, 1, func(lo, hi int) {
			time.Sleep(time.Duration(5*lo) * time.Millisecond)
			panicOn(b[lo].Wait(background))
		})
		for i := range b {
			b[i].Func = func(*workers.Worker) { panicOn(a.Wait(background)) }
			p.Submit(&b[i])
		}
		time.Sleep(20 * time.Millisecond)
	}
	p.Submit(a)
	panicOn(a.Wait(background))
	for i := range b {
		if err := b[i].Wait(background); err != nil {
			t.Error(err)
		}
	}
}
