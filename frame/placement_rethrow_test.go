package frame_test

import (
	"strings"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// A task of the host's that panics, with Rethrow, does not take the slice away from those that run in the shadow, nor
// the times of the slice out of the record.
func TestRethrowOfTheHostsBesideTheShadow(t *testing.T) {
	l := frame.New(frame.Options{
		Placement: frame.PlaceShadow, Workers: workers.Options{Workers: -1},
		Scheduler: scheduler.Options{Rethrow: true, OnPanic: func(*scheduler.PanicError) {}},
	})
	defer l.Close()
	l.Host()
	if l.Placement() != frame.PlaceShadow {
		t.Skip("no shadow here")
	}
	ran := false
	l.Host().Post(deadline.Normal, func() { panic("the host's") })
	l.Post(deadline.Normal, func() { ran = true })
	l.Begin()
	if panicOf(l.Slice) == "" {
		t.Error("Slice does not panic")
	}
	l.End()
	l.Begin()
	l.End()
	all := l.Recorder().Recent(make([]record.Record, 2))
	if r := all[0]; !ran || r.SliceBegin.Before(r.Start) || r.SliceEnd.Before(r.SliceBegin) || r.Ran != 1 {
		t.Errorf("ran %t, %+v", ran, r)
	}
}

// A task's panic that comes out of a wrapped game's Draw, or, with the slice in the shadow, of the next Layout,
// leaves the game as it was for a host that recovers.
func TestRethrowOfAWrappedGame(t *testing.T) {
	for _, place := range placements() {
		l := frame.New(frame.Options{
			Placement: place, Workers: workers.Options{Workers: -1},
			Scheduler: scheduler.Options{Rethrow: true, OnPanic: func(*scheduler.PanicError) {}},
		})
		g := frame.Wrap[fakeFinal, fakeGeoM](&plainGame{}, l)
		l.Post(deadline.Normal, func() { panic("of a task") })
		l.Host().Post(deadline.Normal, func() { panic("of another") })
		panics := 0
		for range 5 {
			for _, call := range []func(){
				func() { g.Layout(320, 240) }, func() { _ = g.Update() }, func() { g.Draw(&fakeImage{}) },
			} {
				if text := panicOf(call); strings.Contains(text, "frame:") {
					t.Errorf("%v: %s", place, text)
				} else if text != "" {
					panics++
				}
			}
		}
		if n := l.Stats().Frames; n != 5 || panics == 0 {
			t.Errorf("%v: %d frames of 5, %d panics", place, n, panics)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
}
