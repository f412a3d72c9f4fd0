package workers

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sys/unix"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/osthread"
)

// boostedPool returns a pool with so many background workers, as a program at real-time priority has it.
func boostedPool(t *testing.T, backgrounds int) *Pool {
	t.Helper()
	var p *Pool
	done := make(chan error)
	osthread.Go(func() {
		err := osthread.Boost(0, 1)
		if err == nil {
			p = New(Options{Workers: -1, Background: min(backgrounds, MaxWorkers), RaiseProcs: true})
		}
		done <- err
	})
	if err := <-done; err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() {
		if err := p.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	var s Stats
	if p.Stats(&s); s.Background == 0 {
		t.Skip("no background workers on this system:", s.Notes)
	}
	if want := s.Background + 1 + spareProcs; s.Procs != want {
		t.Errorf("GOMAXPROCS is raised by %d, want %d", s.Procs, want)
	}
	if len(p.nudge.all) != 0 {
		t.Error("nudges at real-time priority")
	}
	return p
}

// Threads at real-time priority are on every processor, and yield, for as long as background jobs have not seen that
// they have been lent that priority. Then they have none, again and again.
func TestABackgroundWorkerThatIsKeptOffIsBoosted(t *testing.T) {
	p := boostedPool(t, runtime.NumCPU())
	for range 3 {
		var lent atomic.Int32
		end := deadline.Now().Add(5 * time.Second) // the machine is wanted for other things, too
		patient := func() bool { return deadline.Now() < end }
		n := int32(p.crews[background].base.Load())
		var jobs, spinners sync.WaitGroup
		for range n {
			jobs.Add(1)
			p.Go(deadline.Normal, func() {
				defer jobs.Done()
				for osthread.RealTimePriority() == 0 && patient() {
				}
				lent.Add(1)
				for osthread.RealTimePriority() != 0 && patient() {
				}
			})
		}
		for range runtime.NumCPU() {
			spinners.Add(1)
			osthread.Go(func() {
				defer spinners.Done()
				if err := osthread.Boost(0, 1); err != nil {
					t.Error(err)
				}
				for lent.Load() < n && patient() {
					_, _, _ = unix.RawSyscall(unix.SYS_SCHED_YIELD, 0, 0, 0)
				}
			})
		}
		spinners.Wait()
		jobs.Wait()
		if !patient() {
			t.Fatal("background workers were not boosted, or for ever")
		}
	}
	if p.boosted.Load() == 0 {
		t.Error("nobody was boosted")
	}
}

// The booster sleeps while all background workers do, and is there when one is woken.
func TestTheBoosterRestsWithTheWorkers(t *testing.T) {
	var task string
	find := func() bool {
		tasks, _ := filepath.Glob("/proc/self/task/*")
		for _, task = range tasks {
			if name, _ := os.ReadFile(task + "/comm"); strings.TrimSpace(string(name)) == "fs-boost" {
				return true
			}
		}
		return false
	}
	until(t, func() bool { return !find() }) // another test's thread ends some time after its goroutine
	p := boostedPool(t, 1)
	until(t, find)
	quiet := func() bool {
		n := sleeps(t, task)
		time.Sleep(10 * time.Millisecond)
		return sleeps(t, task) == n
	}
	for range 3 {
		until(t, quiet)
		end := make(chan struct{})
		p.Go(deadline.Normal, func() { <-end })
		for range 3 * rests {
			n := sleeps(t, task)
			until(t, func() bool { return sleeps(t, task) != n })
		}
		close(end)
	}
	until(t, quiet)
}

// A worker's thread ends with a job that calls Goexit, and its reach is the next one's.
func TestABoostReachesTheWorkersPresentThread(t *testing.T) {
	p := boostedPool(t, 1)
	w := p.crews[background].slots[0].Load()
	for range 5 {
		for i := range 2 {
			j := Job{Priority: deadline.Normal, Func: func(w *Worker) {
				if w.Low() && w.reach.Load() != int64(osthread.ID()) {
					t.Errorf("reach is %d on thread %d", w.reach.Load(), osthread.ID())
				}
				if i == 0 {
					runtime.Goexit()
				}
			}}
			p.Submit(&j)
			until(t, func() bool { return j.State() == Finished })
		}
	}
	w.pool.resize(&p.crews[background], 0)
	until(t, func() bool { return !w.alive.Load() })
	if id := w.reach.Load(); id != 0 {
		t.Errorf("a worker that is gone is within reach, as %d", id)
	}
}

// A worker's thread does not end while it is held.
func TestAWorkerThatIsHeldDoesNotEnd(t *testing.T) {
	p := boostedPool(t, 1)
	w := p.crews[background].slots[0].Load()
	id := int64(0)
	until(t, func() bool { id = w.reach.Load(); return id > 0 && w.grasp(id) })
	var ended, ran atomic.Bool
	p.Go(deadline.Normal, func() { ended.Store(true); runtime.Goexit() })
	p.Go(deadline.Normal, func() { ran.Store(true) })
	until(t, ended.Load)
	time.Sleep(20 * time.Millisecond)
	if ran.Load() || w.reach.Load() != -id {
		t.Error("a thread that is held has ended")
	}
	w.reach.Store(id)
	until(t, ran.Load)
}

func TestNoBoostsWithoutAPriorityToLend(t *testing.T) {
	for _, o := range []Options{{Background: 1, RaiseProcs: true}, {Background: 1}} {
		p := New(o)
		if p.booster != nil {
			t.Errorf("%+v has a booster", o)
		}
		if err := p.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}
	done := make(chan struct{})
	osthread.Go(func() {
		defer close(done)
		if err := osthread.Boost(0, 1); err != nil {
			return
		}
		none := []Options{{Background: 1}, {Background: 1, RaiseProcs: true, NoNudge: true}, {RaiseProcs: true}}
		for _, o := range none {
			p := New(o)
			if p.booster != nil {
				t.Errorf("%+v has a booster", o)
			}
			if err := p.Close(context.Background()); err != nil {
				t.Error(err)
			}
		}
	})
	<-done
}

// In virtual time, in which a job sleeps, nobody is looked after.
func TestTheBoosterLetsVirtualTimePass(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		runtime.LockOSThread() // for good: the thread ends with the goroutine
		if err := osthread.Boost(0, 1); err != nil {
			t.Skip(err)
		}
		p := New(Options{Background: 1, RaiseProcs: true, Park: ParkChan})
		if p.booster == nil && len(p.crews[background].lanes) > 0 {
			t.Error("no booster")
		}
		for range 3 {
			slept := make(chan struct{})
			p.Go(deadline.Normal, func() { time.Sleep(time.Hour); close(slept) })
			<-slept
		}
		if err := p.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
}

func TestWhoIsStuckIsBoostedLessAndLess(t *testing.T) {
	var g progress
	used := 5 * time.Millisecond
	if g.stuck(used) {
		t.Error("stuck at the first look")
	}
	var at []int
	for i := range 100 {
		if g.stuck(used) {
			at = append(at, i)
		}
	}
	want := []int{0, 2, 6, 14, 30, 62, 94}
	if len(at) != len(want) {
		t.Fatalf("boosted at %v, want %v", at, want)
	}
	for i := range want {
		if at[i] != want[i] {
			t.Fatalf("boosted at %v, want %v", at, want)
		}
	}
	if used++; g.stuck(used) || !g.stuck(used) || g.stuck(used) || !g.stuck(used) {
		t.Error("what has run again is not where it began")
	}
}
