package osthread_test

import (
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/internal/osthread"
)

// onOwnThread runs f on a goroutine whose thread dies with it.
func onOwnThread(t *testing.T, f func()) {
	t.Helper()
	osthread.Prepare()
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		f()
	}()
	<-done
}

func TestLowerIsReadBack(t *testing.T) {
	onOwnThread(t, func() {
		if got, err := osthread.Lowered(); got != osthread.Ordinary || err != nil {
			t.Skipf("this process is not at ordinary priority: %v, %v", got, err)
		}
		want, err := osthread.Lower()
		if err != nil {
			t.Skipf("refused: %v", err)
		}
		if got, err := osthread.Lowered(); got != want || err != nil {
			t.Errorf("Lowered() = %v, %v; Lower() said %v", got, err, want)
		}
	})
	// The thread died: no other thread of the process is left lowered.
	onOwnThread(t, func() {
		if got, err := osthread.Lowered(); got != osthread.Ordinary {
			t.Errorf("a fresh thread is %v, %v: the change was inherited", got, err)
		}
	})
}

func TestPinRestrictsThisThreadOnly(t *testing.T) {
	var before []int
	onOwnThread(t, func() {
		var err error
		if before, err = osthread.CPUs(); err != nil || len(before) == 0 {
			t.Fatalf("CPUs() = %v, %v", before, err)
		}
		last := before[len(before)-1]
		if err := osthread.Pin(last); err != nil {
			t.Skipf("refused: %v", err)
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

func TestNameAndUsage(t *testing.T) {
	onOwnThread(t, func() {
		if osthread.ID() == os.Getpid() {
			t.Error("a locked goroutine got the main thread's id")
		}
		if err := osthread.Name("frameslice-worker-0"); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile("/proc/thread-self/comm")
		if got := strings.TrimSpace(string(b)); got != "frameslice-work" || err != nil {
			t.Errorf("name = %q, %v", got, err)
		}
		u0, err := osthread.ReadUsage()
		if err != nil {
			t.Fatal(err)
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
