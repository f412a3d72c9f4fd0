package workers_test

import (
	"context"
	"errors"
	"flag"
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
	"github.com/frameslice/frameslice/internal/testkit"
	"github.com/frameslice/frameslice/workers"
)

// What `make soak` runs at its full size, with these flags; `go test` runs a little of it.
var (
	soakProbes = flag.Int("soak.probes", 0, "how many wake-ups to probe, in all; 0 means a few")
	soakPools  = flag.Int("soak.pools", 0, "how many pools to create and close; 0 means a few")
	soakLimit  = flag.Duration("soak.limit", 0, "end the probes after so long, and say how many there were")
)

// TestSoakWakeUps submits one job at a time to a pool whose workers go to sleep meanwhile, beside a hog
// and what the operating system does with them. A lost wake-up shows as a job that does not run within a minute.
func TestSoakWakeUps(t *testing.T) {
	needsWorkers(t)
	shapes := []workers.Options{{Workers: 1}, {Workers: 2}, workers.Options{Workers: 2}.Parking(park.Chan),
		workers.Options{Workers: 2}.Parking(park.Syscall), {Workers: 1, Background: 1, RaiseProcs: true}}
	all := *soakProbes
	if all == 0 {
		all = 8000
		if testing.Short() {
			all = 2000
		}
	}
	for i, o := range shapes {
		probes := all / 4
		if o.Background > 0 { // beside a hog it may take ms until a lowered thread gets a processor
			probes = all / 100
		}
		t.Run(fmt.Sprintf("%d of %d", i+1, len(shapes)), func(t *testing.T) {
			p := workers.New(o)
			defer mustClose(t, p)
			stop := hog()
			defer stop()
			probe(t, p, probes, uint64(i))
		})
	}
}

// hog keeps one P busy most of the time, in pieces of up to 50 µs, until stop is called.
func hog() (stop func()) {
	var over atomic.Bool
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		rng := rand.New(rand.NewPCG(1, 1))
		for !over.Load() {
			for range rng.IntN(10_000) {
				sink.Add(1)
			}
			if rng.IntN(16) == 0 {
				time.Sleep(time.Duration(rng.IntN(200)) * time.Microsecond)
			}
			runtime.Gosched()
		}
	}()
	return func() { over.Store(true); <-ended }
}

// probe submits n jobs, one after the other, from outside and from within, after pauses of random lengths.
func probe(t *testing.T, p *workers.Pool, n int, seed uint64) {
	rng := rand.New(rand.NewPCG(7, seed))
	var done atomic.Int64
	f := func() { done.Add(1) }
	child := workers.Job{Func: func(w *workers.Worker) { w.Go(deadline.Normal, f) }}
	start, said := time.Now(), time.Now()
	for i := range n {
		before := done.Load()
		if i%8 == 0 {
			child.Priority = deadline.Priorities()[rng.IntN(deadline.NumPriorities)]
			p.Submit(&child)
		} else {
			p.Go(deadline.Priorities()[rng.IntN(deadline.NumPriorities)], f)
		}
		for spins := 0; done.Load() == before; spins++ {
			if spins%64 == 63 {
				runtime.Gosched()
			}
			if spins > 1<<16 {
				testkit.Eventually(t, fmt.Sprintf("probe %d", i), func() bool { return done.Load() != before })
			}
		}
		for i%8 == 0 && child.State() != workers.Finished {
			runtime.Gosched()
		}
		for range rng.IntN(1 << rng.IntN(14)) {
			sink.Add(1)
		}
		if i%1024 != 0 {
			continue
		}
		now := time.Now()
		if now.Sub(said) > 10*time.Second {
			said = now
			t.Logf("%v: %d of %d probes", now.Sub(start).Round(time.Second), i, n)
		}
		if *soakLimit > 0 && now.Sub(start) > *soakLimit {
			t.Logf("ended after %d probes: -soak.limit", i)
			return
		}
	}
	var s workers.Stats
	p.Stats(&s)
	t.Logf("%d probes in %v: %d sleeps, %d wake-ups", n, time.Since(start).Round(time.Millisecond), s.Parked, s.Woken)
}

// TestSoakPools creates and closes pools, in every shape and in every way to close, and looks at what they leave.
func TestSoakPools(t *testing.T) {
	pools := *soakPools
	if pools == 0 {
		pools = 60
	}
	options := []workers.Options{{Workers: 2}, {Workers: 1, Background: 2, RaiseProcs: true},
		{Workers: 2, Pin: workers.PinCPU}, workers.Options{Workers: 2}.Parking(park.Syscall), {Workers: -1},
		{Workers: 1, Profile: -1}}
	once := func(i int) {
		p := workers.New(options[i%len(options)])
		var n atomic.Int64
		p.Go(deadline.Normal, func() { n.Add(1) })
		p.Go(deadline.Immediate, func() { n.Add(1); runtime.Goexit() })
		f := workers.Then(workers.Submit(p, deadline.Low, func(context.Context) (int, error) { return 1, nil }),
			func(_ context.Context, k int) (int, error) { n.Add(1); return k, nil })
		p.ParallelFor(10, 1, func(lo, hi int) {})
		ctx, cancel := context.WithCancel(background)
		if i%3 == 0 {
			cancel() // what is queued ends with ErrClosed
		}
		err := p.Close(ctx)
		cancel()
		mustClose(t, p)
		if _, e := f.Result(); i%3 != 0 && (err != nil || n.Load() != 3) || e != nil && i%3 != 0 {
			t.Fatalf("pool %d: %d functions of 3 ran, %v, %v", i, n.Load(), err, e)
		}
	}
	for i := range 4 * len(options) {
		once(i)
	}
	before := measureUse()
	for i := range pools {
		once(i)
		if i%1000 == 999 {
			t.Logf("%d of %d pools: %v", i+1, pools, measureUse())
		}
	}
	var after use
	testkit.Eventually(t, "goroutines and threads gone", func() bool {
		after = measureUse()
		return after.goroutines <= before.goroutines && after.threads <= before.threads+8
	})
	t.Logf("before: %v, after %d pools: %v", before, pools, after)
	if after.files > before.files+2 || after.heap > before.heap+1<<20 {
		t.Errorf("before: %v, after %d pools: %v", before, pools, after)
	}
}

// use is what a process holds.
type use struct {
	goroutines, threads, files int
	heap                       uint64 // live
}

func (u use) String() string {
	return fmt.Sprintf("%d goroutines, %d threads, %d files, %d KiB of live heap", u.goroutines, u.threads, u.files,
		u.heap>>10)
}

func measureUse() use {
	runtime.GC()
	runtime.GC() // finalizers and pools of the first
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return use{runtime.NumGoroutine(), ownFiles("task"), ownFiles("fd"), m.HeapAlloc}
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
		"insight": func(f func()) { workers.New(workers.Options{Workers: 1, Profile: -1}).Go(deadline.Normal, f) },
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
