package frame_test

import (
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/scheduler"
)

// The rest of a frame in whose own work there was a modal loop is a frame with all that belongs to one: callbacks, also
// where the host calls no RunPhase, and coroutines that wait for it.
func TestTheRestOfAFrameAfterNestHasItsCallbacks(t *testing.T) {
	for _, place := range placements() {
		l := frame.New(frame.Options{Placement: place})
		callbacks, resumed := 0, 0
		l.Each(scheduler.BeforeDraw, func() { callbacks++ })
		l.Host().Go(deadline.Normal, func(co *scheduler.Co) {
			for {
				co.NextFrame()
				resumed++
			}
		})
		play := func(own func()) {
			l.Begin()
			own()
			l.Slice()
			l.End()
		}
		play(func() {})
		play(func() { l.Nest(func() { play(func() {}) }) })
		if callbacks != 3 || resumed != 2 {
			t.Errorf("%v: %d callbacks of three frames, resumed %d times", place, callbacks, resumed)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
}
