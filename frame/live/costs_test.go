package live_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/scheduler"
)

// The latest frames tell how old their input was, and which sections and tasks took the time. Each request
// finds the same.
func TestLatencyAndCosts(t *testing.T) {
	inBubble(t, frame.Options{}, func(t *testing.T, l *frame.Loop, h http.Handler) {
		for range 120 {
			time.Sleep(time.Second/60 - 7*time.Millisecond)
			l.Begin()
			s := l.Section("draw")
			time.Sleep(4 * time.Millisecond)
			s.End()
			l.Post(deadline.Low, func() { time.Sleep(3 * time.Millisecond) })
			l.Slice()
			l.Presented(l.Frame(), l.Scheduler().Now().Add(10*time.Millisecond))
			l.End()
		}
		for range 3 {
			s := play(l, func() *state { return look(t, h) })
			if s.HandedOver == nil || s.HandedOver.P50 != 7 || s.HandedOver.Max != 7 {
				t.Errorf("handed over after %+v", s.HandedOver)
			}
			if s.Displayed == nil || s.Displayed.P50 != 17 || s.Displayed.P99 != 17 {
				t.Errorf("displayed after %+v", s.Displayed)
			}
			if c := s.Costs; len(c) != 2 || c[0].Of != "section" || c[0].Name != "draw" || c[0].Max != 4 ||
				c[0].Rate < 230 || c[0].Rate > 245 || c[1].Of != "task" || c[1].Max != 3 ||
				c[1].Name != "live_test.TestLatencyAndCosts.func1.1" {
				t.Errorf("the costs are %+v", c)
			}
		}
	})
}

// Coroutines of one name that wait for the same share a warning.
func TestAlikeCoroutinesShareAWarning(t *testing.T) {
	inBubble(t, frame.Options{}, func(t *testing.T, l *frame.Loop, h http.Handler) {
		for range 40 {
			l.Scheduler().Submit(&scheduler.Task{
				Label: "loads", Co: func(co *scheduler.Co) { _, _ = scheduler.Await(co, never{}) },
			})
		}
		for range 400 {
			time.Sleep(time.Second / 60)
			frameOf(l)
		}
		s := play(l, func() *state { return look(t, h) })
		const want = "40 coroutines loads have not continued, one for 6."
		if len(s.Warnings) != 1 || !strings.HasPrefix(s.Warnings[0], want) {
			t.Errorf("the warnings are %q, want %q", s.Warnings, want)
		}
	})
}
