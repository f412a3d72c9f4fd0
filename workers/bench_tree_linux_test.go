package workers_test

import (
	"slices"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/workers"
	"golang.org/x/sys/unix"
)

// BenchmarkWakeTree has three workers asleep help with a loop of four long pieces, and says after how long the second,
// third and fourth begin. To be run with -cpu 4: a piece looks to the runtime like a computation, but leaves the
// processor to others, so that two processors will do.
func BenchmarkWakeTree(b *testing.B) {
	p := workers.New(workers.Options{Workers: 3})
	defer p.Close(background)
	var began [4][]float64
	for b.Loop() {
		time.Sleep(3 * time.Millisecond)
		start := deadline.Now()
		var mu sync.Mutex
		var at []float64
		p.ParallelFor(4, 1, func(int, int) {
			mu.Lock()
			at = append(at, float64(deadline.Now().Sub(start)))
			mu.Unlock()
			for end := deadline.Now().Add(6 * time.Millisecond); deadline.Now() < end; {
				nap := unix.Timespec{Nsec: 200_000}
				_, _, _ = unix.RawSyscall(unix.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&nap)), 0, 0)
			}
		})
		slices.Sort(at)
		for i := range at {
			began[i] = append(began[i], at[i])
		}
	}
	b.ReportMetric(quantile(began[1], 0.5), "second-p50-ns")
	b.ReportMetric(quantile(began[2], 0.5), "third-p50-ns")
	b.ReportMetric(quantile(began[3], 0.5), "fourth-p50-ns")
}
