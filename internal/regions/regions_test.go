package regions_test

import (
	"bytes"
	"io"
	"runtime/trace"
	"sync"
	"testing"
	"time"

	xtrace "golang.org/x/exp/trace"

	"github.com/frameslice/frameslice/internal/osthread"
	"github.com/frameslice/frameslice/internal/regions"
)

// threadLogs takes a trace of f, and returns how many logs of a thread are in it.
func threadLogs(t *testing.T, f func()) (n int) {
	t.Helper()
	if trace.IsEnabled() {
		t.Skip("go test -trace takes a trace, and there can be no other")
	}
	var b bytes.Buffer
	if err := trace.Start(&b); err != nil {
		t.Fatal(err)
	}
	func() {
		defer trace.Stop()
		f()
	}()
	events, err := xtrace.NewReader(&b)
	if err != nil {
		t.Fatal(err)
	}
	for {
		e, err := events.ReadEvent()
		if err == io.EOF {
			return n
		}
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind() == xtrace.EventLog && e.Log().Category == regions.Thread {
			n++
		}
	}
}

// Each loop has a Meter of its own: the frames of two loops log at once. The race detector watches.
func TestEachFrameLogsItsThread(t *testing.T) {
	if _, err := new(osthread.Meter).Read(); err != nil {
		t.Skip("this system does not tell what a thread has used up: ", err)
	}
	const frames = 50
	n := threadLogs(t, func() {
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
	if n := threadLogs(t, func() { long(m.Begin(regions.Section, "physics")) }); n != 1 {
		t.Errorf("%d logs of a long section", n)
	}
	if n := threadLogs(t, func() { long(regions.Begin(regions.Job, "decode")) }); n != 0 {
		t.Errorf("%d logs of a long job", n)
	}
}
