package frame_test

import (
	"runtime"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/workers"
)

// What a frame costs: no allocations, and some nanoseconds.

func TestAFrameAllocatesNothing(t *testing.T) {
	for _, place := range placements() {
		l := frame.New(frame.Options{Placement: place, Workers: workers.Options{Workers: 1}})
		frameOf := func() {
			l.Begin()
			l.Slice()
			l.End()
		}
		for range 200 {
			frameOf()
		}
		if n := testing.AllocsPerRun(500, frameOf); n != 0 {
			t.Errorf("%v: an idle frame allocates %v times", place, n)
		}
		task := func() {}
		if raceEnabled {
			l.Close()
			<-l.Done()
			continue // the scheduler allocates there, to tell the detector what it must know
		}
		busy := func() {
			for range 10 {
				l.Post(deadline.Normal, task)
			}
			frameOf()
		}
		for range 200 {
			busy()
		}
		if n := testing.AllocsPerRun(500, busy); n != 0 {
			t.Errorf("%v: a frame with ten tasks allocates %v times", place, n)
		}
		l.Close()
		<-l.Done()
	}
}

// The pool's only worker is busy, so the slice runs the jobs.
func TestAFrameThatRunsJobsAllocatesNothing(t *testing.T) {
	if runtime.GOOS == "js" {
		t.Skip("no worker there that could be busy")
	}
	for _, place := range placements() {
		l := frame.New(frame.Options{Placement: place, Workers: workers.Options{Workers: 1}})
		begun, end := make(chan struct{}), make(chan struct{})
		l.Pool().Go(deadline.Immediate, func() { close(begun); <-end })
		<-begun
		jobs := make([]workers.Job, 10)
		for i := range jobs {
			jobs[i] = workers.Job{Label: "nothing", Func: func(*workers.Worker) {}}
		}
		frameOf := func() {
			l.Begin()
			for i := range jobs {
				if s := jobs[i].State(); s == workers.Fresh || s == workers.Finished {
					l.Pool().Submit(&jobs[i])
				}
			}
			l.Slice()
			l.End()
		}
		for range 200 {
			frameOf()
		}
		if n := testing.AllocsPerRun(500, frameOf); n != 0 && !raceEnabled {
			t.Errorf("%v: a frame with ten jobs allocates %v times", place, n)
		}
		if jobs[0].State() == workers.Fresh {
			t.Errorf("%v: no job was ever taken", place)
		}
		close(end)
		l.Close()
		<-l.Done()
	}
}

// placements returns the ways to place the slice that are different here.
func placements() []frame.Placement {
	if runtime.GOOS == "js" {
		return []frame.Placement{frame.PlaceAfterDraw}
	}
	return []frame.Placement{frame.PlaceAfterDraw, frame.PlaceShadow}
}

func BenchmarkIdleFrame(b *testing.B) {
	l := frame.New(frame.Options{})
	defer l.Close()
	b.ReportAllocs()
	for b.Loop() {
		l.Begin()
		l.Slice()
		l.End()
	}
}

// What the watchdog costs is the difference to BenchmarkIdleFrame.
func BenchmarkIdleFrameUnwatched(b *testing.B) {
	l := frame.New(frame.Options{Watchdog: -1})
	defer l.Close()
	b.ReportAllocs()
	for b.Loop() {
		l.Begin()
		l.Slice()
		l.End()
	}
}

func BenchmarkFrameOfTenTasks(b *testing.B) {
	l := frame.New(frame.Options{})
	defer l.Close()
	task := func() {}
	b.ReportAllocs()
	for b.Loop() {
		for range 10 {
			l.Post(deadline.Normal, task)
		}
		l.Begin()
		l.Slice()
		l.End()
	}
}
