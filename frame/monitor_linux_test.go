package frame_test

import (
	"os"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/internal/osthread"
	"github.com/frameslice/frameslice/workers"
)

// The loop has the monitor from some time after New until Close, if the system grants it, and Stats tells the truth.
func TestCalmMonitorIsGivenBack(t *testing.T) {
	granted := false
	if undo, err := osthread.RationMonitor(); err == nil {
		granted = true
		undo()
	}
	o := frame.Options{CalmMonitor: true, Workers: workers.Options{Workers: -1}}
	l := frame.New(o)
	for begin := time.Now(); granted && !l.Stats().Calm; time.Sleep(time.Millisecond) {
		if time.Since(begin) > time.Minute {
			t.Fatal("the system grants it, but not the loop")
		}
	}
	if n, calm := deadlines(t), l.Stats().Calm; calm != granted || n != btoi(granted) {
		t.Errorf("granted %v: Stats tells %v, %d threads have a deadline", granted, calm, n)
	}
	second := frame.New(o)
	if err := second.Close(); err != nil || second.Stats().Calm {
		t.Errorf("a second loop: %v, calm %v", err, second.Stats().Calm)
	}
	if n := deadlines(t); n != btoi(granted) {
		t.Errorf("%d threads have a deadline when a second loop has closed", n)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if n := deadlines(t); n != 0 || l.Stats().Calm {
		t.Errorf("%d threads have a deadline after Close, Stats tells %v", n, l.Stats().Calm)
	}
	for range 20 { // while the thread is still being looked for
		if err := frame.New(o).Close(); err != nil {
			t.Error(err)
		}
		if n := deadlines(t); n != 0 {
			t.Fatalf("%d threads have a deadline after an early Close", n)
		}
	}
}

// deadlines returns how many threads of the process have the policy SCHED_DEADLINE.
func deadlines(t *testing.T) (n int) {
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range tasks {
		tid, err := strconv.Atoi(task.Name())
		if err != nil {
			t.Fatal(err)
		}
		if attr, err := unix.SchedGetAttr(tid, 0); err == nil && attr.Policy == unix.SCHED_DEADLINE {
			n++
		}
	}
	return n
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
