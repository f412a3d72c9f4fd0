package osthread_test

import (
	"errors"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/frameslice/frameslice/internal/osthread"
)

// One thread is rationed, none that Go code ever runs on, and those that begin meanwhile are not.
func TestRationMonitorIsSetAndUndone(t *testing.T) {
	before := policies(t)
	undo, err := osthread.RationMonitor()
	if errors.Is(err, osthread.ErrUnsupported) && before[os.Getpid()].Policy == unix.SCHED_NORMAL &&
		before[os.Getpid()].Nice == 0 {
		t.Fatal("the monitor is not found")
	}
	if err != nil {
		t.Skipf("it wants CAP_SYS_NICE: %v", err)
	}
	tids := withDeadline(t)
	if len(tids) != 1 {
		t.Fatalf("threads %v have a deadline", tids)
	}
	if got, err := unix.SchedGetAttr(tids[0], 0); err != nil || got.Runtime != 5_000 || got.Period != 1_000_000 ||
		got.Flags&unix.SCHED_FLAG_RESET_ON_FORK == 0 {
		t.Errorf("set to %+v, %v", got, err)
	}
	if again, err := osthread.RationMonitor(); err == nil {
		t.Error("rationed twice")
		again()
	}

	var all sync.WaitGroup
	all.Add(100) // goroutines with a thread each, more than there are
	used := make([]int, 100)
	for i := range used {
		osthread.Go(func() {
			used[i] = osthread.ID()
			all.Done()
			all.Wait()
		})
	}
	all.Wait()
	if slices.Contains(used, tids[0]) || tids[0] == os.Getpid() {
		t.Errorf("thread %d, which is rationed, runs Go code", tids[0])
	}
	if now := withDeadline(t); !slices.Equal(now, tids) {
		t.Errorf("threads %v have a deadline, it was %v", now, tids)
	}

	undo()
	if after, was := policies(t)[tids[0]], before[tids[0]]; was.Policy == unix.SCHED_DEADLINE || after != was {
		t.Errorf("not undone: %+v, was %+v", after, was)
	}
}

// Who may not ration it, or take the flag off, does what he may.
func TestRationMonitorWithoutThePrivilege(t *testing.T) {
	onOwnThread(t, func() {
		undo, refused := osthread.RationMonitor()
		drop(t, unix.CAP_SYS_NICE)
		if refused == nil {
			undo()
		}
		if _, err := osthread.RationMonitor(); err == nil {
			t.Error("rationed without the privilege")
		}
		if tids := withDeadline(t); len(tids) > 0 {
			t.Errorf("threads %v have a deadline", tids)
		}
	})
	if undo, err := osthread.RationMonitor(); err == nil {
		undo()
		if tids := withDeadline(t); len(tids) > 0 {
			t.Errorf("threads %v have a deadline", tids)
		}
	}
}

// withDeadline returns the threads of the process with SCHED_DEADLINE.
func withDeadline(t *testing.T) (tids []int) {
	for tid, attr := range policies(t) {
		if attr.Policy == unix.SCHED_DEADLINE {
			tids = append(tids, tid)
		}
	}
	return tids
}

// policies returns how each thread of the process stands.
func policies(t *testing.T) map[int]unix.SchedAttr {
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[int]unix.SchedAttr)
	for _, task := range tasks {
		tid, err := strconv.Atoi(task.Name())
		if err != nil {
			t.Fatal(err)
		}
		if attr, err := unix.SchedGetAttr(tid, 0); err == nil { // else it has ended
			all[tid] = *attr
		}
	}
	return all
}
