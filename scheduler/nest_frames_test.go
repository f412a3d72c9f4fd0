package scheduler_test

import (
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// The callbacks of a frame whose host calls no RunPhase run once in it, though a modal loop in one of its tasks begins
// a frame that has no slice.
func TestNestLeavesTheFrameItsPhases(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var j journal
		s := w.s
		s.Each(scheduler.BeforeDraw, func() { j.note("each") })
		for range 2 {
			s.Post(deadline.Normal, func() {
				s.Nest(func() {
					s.BeginFrame(deadline.Now())
					j.note("(")
					s.RunUntil(past())
					j.note(")")
					s.BeginFrame(deadline.Now())
				})
			})
			s.BeginFrame(deadline.Now())
			s.RunUntil(deadline.Deadline{})
			s.RunUntil(deadline.Deadline{})
			j.note(";")
		}
		j.expect(t, "each ( each ) ; each ( each ) ;")
	})
}

// A host that calls no BeginFrame has a frame for each slice, also after a modal loop that calls it.
func TestNestLeavesTheHostItsFrames(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var j journal
		s := w.s
		s.Post(deadline.Normal, func() {
			s.Nest(func() {
				s.BeginFrame(deadline.Now())
				s.RunUntil(past())
			})
		})
		s.RunUntil(deadline.Deadline{})
		s.Each(scheduler.BeforeDraw, func() { j.note("each") })
		s.Go(deadline.Normal, func(co *scheduler.Co) {
			co.NextFrame()
			j.note("next")
		})
		for range 2 {
			s.RunUntil(deadline.Deadline{})
			j.note(";")
		}
		j.expect(t, "each ; each next ;")
	})
}
