package frame_test

import (
	"testing"
	"time"

	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/record"
)

// A display of any rate, each of whose frames begins exactly one period after the one before, has no hitch.
func TestARegularDisplayHasNoHitch(t *testing.T) {
	for _, hz := range []float64{20, 24.5, 49, 59, 59.94, 60, 61, 74, 119.88, 143.86, 250, 360, 500} {
		bubble(t, frame.Options{}, func(t *testing.T, l *frame.Loop) {
			period := time.Duration(float64(time.Second) / hz)
			w := &window{l: l, own: period / 8, period: period}
			w.run(1200)
			r := l.Report("regular")
			off := (r.Target - period).Abs()
			if r.Run.HitchRatio >= 0.2 || r.Run.Missed > 0 || off > period/2000 {
				t.Errorf("%v Hz: target %v, want %v; %.2f ms/s, missed %d", hz, r.Target, period, r.Run.HitchRatio,
					r.Run.Missed)
			}
		})
	}
}

// Without a target of one's own frames are judged by the display that they are on.

// judged is what a naive reference says about the frames from the one with index from on.
func (w *window) judged(from int) (missed uint64, hitch time.Duration) {
	for i := from + 1; i < len(w.starts); i++ {
		d := w.starts[i].Sub(w.starts[i-1])
		missed += uint64((d+w.period/2)/w.period) - 1
		hitch += max(0, d-w.period)
	}
	return missed, hitch
}

func TestFramesAreJudgedByTheirDisplay(t *testing.T) {
	for _, place := range placements() {
		for _, hz := range []time.Duration{24, 30, 50, 60, 75, 90, 120, 144, 165, 240} {
			bubble(t, frame.Options{Placement: place}, func(t *testing.T, l *frame.Loop) {
				w := &window{l: l, period: time.Second / hz}
				for i := range 600 {
					w.own = w.period / 5
					if i >= 70 && i%7 == 0 {
						w.own = w.period * time.Duration(1+i%3) // up to three refreshes are missed
					}
					w.frame()
				}
				missed, hitch := w.judged(59)
				r := record.NewReport("x", l.Recorder().Snapshot(), record.Environment{})
				x := &r.Run
				if r.Target != w.period || x.Missed != missed || missed < 75 || (x.Hitch-hitch).Abs() > 1000 {
					t.Errorf("%v at %d Hz: target %v, missed %d, hitch %v; want %d, %v",
						place, hz, r.Target, x.Missed, x.Hitch, missed, hitch)
				}
				if !r.Whole || r.Window.Time != x.Time {
					t.Errorf("%v at %d Hz: the window has %v of %v", place, hz, r.Window.Time, x.Time)
				}
			})
		}
	}
}

// The window moves to another display: each part of the run by its own rate, but for the frames until it is known.
func TestFramesAreJudgedByTheDisplayThatTheyWereOn(t *testing.T) {
	bubble(t, frame.Options{Placement: frame.PlaceAfterDraw}, func(t *testing.T, l *frame.Loop) {
		var missed uint64
		for _, hz := range []time.Duration{144, 60, 120, 30} {
			w := &window{l: l, own: time.Millisecond, period: time.Second / hz}
			for i := range 300 {
				w.own = time.Millisecond
				if i > 60 && i%50 == 0 {
					w.own = w.period + time.Millisecond
				}
				w.frame()
			}
			m, _ := w.judged(60)
			missed += m
		}
		s := l.Recorder().Snapshot()
		if s.Totals.Missed < missed || s.Totals.Missed > missed+100 || missed != 16 {
			t.Errorf("missed %d, want %d and a few at each change", s.Totals.Missed, missed)
		}
		d := s.Intervals()
		if s.Target != time.Second/30 || len(d) < 270 || len(d) > 300 || d.Measure(s.Target).Missed != 4 {
			t.Errorf("target %v, %d intervals of it, %d missed", s.Target, len(d), d.Measure(s.Target).Missed)
		}
		if r := record.NewReport("x", s, record.Environment{}); r.Whole || r.Late != 4 {
			t.Errorf("whole %v, late %d; want false, 4", r.Whole, r.Late)
		}
	})
}

// Who has set a target is not overruled by what the display does.
func TestATargetThatIsSetStays(t *testing.T) {
	const own = time.Second / 50
	budget := frame.Options{}
	budget.Budget.Interval = own
	for name, o := range map[string]frame.Options{
		"interval": {Interval: own},
		"recorder": {Interval: time.Second / 30, Recorder: record.Options{Target: own}},
		"budget":   budget,
	} {
		bubble(t, o, func(t *testing.T, l *frame.Loop) {
			w := &window{l: l, own: time.Millisecond, period: time.Second / 144}
			w.run(200)
			if s := l.Recorder().Snapshot(); s.Target != own {
				t.Errorf("%s: target %v", name, s.Target)
			}
		})
	}
}
