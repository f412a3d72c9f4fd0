package osthread_test

import (
	"errors"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/frameslice/frameslice/internal/osthread"
)

// Whatever thread the goroutine would have got by itself, it is never the process's first.
func TestGoKeepsOffTheFirstThread(t *testing.T) {
	for range 200 {
		var wg sync.WaitGroup
		wg.Add(4)
		for range 4 {
			osthread.Go(func() {
				defer wg.Done()
				if osthread.ID() == os.Getpid() {
					t.Error("on the first thread")
				}
			})
		}
		wg.Wait()
	}
}

func TestNameAndUsage(t *testing.T) {
	onOwnThread(t, func() {
		if err := osthread.Name("frameslice-worker-0"); err != nil {
			t.Error(err)
		}
		b, err := os.ReadFile("/proc/thread-self/comm")
		if got := strings.TrimSpace(string(b)); got != "frameslice-work" || err != nil {
			t.Errorf("name = %q, %v", got, err)
		}
		u0, err := osthread.ReadUsage()
		if err != nil {
			t.Error(err)
		}
		u1, x := u0, 1
		for begin := time.Now(); u1.CPU <= u0.CPU && err == nil && time.Since(begin) < 2*time.Minute; {
			for t0 := time.Now(); time.Since(t0) < 20*time.Millisecond; { // of which others may have all but nothing
				x = x*3 + 1
			}
			u1, err = osthread.ReadUsage()
		}
		runtime.KeepAlive(x)
		if err != nil || u1.CPU <= u0.CPU || u1.CPU-u0.CPU > time.Second {
			t.Errorf("20 ms of spinning used %v, %v", u1.CPU-u0.CPU, err)
		}
	})
}

// In a process of real-time priority a lowered thread might never run again, so Lower refuses, and changes nothing.
func TestLowerRefusesARealTimeThread(t *testing.T) {
	onOwnThread(t, func() {
		realTime := unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_RR, Priority: 1}
		if err := unix.SchedSetAttr(0, &realTime, 0); err != nil {
			t.Logf("the system grants no real-time priority: %v", err)
			return
		}
		class, err := osthread.Lower()
		if class != osthread.Ordinary || !errors.Is(err, osthread.ErrUnsupported) {
			t.Errorf("lowered to %v, %v", class, err)
		}
		if now, err := unix.SchedGetAttr(0, 0); err != nil || now.Policy != unix.SCHED_RR || now.Priority != 1 {
			t.Errorf("the thread is %+v now, %v", now, err)
		}
	})
}
