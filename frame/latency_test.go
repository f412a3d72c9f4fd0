package frame_test

import (
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/record"
)

// lastRecord is the record of the frame before. A slice in the shadow has ended with the next Begin.
func lastRecord(t *testing.T, l *frame.Loop) record.Record {
	t.Helper()
	recent := l.Recorder().Recent(make([]record.Record, 1))
	if len(recent) != 1 {
		t.Fatal("no record")
	}
	return recent[0]
}

// The time from input to the frame handed over contains the slice after the drawing, and not the slice in the shadow.
func TestLatencyTellsThePlacement(t *testing.T) {
	everywhere(t, frame.Options{Interval: 20 * ms}, func(t *testing.T, l *frame.Loop) {
		for range 3 {
			l.Begin()
			time.Sleep(4 * ms) // update and draw
			l.Scheduler().Post(deadline.Normal, func() { time.Sleep(3 * ms) })
			l.Slice()
			l.End()
			time.Sleep(12 * ms) // the host swaps
		}
		l.Begin()
		defer l.End()
		rec := lastRecord(t, l)
		want := 4 * ms
		if l.Placement() == frame.PlaceAfterDraw {
			want += 3 * ms
		}
		if got := rec.HandedOver.Sub(rec.Input); got != want || rec.Input != rec.Start {
			t.Errorf("%v from input to handed over, want %v", got, want)
		}
	})
}

// Of the times that a frame is told the earliest counts. After Slice, and between frames, they are the next frame's.
func TestInput(t *testing.T) {
	everywhere(t, frame.Options{Interval: 20 * ms}, func(t *testing.T, l *frame.Loop) {
		now := deadline.Now
		event := now()
		l.Input(event.Add(2 * ms)) // in the future: it counts as now
		time.Sleep(5 * ms)
		l.Input(now())
		l.Begin()
		begun := now()
		time.Sleep(ms)
		l.Input(now())
		l.Slice()
		l.End()
		l.Begin()
		if rec := lastRecord(t, l); rec.Input != event || rec.Start != begun || rec.HandedOver.Sub(begun) != ms {
			t.Errorf("input %v before the frame, handed over %v after", rec.Start.Sub(rec.Input),
				rec.HandedOver.Sub(begun))
		}
		time.Sleep(2 * ms)
		at := now()
		l.Input(at)
		l.Input(at.Add(-ms))
		l.Slice()
		l.Input(at.Add(-2 * ms)) // the next frame's
		l.End()
		l.Begin()
		if rec := lastRecord(t, l); rec.Input != at.Add(-ms) {
			t.Errorf("input %v after the start", rec.Input.Sub(rec.Start))
		}
		l.Slice()
		l.End()
		l.Begin()
		if rec := lastRecord(t, l); rec.Input != at.Add(-2*ms) {
			t.Errorf("the next frame: input %v after the start", rec.Input.Sub(rec.Start))
		}
		l.End()
		l.Begin()
		if rec := lastRecord(t, l); rec.Input != rec.Start || rec.HandedOver != now() {
			t.Errorf("a frame without Input or Slice: %+v", rec)
		}
		l.End()
	})
}

// Run's function shows the frame, so the frame is handed over when the function returns.
func TestLatencyInRun(t *testing.T) {
	everywhere(t, frame.Options{Interval: 20 * ms}, func(t *testing.T, l *frame.Loop) {
		n := 0
		err := l.Run(bg, func() error {
			if n++; n == 4 {
				return frame.ErrStop
			}
			time.Sleep(2 * ms)
			l.Scheduler().Post(deadline.Normal, func() { time.Sleep(3 * ms) })
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, rec := range l.Recorder().Recent(make([]record.Record, 4))[:3] {
			if got := rec.HandedOver.Sub(rec.Input); got != 2*ms {
				t.Errorf("frame %d: %v", rec.Number, got)
			}
		}
	})
}

// A wrapped game's frame without an update shows no new input, and one that is not drawn shows nothing.
func TestLatencyOfAWrappedGame(t *testing.T) {
	everywhere(t, frame.Options{}, func(t *testing.T, l *frame.Loop) {
		h := fakeHost{period: 16 * ms, flush: ms}
		w := frame.Wrap[fakeFinal, fakeGeoM](&plainGame{
			onUpdate: func() error { time.Sleep(2 * ms); return nil }, onDraw: func() { time.Sleep(ms) },
		}, l)
		for _, updates := range []int{1, 0, 2} {
			h.frame(w, updates)
		}
		w.Layout(1, 1)
		_ = w.Update() // and no Draw
		h.frame(w, 1)
		w.Layout(1, 1)
		recent := l.Recorder().Recent(make([]record.Record, 5))
		if len(recent) != 5 {
			t.Fatalf("%d records", len(recent))
		}
		for i, want := range []time.Duration{3 * ms, -1, 5 * ms, -1, 3 * ms} {
			rec := recent[i]
			got := rec.HandedOver.Sub(rec.Input)
			if rec.HandedOver == 0 || rec.Input == 0 {
				got = -1
			}
			if got != want {
				t.Errorf("frame %d: %v, want %v", i+1, got, want)
			}
		}
	})
}

// Input before a frame without an update is that of the next frame with one.
func TestInputWaitsForAnUpdate(t *testing.T) {
	everywhere(t, frame.Options{}, func(t *testing.T, l *frame.Loop) {
		h := fakeHost{period: 16 * ms, flush: ms}
		w := frame.Wrap[fakeFinal, fakeGeoM](&plainGame{
			onUpdate: func() error { return nil }, onDraw: func() {},
		}, l)
		h.frame(w, 1)
		event := deadline.Now()
		l.Input(event)
		h.frame(w, 0)
		l.Input(deadline.Now())
		h.frame(w, 0)
		h.frame(w, 1)
		h.frame(w, 1)
		w.Layout(1, 1)
		recent := l.Recorder().Recent(make([]record.Record, 5))
		for i, want := range []deadline.Instant{recent[0].Start, 0, 0, event, recent[4].Start} {
			if got := recent[i].Input; got != want {
				t.Errorf("frame %d: input at %v, want %v", i+1, got, want)
			}
		}
	})
}

// A host tells display times by the number of the frame.
func TestPresented(t *testing.T) {
	everywhere(t, frame.Options{Interval: 20 * ms, Recorder: record.Options{WarmUp: -1}},
		func(t *testing.T, l *frame.Loop) {
			for i := range 50 {
				l.Begin()
				l.Step(20 * ms)
				number, begun := l.Frame(), deadline.Now()
				l.Slice()
				l.End()
				if i == 20 {
					time.Sleep(20 * ms)
				}
				go func() { // a frame late
					time.Sleep(25 * ms)
					l.Presented(number, begun.Add(23*ms))
				}()
				time.Sleep(20 * ms)
			}
			time.Sleep(25 * ms)
			d := l.Report("shown").Display
			if d == nil || d.Shown != 50 || d.Interval.N != 49 || d.Missed != 1 || d.Interval.Max != 40*ms ||
				d.Latency.Max != 23*ms || d.AnimationError.Max != 20*ms {
				t.Errorf("got %+v", d)
			}
		})
}
