package replay_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/scheduler/replay"
)

// A modal loop's run is in progress while the runs in it are.
func TestTimelineOfANest(t *testing.T) {
	r := replay.Play(1, replay.Options{Interval: 12 * ms}, func(w *replay.World) {
		s := w.Scheduler()
		s.Submit(&scheduler.Task{Label: "dialog", Func: func() {
			w.Spend(2 * ms)
			s.Submit(&scheduler.Task{Label: "inner", Func: func() { w.Spend(3 * ms) }})
			s.Nest(func() { s.RunUntil(deadline.Deadline{}) })
			w.Spend(2 * ms)
		}})
		w.Frame(nil)
	})
	const want = `
frame  |^
dialog |#######
inner  |  ###
`
	if got := "\n" + r.Timeline(ms); got != want {
		t.Errorf("timeline:%swant:%s", got, want)
	}
}

func TestTimelineOfNoStep(t *testing.T) {
	r := replay.Play(1, replay.Options{}, func(w *replay.World) { w.Frame(nil) })
	for step, want := range map[time.Duration]string{
		0:   "replay: Timeline with a step that is not positive: 0s",
		-ms: "replay: Timeline with a step that is not positive: -1ms",
	} {
		func() {
			defer func() {
				if got := recover(); got != want {
					t.Errorf("panic: %v, want %s", got, want)
				}
			}()
			r.Timeline(step)
		}()
	}
}

// A frame in which others lie is told of by its own number.
func TestFramesWithinAFrame(t *testing.T) {
	r := replay.Play(1, replay.Options{Interval: 10 * ms}, func(w *replay.World) {
		w.Scheduler().Post(deadline.Normal, func() {
			w.Scheduler().Nest(func() {
				w.Frame(nil)
				w.Frame(nil)
			})
		})
		w.Frame(nil)
	})
	if text := r.String(); r.Frames != 3 || !strings.Contains(text, "frame 1 took 20ms") ||
		strings.Contains(text, "frame 3 took") {
		t.Errorf("%d frames:\n%s", r.Frames, text)
	}
}

// Any two durations are limits to draw between, and all between them come up.
func TestBetween(t *testing.T) {
	replay.Play(1, replay.Options{}, func(w *replay.World) {
		seen := map[bool]int{}
		for range 100 {
			seen[w.Between(math.MinInt64, math.MaxInt64) < 0]++
			if d := w.Between(math.MinInt64, 0); d > 0 {
				t.Errorf("%d is more than 0", d)
			}
			if d := w.Between(-1, math.MaxInt64); d < -1 {
				t.Errorf("%d is less than -1", d)
			}
			seen[w.Between(4, 5) == 5]++
			if w.Between(7, 7) != 7 || w.Between(7, 6) != 7 {
				t.Error("not the only one")
			}
		}
		if seen[false] < 40 || seen[true] < 40 {
			t.Errorf("drawn %v", seen)
		}
	})
}
