package workers_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/park"
	"github.com/frameslice/frameslice/workers"
)

// One job, or a few, at a time, each after a random little pause, so that the workers are caught at every
// step of going to sleep. A lost wake-up shows as a job that does not run within 30 s.
func TestNoWakeUpIsLost(t *testing.T) {
	needsWorkers(t)
	rounds := 20_000
	if testing.Short() {
		rounds = 1000
	}
	for name, o := range map[string]workers.Options{
		"one":        {Workers: 1},
		"four":       {Workers: 4},
		"channel":    workers.Options{Workers: 2}.Parking(park.Chan),
		"syscall":    workers.Options{Workers: 2}.Parking(park.Syscall),
		"background": {Workers: 1, Background: 2, RaiseProcs: true},
	} {
		t.Run(name, func(t *testing.T) {
			p := workers.New(o)
			defer mustClose(t, p)
			rng := rand.New(rand.NewPCG(5, 6))
			var done atomic.Int64
			f := func() { done.Add(1) }
			child := workers.Job{Func: func(w *workers.Worker) { w.Go(deadline.Idle, f); w.Go(deadline.Immediate, f) }}
			end := time.Now().Add(5 * time.Second) // on a loaded machine, fewer rounds
			for i := 0; i < rounds && time.Now().Before(end); i++ {
				n := rng.Int64N(4)
				done.Store(0)
				for range n {
					p.Go(deadline.Priorities()[rng.IntN(5)], f)
				}
				child.Priority = deadline.Priorities()[rng.IntN(5)]
				p.Submit(&child)
				for spins := 0; done.Load() != n+2 || child.State() != workers.Finished; spins++ {
					if spins > 1000 {
						eventually(t, fmt.Sprintf("round %d", i), func() bool {
							return done.Load() == n+2 && child.State() == workers.Finished
						})
					}
					if spins%16 == 15 {
						runtime.Gosched()
					}
				}
				for range rng.IntN(400) {
					sink.Add(1)
				}
				if rng.IntN(50) == 0 {
					time.Sleep(time.Duration(rng.IntN(100)) * time.Microsecond)
				}
			}
		})
	}
}

// All at once, from everywhere: nothing is lost and nobody hangs.
func TestMixedLoad(t *testing.T) {
	each(t, func(t *testing.T, p *workers.Pool) {
		var want, got atomic.Int64
		done := make(chan struct{})
		for k := range 3 {
			go func() {
				defer func() { done <- struct{}{} }()
				rng := rand.New(rand.NewPCG(7, uint64(k)))
				for range 150 {
					prio := deadline.Priorities()[rng.IntN(5)]
					switch rng.IntN(6) {
					case 0:
						want.Add(1)
						p.Go(prio, func() { got.Add(1) })
					case 1:
						want.Add(1)
						p.Go(prio, func() { got.Add(1); runtime.Goexit() })
					case 2:
						want.Add(100)
						p.ParallelFor(100, 1+rng.IntN(40), func(lo, hi int) { got.Add(int64(hi - lo)) })
					case 3:
						want.Add(2)
						f := workers.Submit(p, prio, func() (int, error) {
							g := workers.Submit(p, deadline.Low, func() (int, error) { got.Add(1); return 1, nil })
							got.Add(1)
							return g.Wait(background)
						})
						if v, err := f.Wait(background); v != 1 || err != nil {
							t.Error(v, err)
						}
					case 4:
						p.RunUntil(deadline.In(100 * time.Microsecond))
					case 5:
						want.Add(10)
						p.Submit(&workers.Job{Priority: prio, Func: func(w *workers.Worker) {
							for range 9 {
								w.Go(prio, func() { got.Add(1) })
							}
							got.Add(1)
						}})
					}
				}
			}()
		}
		for range 3 {
			<-done
		}
		mustClose(t, p)
		if want.Load() != got.Load() {
			t.Errorf("%d of %d done", got.Load(), want.Load())
		}
	})
}

// A panic in a function passed to Go, without OnPanic, ends the process and shows where it was, wherever it ran.
func TestUnhandledPanicCrashes(t *testing.T) {
	const env = "FRAMESLICE_TEST_CRASH"
	ways := map[string]func(f func()){
		"worker": func(f func()) { workers.New(workers.Options{Workers: 1}).Go(deadline.Normal, f) },
		"low":    func(f func()) { workers.New(workers.Options{Workers: 1, Background: 1}).Go(deadline.Low, f) },
		"job": func(f func()) {
			p := workers.New(workers.Options{Workers: 1})
			p.Submit(&workers.Job{Func: func(w *workers.Worker) { w.Go(deadline.Normal, f) }})
		},
		"RunUntil": func(f func()) {
			p := workers.New(workers.Options{Workers: -1})
			p.Go(deadline.Normal, f)
			p.RunUntil(deadline.Deadline{})
		},
		"bounded": func(f func()) { workers.New(workers.Options{Workers: 1, MaxWaiting: 1}).Go(deadline.Normal, f) },
		"insight": func(f func()) { workers.New(workers.Options{Workers: 1, Insight: true}).Go(deadline.Normal, f) },
		"Close": func(f func()) {
			p := workers.New(workers.Options{Workers: -1})
			p.Go(deadline.Normal, f)
			_ = p.Close(background)
		},
	}
	if way := ways[os.Getenv(env)]; way != nil {
		way(func() { explode("the sky is falling") })
		time.Sleep(time.Minute)
		return
	}
	exe, err := os.Executable()
	if err != nil {
		t.Skipf("no processes here: %v", err)
	}
	for name := range ways {
		cmd := exec.Command(exe, "-test.run=^TestUnhandledPanicCrashes$")
		cmd.Env = append(os.Environ(), env+"="+name)
		out, err := cmd.CombinedOutput()
		if errors.Is(err, syscall.ENOEXEC) {
			t.Skip("an emulator that cannot start processes")
		}
		s := string(out)
		if err == nil || !strings.Contains(s, "the sky is falling") || !strings.Contains(s, "explode") {
			t.Errorf("%s: err %v, output:\n%s", name, err, out)
		}
	}
}

// A program without anything else to do: main waits for a pool on one P.
func TestPoolsOnOneP(t *testing.T) {
	old := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(old)
	each(t, func(t *testing.T, p *workers.Pool) {
		for range 20 {
			f := workers.Submit(p, deadline.UserBlocking, func() (int, error) {
				n := 0
				p.ParallelFor(100, 10, func(lo, hi int) { runtime.Gosched() })
				return n, nil
			})
			if _, err := f.Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	})
}
