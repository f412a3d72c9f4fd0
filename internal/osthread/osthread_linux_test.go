package osthread_test

import (
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

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
