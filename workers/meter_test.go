package workers

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/osthread"
	"github.com/frameslice/frameslice/internal/testkit"
)

// judged runs f on a thread of its own and returns how long that took, and what a meter says.
func judged(t *testing.T, f func()) (d, cost, latest time.Duration) {
	if _, err := osthread.ReadUsage(); err != nil {
		t.Skipf("the system does not tell: %v", err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		var m meter
		begin := deadline.Now()
		m.freshen(begin)
		f()
		end := deadline.Now()
		d = end.Sub(begin)
		cost, latest = m.judge(d, end)
	})
	wg.Wait()
	return d, cost, latest
}

func spin(d time.Duration) {
	for begin := time.Now(); time.Since(begin) < d; {
	}
}

// A run that sleeps counts with its sleep, on whatever thread it wakes up, and so does a short one.
func TestARunThatSleepsHasWaited(t *testing.T) {
	nap := func() { time.Sleep(20 * time.Millisecond) }
	if d, cost, latest := judged(t, nap); latest != d || cost != d {
		t.Errorf("a sleep of %v cost %v and counts as %v", d, cost, latest)
	}
	if d, cost, latest := judged(t, func() {}); d < shortRun && (latest != d || cost != d) {
		t.Errorf("a run of %v cost %v and counts as %v", d, cost, latest)
	}
}

// A run whose thread is kept off the processor by other threads counts as the time on the processor.
func TestARunThatIsKeptOffIsNotLong(t *testing.T) {
	if _, err := osthread.ReadUsage(); err != nil {
		t.Skipf("the system does not tell: %v", err)
	}
	n := runtime.GOMAXPROCS(2*runtime.NumCPU() + 2)
	defer runtime.GOMAXPROCS(n)
	var stop atomic.Bool
	defer stop.Store(true)
	for range 2 * runtime.NumCPU() {
		go func() {
			for !stop.Load() {
				runtime.Gosched() // where Go does not interrupt goroutines, a collection would wait without end
			}
		}()
	}
	testkit.Eventually(t, "a run that is kept off for most of its time", func() bool {
		d, cost, latest := judged(t, func() { spin(5 * time.Millisecond) })
		return latest == cost && latest < d*2/3
	})
}

// A run that is on another thread soon may have been interrupted, and says nothing. After longer it has waited.
func TestARunOnTwoThreads(t *testing.T) {
	if _, err := osthread.ReadUsage(); err != nil {
		t.Skipf("the system does not tell: %v", err)
	}
	for d, want := range map[time.Duration]time.Duration{5 * time.Millisecond: 0, goPreempts: goPreempts} {
		var m meter
		m.look(1)
		m.thread--
		if cost, latest := m.judge(d, deadline.Now()); cost != d || latest != want {
			t.Errorf("%v cost %v and counts as %v, want %v", d, cost, latest, want)
		}
	}
}

// A look that is a millisecond old serves the next run, too, and after a wait between two runs there is a new one.
func TestAMeterLooksNowAndThen(t *testing.T) {
	if _, err := osthread.ReadUsage(); err != nil {
		t.Skipf("the system does not tell: %v", err)
	}
	var m meter
	m.freshen(1000)
	m.freshen(1000 + deadline.Instant(staleLook))
	if m.at != 1000 {
		t.Error("a look for each run")
	}
	m.freshen(1001 + deadline.Instant(staleLook))
	if m.at == 1000 {
		t.Error("an old look")
	}
	if m.forget(); m.at != 0 {
		t.Error("a look from before a wait")
	}
}
