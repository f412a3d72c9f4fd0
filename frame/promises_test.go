package frame_test

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// What the documentation says of calls at moments at which they are rarely made.

func frameOf(l *frame.Loop) { l.Begin(); l.Slice(); l.End() }

// In a task of the slice in the shadow the host may be anywhere in its frame, and its own calls work afterwards.
func TestCallsInATaskInTheShadow(t *testing.T) {
	for want, call := range map[string]func(l *frame.Loop){
		"frame: Report in a task": func(l *frame.Loop) { l.Report("x") },
		"frame: Rest in a task":   (*frame.Loop).Rest,
		"frame: Run in a task":    func(l *frame.Loop) { _ = l.Run(context.Background(), func() error { return nil }) },
	} {
		l := frame.New(frame.Options{
			Interval: 50 * ms, Placement: frame.PlaceShadow, Workers: workers.Options{Workers: -1},
		})
		if l.Placement() != frame.PlaceShadow { // js
			l.Close()
			return
		}
		in, goOn, ended := make(chan struct{}), make(chan struct{}), make(chan string, 1)
		l.Post(deadline.Normal, func() { close(in); <-goOn; ended <- panicOf(func() { call(l) }) })
		l.Begin()
		l.Slice()
		<-in
		l.End()
		close(goOn)
		if got := <-ended; got != want {
			t.Errorf("%q, want %q", got, want)
		}
		frameOf(l)
		l.Rest()
		if r := l.Report("x"); r.Run.Frames != 2 {
			t.Errorf("%d frames", r.Run.Frames)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Callbacks of the phases are own work, which may advance the simulation and mark the frame; tasks are not.
func TestStepAndMarkInCallbacks(t *testing.T) {
	l := frame.New(frame.Options{Interval: 5 * ms, Workers: workers.Options{Workers: -1}})
	defer l.Close()
	var got []string
	step := func() { got = append(got, panicOf(func() { l.Step(ms) })) }
	run := func(f func()) {
		for _, p := range []scheduler.Phase{scheduler.BeforeUpdate, scheduler.BeforeDraw, scheduler.AfterDraw} {
			l.Once(p, step)
		}
		l.Once(scheduler.BeforeUpdate, func() { l.Mark(record.Loading) })
		l.Post(deadline.Normal, step)
		f()
	}
	run(func() { l.Begin(); l.RunPhase(scheduler.BeforeDraw); l.Slice(); l.End() })
	want := []string{"", "", "", "frame: Step after Slice"}
	if strings.Join(got, ";") != strings.Join(want, ";") {
		t.Errorf("Step before the update, before and after the drawing and in a task: %q, want %q", got, want)
	}
	frameOf(l)
	r := l.Recorder().Snapshot().Records
	if !r[0].Flags.Has(record.Loading) || r[1].Flags.Has(record.Loading) || r[0].Updates != 3 || r[0].Step != 3*ms {
		t.Errorf("frames %v with %d updates of %v, and %v", r[0].Flags, r[0].Updates, r[0].Step, r[1].Flags)
	}
	got = nil
	run(func() {
		n := 0
		_ = l.Run(context.Background(), func() error {
			if n++; n > 1 {
				return frame.ErrStop
			}
			l.RunPhase(scheduler.BeforeDraw)
			return nil
		})
	})
	if strings.Join(got, ";") != strings.Join(want, ";") {
		t.Errorf("in Run: %q, want %q", got, want)
	}
}

// The ticks that lie in a Nest have their frames there, or nobody wanted any.
func TestNestSkipsNoTick(t *testing.T) {
	for _, frames := range []bool{false, true} {
		f := func(l *frame.Loop) func() {
			return func() {
				for range 100 {
					if frames {
						frameOf(l)
					}
					if l.Stats().Paced || !frames { // else End has waited
						time.Sleep(10 * ms)
					}
				}
			}
		}
		bubble(t, frame.Options{Interval: 10 * ms}, func(t *testing.T, l *frame.Loop) {
			n := 0
			_ = l.Run(context.Background(), func() error {
				switch n++; n {
				case 2:
					l.Nest(f(l))
				case 3:
					l.Nest(func() { time.Sleep(ms) }) // within a tick: the grid stays
				case 5:
					return frame.ErrStop
				}
				return nil
			})
			recs := l.Recorder().Recent(make([]record.Record, 2))
			if s := l.Stats(); s.Skipped > 0 || recs[1].Interval != 10*ms || recs[0].Interval != 9*ms {
				t.Errorf("frames in the Nest %v: %d ticks skipped, the last intervals %v %v", frames, s.Skipped,
					recs[0].Interval, recs[1].Interval)
			}
		})
		bubble(t, frame.Options{Interval: 10 * ms, Pace: true}, func(t *testing.T, l *frame.Loop) {
			for i := range 200 {
				l.Begin()
				time.Sleep(ms)
				if i == 150 {
					l.Nest(f(l))
				}
				l.Slice()
				l.End()
			}
			last := l.Recorder().Recent(make([]record.Record, 1))[0].Interval
			if s := l.Stats(); s.Skipped > 0 || last != 10*ms {
				t.Errorf("Pace, frames in the Nest %v: %d ticks skipped, the last interval %v", frames, s.Skipped, last)
			}
		})
	}
}

// A trace has no late frame where the statistics have none.
func TestTraceOfWhatIsNoFrames(t *testing.T) {
	o := frame.Options{Interval: 10 * ms, Recorder: record.Options{WarmUp: -1}}
	bubble(t, o, func(t *testing.T, l *frame.Loop) {
		late := func(what string, s *record.Snapshot, want int) {
			t.Helper()
			var b bytes.Buffer
			if err := s.WriteTrace(&b); err != nil {
				t.Fatal(err)
			}
			if got := strings.Count(b.String(), `"late frame"`); got != want {
				t.Errorf("%s: %d late frames, want %d:\n%s", what, got, want, &b)
			}
		}
		frameOf(l)
		l.Rest()
		time.Sleep(time.Hour)
		frameOf(l)
		first := l.Recorder().Snapshot()
		late("a rest", first, 0)
		time.Sleep(time.Hour)
		frameOf(l)
		late("a jump", l.Recorder().Snapshot(), 0)
		l.Recorder().Reset()
		time.Sleep(35 * ms)
		frameOf(l)
		time.Sleep(35 * ms)
		frameOf(l)
		first.Merge(l.Recorder().Snapshot())
		late("the border of two turns, and 35 ms", first, 1)
	})
}
