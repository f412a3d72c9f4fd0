package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/frameslice/frameslice/bench/child"
	"github.com/frameslice/frameslice/bench/report"
)

// waking are workloads where the wait counts: a pool that sleeps, and one that a frame keeps awake.
func waking(z sizes) []workload {
	sleeping := workload{name: "wake", numbers: []int{z.wakes},
		about: "one job after 5 ms of idleness: to its start while the submitter works on; there and back",
		run:   func(s system, workers int) ([]report.Value, error) { return wake(s, workers, z.wakes) }}
	all := []workload{sleeping}
	if canKeepAwake() {
		sleeping.name, sleeping.like, sleeping.beside = "wake-awake", "wake", keepAwake
		sleeping.about = "the same beside processes of the lowest priority, so that no processor is halted"
		sleeping.maxRounds = 3
		all = append(all, sleeping)
	}
	return append(all, workload{
		name: "hot-pair", about: "two functions of 20 µs at once, every 50 µs within a frame (one after the other: 40)",
		numbers: []int{z.pairs}, yardstick: true,
		run: func(s system, workers int) ([]report.Value, error) { return hotPair(s, workers, z.pairs) },
	})
}

const idleness = 5 * time.Millisecond

func wake(s system, workers, times int) ([]report.Value, error) {
	p := s.wakes(workers)
	defer p.close()
	var began atomic.Int64
	f := func() { began.Store(int64(now())) }
	starts, trips := make([]time.Duration, times), make([]time.Duration, times)
	for i := range times {
		began.Store(0)
		time.Sleep(idleness)
		t0 := now()
		p.submit(f)
		for began.Load() == 0 { // as a frame that has work of its own does
		}
		starts[i] = time.Duration(began.Load() - int64(t0))

		time.Sleep(idleness)
		trips[i] = trip(p)
	}
	return append(quantiles("start-", starts, 0.99, "p99"), quantiles("trip-", trips, 0.99, "p99")...), nil
}

// trip runs an empty job and waits for it.
func trip(p pool) time.Duration {
	t0 := now()
	if t, ok := p.(tripper); ok {
		t.trip(func() {})
		return since(t0)
	}
	var wg sync.WaitGroup
	wg.Add(1)
	p.submit(wg.Done)
	wg.Wait()
	return since(t0)
}

func hotPair(s system, workers, times int) ([]report.Value, error) {
	p := s.open(workers)
	defer p.close()
	if f, ok := p.(framer); ok {
		f.frame(true)
		defer f.frame(false)
	}
	steps := stepsFor(20 * time.Microsecond)
	var done, odd atomic.Int64
	half := func() { odd.Add(burn(0, 1, steps)); done.Add(1) }
	took := make([]time.Duration, times)
	for i := range times {
		odd.Add(burn(0, 1, steps*5/2)) // the frame's own work
		t0 := now()
		pair(p, half)
		took[i] = since(t0)
	}
	if done.Load() != int64(2*times) {
		return nil, errRuns
	}
	return quantiles("", took, 0.99, "p99"), nil
}

// pair runs f twice at once.
func pair(p pool, f func()) {
	if fr, ok := p.(framer); ok {
		fr.pair(f, f)
		return
	}
	var wg sync.WaitGroup
	wg.Add(1)
	p.submit(func() { f(); wg.Done() })
	f()
	wg.Wait()
}

// stepsFor returns how many steps of burn take the time: the fewest of some tries, as others disturb.
func stepsFor(d time.Duration) int {
	const steps = 100_000
	least := time.Hour
	for range 20 {
		t0 := now()
		if burn(0, 1, steps) < 0 {
			panic("burn")
		}
		least = min(least, since(t0))
	}
	return max(1, int(d*steps/least))
}

// spin ends with the process that began it.
const spin = `exec 2>/dev/null; while kill -0 $PPID; do :; done`

// canKeepAwake reports whether keepAwake works here.
func canKeepAwake() bool {
	return runtime.GOOS == "linux" && child.Have("chrt") && exec.Command("chrt", "--idle", "0", "true").Run() == nil
}

// keepAwake keeps all processors from being idle, by one process for each, of the class that runs when nothing else
// wants to. An idle processor is halted. On a virtual machine the host then needs 50 to 100 µs to bring it back,
// which is most of a wake-up. No pool can change that, so keepAwake tells a pool's share of a wake-up from the
// machine's.
func keepAwake() (stop func(), err error) {
	var begun []*exec.Cmd
	stop = func() {
		for _, c := range begun {
			_ = c.Process.Kill()
			_ = c.Wait() // its error says that it was killed
		}
	}
	for range runtime.NumCPU() {
		c := exec.Command("chrt", "--idle", "0", "sh", "-c", spin)
		c.Stderr = os.Stderr
		if err := c.Start(); err != nil {
			stop()
			return nil, fmt.Errorf("keeping the processors awake: %w", err)
		}
		begun = append(begun, c)
	}
	return stop, nil
}
