package load_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/load"
	"github.com/frameslice/frameslice/scheduler"
)

// The values in memory follow the commits, if nobody has bounded them: as many as slices commit, and until commits take
// longer. A small picture takes 0.1 ms to decode, on one worker, and 0.05 ms to commit. A large one commits for 5 ms.
func TestValuesAheadFollowTheCommits(t *testing.T) {
	needsWorkers(t)
	const n = 420
	o := frame.Options{Interval: time.Second / 60, WorkersOnly: true, CloseTimeout: -1}
	o.Workers.Workers = 1
	synctest.Test(t, func(t *testing.T) {
		l := frame.New(o)
		defer l.Close()
		var waiting, worst atomic.Int32
		ld := load.New(l, load.Options{Label: "picture"},
			func(_ context.Context, key int, _ *load.Meter) (int, error) {
				time.Sleep(100 * time.Microsecond)
				worst.Store(max(worst.Load(), waiting.Add(1)))
				return key, nil
			})
		load := func(from, n int, cost time.Duration) {
			for i := range n {
				ld.Load(bg, from+i, func(int, error) { waiting.Add(-1); time.Sleep(cost) })
			}
		}
		epoch := time.Now()
		frame := func() { // of a display with 60 Hz
			l.Begin()
			time.Sleep(ms)
			l.Slice()
			l.End()
			time.Sleep(ms)
			time.Sleep(o.Interval - time.Since(epoch)%o.Interval)
		}
		learn(l, "picture", 50*time.Microsecond, frame)
		load(0, n, 50*time.Microsecond)
		load(n, 1000, 5*time.Millisecond)
		frames := 0
		for ; ld.Progress().Loaded < n; frames++ {
			frame()
		}
		if got := worst.Load(); frames > 6 || got <= 64 || got > 257 { // one in the hands of a commit
			t.Errorf("%d small pictures in %d frames, want 6, with up to %d values, want 65 to 257", n, frames, got)
		}
		for range 100 {
			frame()
		}
		worst.Store(0)
		for range 50 {
			frame()
		}
		if got := worst.Load(); got > 33 {
			t.Errorf("up to %d values of large pictures at once, want 33", got)
		}
	})
}

// learn runs tasks of a kind until the scheduler knows that they leave the host no work.
func learn(l *frame.Loop, label string, cost time.Duration, frame func()) {
	t := &scheduler.Task{Label: label, Step: func() bool { time.Sleep(cost); return true }}
	l.Scheduler().Submit(t)
	for range 60 {
		frame()
	}
	t.Cancel()
	frame()
}
