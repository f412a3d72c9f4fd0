package frame_test

import (
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
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
	all := l.Recorder().Recent(make([]frame.Record, 2))
	if r := all[0]; !ran || r.SliceBegin.Before(r.Start) || r.SliceEnd.Before(r.SliceBegin) || r.Ran != 1 {
		t.Errorf("ran %t, %+v", ran, r)
	}
}
