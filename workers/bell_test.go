package workers_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/workers"
)

func TestBellRingsOnceForEachSet(t *testing.T) {
	p := workers.New(workers.Options{Workers: -1})
	rings := 0
	b := p.Bell(func() { rings++ })
	want := func(what string, n int) {
		t.Helper()
		if rings != n {
			t.Errorf("%s: %d rings, want %d", what, rings, n)
		}
		rings = 0
	}
	p.Go(deadline.Normal, func() {})
	want("not set", 0)
	b.Set()
	want("set while a job waits", 1)
	p.Go(deadline.Normal, func() {})
	want("another job", 0)
	for p.RunUntil(deadline.In(time.Hour)) > 0 {
	}
	b.Set()
	want("set while none waits", 0)
	workers.Submit(p, deadline.Low, func() (int, error) { return 1, nil })
	p.Go(deadline.Immediate, func() {})
	want("a job comes, and another", 1)
	b.Set()
	b.Unset()
	rings = 0
	p.Go(deadline.Normal, func() {})
	want("unset", 0)
	b.Close()
	b.Close()
	b.Set()
	want("closed", 0)
	mustClose(t, p)
}

// Where workers take the job nobody is to be woken.
func TestBellIsSilentWhereThereAreWorkers(t *testing.T) {
	needsWorkers(t)
	p := workers.New(workers.Options{Workers: 1})
	var rings atomic.Int32
	b := p.Bell(func() { rings.Add(1) })
	b.Set()
	for range 100 {
		f := workers.Submit(p, deadline.Normal, func() (int, error) { return 1, nil })
		if _, err := f.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if n := rings.Load(); n != 0 {
		t.Errorf("%d rings", n)
	}
	mustClose(t, p)
}

// Submitters on many goroutines, and two who sleep until there is something for them to run: nothing is left lying.
func TestBellsOfTwoWhoShareAPool(t *testing.T) {
	p := workers.New(workers.Options{Workers: -1})
	const jobs = 2000
	var ran atomic.Int32
	var all sync.WaitGroup
	done := make(chan struct{})
	for range 2 {
		woken := make(chan struct{}, 1)
		b := p.Bell(func() {
			select {
			case woken <- struct{}{}:
			default:
			}
		})
		all.Go(func() {
			defer b.Close()
			for {
				p.RunUntil(deadline.In(time.Second))
				b.Set()
				select {
				case <-woken:
				case <-done:
					return
				}
				b.Unset()
			}
		})
	}
	var submitters sync.WaitGroup
	for range 4 {
		submitters.Go(func() {
			for range jobs / 4 {
				p.Go(deadline.Normal, func() {
					if ran.Add(1) == jobs {
						close(done)
					}
				})
			}
		})
	}
	submitters.Wait()
	all.Wait()
	mustClose(t, p)
}

func TestBellOfNothingPanics(t *testing.T) {
	p := workers.New(workers.Options{Workers: -1})
	defer mustClose(t, p)
	if v := panicOf(func() { p.Bell(nil) }); v != "workers: Bell with a nil function" {
		t.Errorf("panic %v", v)
	}
}

func ExamplePool_Bell() {
	p := workers.New(workers.Options{Workers: -1}) // as in a browser
	defer p.Close(context.Background())
	woken := make(chan struct{}, 1)
	bell := p.Bell(func() {
		select {
		case woken <- struct{}{}:
		default:
		}
	})
	defer bell.Close()
	ran := false
	go p.Go(deadline.Normal, func() { ran = true })
	for !ran {
		bell.Set()
		<-woken
		p.RunUntil(deadline.In(time.Second))
	}
	// Output:
}
