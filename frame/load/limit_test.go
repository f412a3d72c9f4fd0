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

// pictures loads 420 small pictures in a loop whose slice runs no jobs, and then large ones. A small one takes 0.1 ms
// to decode, on one worker, and 0.05 ms to commit. A large one takes 5 ms to commit. It returns in how many frames the
// small ones were loaded, and how many values were in memory at once at most: of the small ones, and of the others when
// there had been some.
func pictures(t *testing.T, ahead int) (frames int, small, large int32) {
	const n = 420
	o := frame.Options{Interval: time.Second / 60, NoJobs: true, Grace: -1}
	o.Workers.Workers = 1
	synctest.Test(t, func(t *testing.T) {
		l := frame.New(o)
		defer l.Close()
		var waiting, worst atomic.Int32
		ld := load.New(l, load.Options{Ahead: ahead, Label: "picture"},
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
		for ld.Progress().Loaded < n {
			frame()
			frames++
		}
		small = worst.Load()
		for range 100 {
			frame()
		}
		worst.Store(0)
		for range 50 {
			frame()
		}
		large = worst.Load()
	})
	return frames, small, large
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

// As many as slices commit, if nobody has bounded them, and until commits take longer; otherwise as many as was said.
func TestValuesAheadFollowTheCommits(t *testing.T) {
	needsWorkers(t)
	for ahead, want := range map[int]struct {
		frames       int
		small, large int32
	}{0: {6, 256, 32}, 32: {14, 32, 32}, 8: {60, 8, 8}} {
		frames, small, large := pictures(t, ahead)
		if frames > want.frames || ahead > 0 && frames < want.frames/2 {
			t.Errorf("Ahead %d: %d frames, want %d at most", ahead, frames, want.frames)
		}
		// There may be one more, in the hands of a commit.
		if ahead == 0 && small <= 64 || small > want.small+1 || large > want.large+1 {
			t.Errorf("Ahead %d: %d and %d values at once, want %d and %d", ahead, small, large, want.small, want.large)
		}
	}
}
