package workers

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sys/unix"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/osthread"
)

// boostedPool returns a pool with one background worker, as a program at real-time priority has it.
func boostedPool(t *testing.T) *Pool {
	t.Helper()
	var p *Pool
	done := make(chan error)
	osthread.Go(func() {
		err := osthread.Boost(0, 1)
		if err == nil {
			p = New(Options{Workers: -1, Background: 1, RaiseProcs: true})
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
// they have been lent that priority. Then they have none, again and again. All this is in a process of its own that is
// at real-time priority as a whole: in another one, what the background workers need of the runtime may be with a
// thread of ordinary priority, which nobody boosts.
func TestABackgroundWorkerThatIsKeptOffIsBoosted(t *testing.T) {
	if _, again := os.LookupEnv(inRealTime); !again {
		againInRealTime(t)
		return
	}
	p := New(Options{Workers: -1, Background: runtime.NumCPU(), RaiseProcs: true})
	for range 5 {
		var lent atomic.Int32
		patient := deadline.Now().Add(5 * time.Second) // the machine is wanted for other things, too
		n := int32(p.crews[background].base.Load())
		for range n {
			p.Go(deadline.Normal, func() {
				for osthread.RealTimePriority() == 0 && deadline.Now() < patient {
				}
				lent.Add(1)
			})
		}
		var spinners sync.WaitGroup
		for range runtime.NumCPU() {
			spinners.Add(1)
			osthread.Go(func() {
				defer spinners.Done()
				for lent.Load() < n && deadline.Now() < patient {
					_, _, _ = unix.RawSyscall(unix.SYS_SCHED_YIELD, 0, 0, 0)
				}
			})
		}
		spinners.Wait()
		if deadline.Now() >= patient {
			t.Error("background workers were not boosted")
		}
		for i := range n {
			until(t, func() bool {
				attr, err := unix.SchedGetAttr(int(p.crews[background].slots[i].Load().reach.Load()), 0)
				return err == nil && attr.Policy == unix.SCHED_IDLE
			})
		}
	}
	var s Stats
	if p.Stats(&s); s.Boosted == 0 {
		t.Error("nobody was boosted")
	}
	if err := p.Close(context.Background()); err != nil {
		t.Error(err)
	}
}

// inRealTime is set where a test has been run once more by againInRealTime.
const inRealTime = "FRAMESLICE_REALTIME"

// againInRealTime runs the test once more, in a process whose threads are all at real-time priority.
func againInRealTime(t *testing.T) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Skipf("no processes here: %v", err)
	}
	var out []byte
	var refused error
	done := make(chan struct{})
	osthread.Go(func() { // what a thread starts inherits its priority
		defer close(done)
		attr := unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_RR, Priority: 1}
		if refused = unix.SchedSetAttr(0, &attr, 0); refused == nil {
			cmd := exec.Command(exe, "-test.run=^"+t.Name()+"$", "-test.timeout=5m")
			cmd.Env = append(os.Environ(), inRealTime+"=1")
			out, err = cmd.CombinedOutput()
		}
	})
	if <-done; refused != nil {
		t.Skip(refused)
	}
	if errors.Is(err, syscall.ENOEXEC) {
		t.Skip("an emulator that cannot start processes")
	}
	if err != nil {
		t.Errorf("%v:\n%s", err, out)
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
	p := boostedPool(t)
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
	p := boostedPool(t)
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

// A worker that leaves is not low any more, so nothing keeps off what is left of it.
func TestAWorkerLeavesAtThePriorityOfTheOthers(t *testing.T) {
	p := boostedPool(t)
	j := Job{Priority: deadline.Normal, Func: func(w *Worker) {
		w.leaveReach()
		if prio, id := osthread.RealTimePriority(), w.reach.Load(); prio != 1 || id != 0 {
			t.Errorf("a worker leaves with priority %d as thread %d, want 1 and 0", prio, id)
		}
		w.comeIntoReach()
		if _, err := osthread.Lower(); err != nil || w.reach.Load() != int64(osthread.ID()) {
			t.Errorf("a worker is back as %d, error %v", w.reach.Load(), err)
		}
	}}
	p.Submit(&j)
	until(t, func() bool { return j.State() == Finished })
}

// A worker's thread does not end while it is held.
func TestAWorkerThatIsHeldDoesNotEnd(t *testing.T) {
	p := boostedPool(t)
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

// In virtual time nobody is looked after.
func TestNobodyIsBoostedInVirtualTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		runtime.LockOSThread() // for good: the thread ends with the goroutine
		if err := osthread.Boost(0, 1); err != nil {
			t.Skip(err)
		}
		p := New(Options{Background: 1, RaiseProcs: true})
		if p.booster != nil {
			t.Error("a booster")
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
