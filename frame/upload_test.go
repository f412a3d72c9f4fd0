package frame_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/load"
)

// Work that the commits of a load leave to the host: uploads of pictures.

// uploads runs frames of a host until n pictures are there, and returns the longest frame and the number of frames. The
// commit of a picture takes 240 µs, and upload of the host's time in the frame's drawing.
func uploads(t *testing.T, o frame.Options, n int, upload time.Duration, tasks bool) (longest time.Duration, frames int,
	report string) {
	t.Helper()
	o.Workers.Workers = 1
	bubble(t, o, func(t *testing.T, l *frame.Loop) {
		var left, done atomic.Int64
		commit := func(int, error) {
			time.Sleep(240 * time.Microsecond)
			left.Add(int64(upload))
			done.Add(1)
		}
		w := &window{l: l, own: time.Millisecond, flush: time.Millisecond, period: time.Second / 60}
		next := func() {
			w.flush = time.Millisecond + time.Duration(left.Swap(0))
			w.frame()
		}
		for range 60 {
			next()
		}
		ld := load.New(l, load.Options{Label: "picture"},
			func(context.Context, int, *load.Meter) (int, error) { return 0, nil })
		for i := range n {
			if tasks {
				l.Post(deadline.Normal, func() { commit(0, nil) })
			} else {
				ld.Load(context.Background(), i, commit)
			}
		}
		for ; done.Load() < int64(n) || left.Load() > 0; frames++ {
			next()
		}
		next()
		next()
		for i := 61; i < len(w.starts); i++ {
			longest = max(longest, w.starts[i].Sub(w.starts[i-1]))
		}
		report = l.Report("uploads").String()
	})
	return longest, frames, report
}

// A load of fifty pictures makes no frame longer than twice the frame of a single picture. The report names the cause.
func TestUploadsOfALoad(t *testing.T) {
	needsWorkers(t)
	for _, place := range placements() {
		for _, upload := range []time.Duration{200, 1000, 5000, 20_000, 60_000} {
			upload *= time.Microsecond
			for _, tasks := range []bool{false, true} {
				kind := "picture"
				if tasks {
					kind = "github.com/frameslice/frameslice/frame_test.uploads."
				}
				o := frame.Options{Placement: place}
				one, _, _ := uploads(t, o, 1, upload, tasks)
				longest, frames, report := uploads(t, o, 50, upload, tasks)
				t.Logf("%v, %v, tasks %v: one %v, fifty %v in %d frames", place, upload, tasks, one, longest, frames)
				if longest > 2*one || frames > 75 || frames > 45 && !strings.Contains(report, "left by "+kind) {
					t.Errorf("%v, %v, tasks %v: one picture %v, fifty %v in %d frames\n%s",
						place, upload, tasks, one, longest, frames, report)
				}
			}
		}
	}
}
