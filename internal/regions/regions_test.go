package regions_test

import (
	"fmt"
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
	var names regions.Names
	if n := tracetest.Logs(t, regions.Thread, func() { long(names.Begin(regions.Job, "decode")) }); n != 0 {
		t.Errorf("%d logs of a long job", n)
	}
}

// A name is made once: what a region allocates, beside the runtime's own, is nothing.
func TestNamesAreMadeOnce(t *testing.T) {
	m := regions.NewMeter()
	few := allocations(t, func() {
		r := m.Begin(regions.Section, "physics")
		r.End()
	})
	var names regions.Names
	job := allocations(t, func() {
		r := names.Begin(regions.Job, "decode")
		r.End()
	})
	frame := allocations(t, func() {
		r := m.BeginFrame(1 << 40)
		m.LogWait(time.Second, time.Millisecond)
		r.End()
	})
	if few > 1 || job > 1 || frame > 4 {
		t.Errorf("%v allocations of a section, %v of a job, %v of a frame", few, job, frame)
	}
	for i := range 5000 { // labels with a number in them are forgotten
		r := m.Begin(regions.Task, fmt.Sprint("level ", i))
		r.End()
	}
}

// allocations returns those of f while a trace is taken.
func allocations(t *testing.T, f func()) (n float64) {
	t.Helper()
	tracetest.Logs(t, regions.Thread, func() { n = testing.AllocsPerRun(200, f) })
	return n
}
