package regions_test

import (
	"sync"
	"testing"
	"time"

	"github.com/frameslice/frameslice/internal/osthread"
	"github.com/frameslice/frameslice/internal/regions"
	"github.com/frameslice/frameslice/internal/regions/tracetest"
)

// Each loop has a Meter of its own: the frames of two loops log at once. The race detector watches.
func TestEachFrameLogsItsThread(t *testing.T) {
	if _, err := new(osthread.Meter).Read(); err != nil {
		t.Skip("this system does not tell what a thread has used up: ", err)
	}
	const frames = 50
	n := tracetest.Logs(t, regions.Thread, func() {
		var loops sync.WaitGroup
		for range 2 {
			m := regions.NewMeter()
			loops.Go(func() {
				for i := range uint64(frames) {
					r := m.BeginFrame(i)
					r.End()
				}
			})
		}
		loops.Wait()
	})
	if n < 2*frames {
		t.Errorf("%d logs of %d frames", n, 2*frames)
	}
}

// A long region logs at its end, unless it is a job's.
func TestALongRegionLogsItsThread(t *testing.T) {
	if _, err := new(osthread.Meter).Read(); err != nil {
		t.Skip("this system does not tell what a thread has used up: ", err)
	}
	m := regions.NewMeter()
	long := func(r regions.Region) {
		time.Sleep(2 * time.Millisecond)
		r.End()
	}
	if n := tracetest.Logs(t, regions.Thread, func() { long(m.Begin(regions.Section, "physics")) }); n != 1 {
		t.Errorf("%d logs of a long section", n)
	}
	if n := tracetest.Logs(t, regions.Thread, func() { long(regions.Begin(regions.Job, "decode")) }); n != 0 {
		t.Errorf("%d logs of a long job", n)
	}
}
