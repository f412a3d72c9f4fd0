package osthread_test

import (
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/frameslice/frameslice/internal/osthread"
)

// onOwnThread runs f on a goroutine whose thread dies with it.
func onOwnThread(t *testing.T, f func()) {
	t.Helper()
	done := make(chan struct{})
	osthread.Go(func() {
		defer close(done)
		f()
	})
	<-done
}

func TestLowerIsReadBack(t *testing.T) {
	var before, said, got, after osthread.Class
	var refused, err error
	onOwnThread(t, func() {
		before, _ = osthread.Lowered()
		said, refused = osthread.Lower()
		got, err = osthread.Lowered()
	})
	switch {
	case refused != nil:
		t.Skipf("a sandbox refuses it: %v", refused)
	case got != said || err != nil:
		t.Errorf("Lowered() = %v, %v; Lower() said %v", got, err, said)
	}
	// The thread died: no other thread of the process is left lowered.
	for range 10 {
		onOwnThread(t, func() { after, err = osthread.Lowered() })
		if after != before || err != nil {
			t.Fatalf("a fresh thread is %v, %v, and not %v: the change was inherited", after, err, before)
		}
	}
}

func TestPinRestrictsThisThreadOnly(t *testing.T) {
	var before []int
	onOwnThread(t, func() {
		var err error
		if before, err = osthread.CPUs(); err != nil || len(before) == 0 {
			t.Errorf("CPUs() = %v, %v", before, err)
			return
		}
		last := before[len(before)-1]
		if err := osthread.Pin(last); err != nil {
			t.Logf("refused: %v", err)
			return
		}
		if got, err := osthread.CPUs(); err != nil || !slices.Equal(got, []int{last}) {
			t.Errorf("after Pin(%d): CPUs() = %v, %v", last, got, err)
		}
	})
	for range 4 {
		onOwnThread(t, func() {
			if got, err := osthread.CPUs(); err != nil || !slices.Equal(got, before) {
				t.Errorf("a fresh thread may use %v, %v; want %v", got, err, before)
			}
		})
	}
	onOwnThread(t, func() {
		if err := osthread.Pin(1023); err == nil {
			t.Error("Pin(1023) succeeded: no such processor is expected here")
		}
	})
}

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
		x := 1
		for t0 := time.Now(); time.Since(t0) < 20*time.Millisecond; {
			x = x*3 + 1
		}
		runtime.KeepAlive(x)
		u1, err := osthread.ReadUsage()
		if err != nil || u1.CPU <= u0.CPU || u1.CPU-u0.CPU > time.Second {
			t.Errorf("20 ms of spinning used %v, %v", u1.CPU-u0.CPU, err)
		}
	})
}
