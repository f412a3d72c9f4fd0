package frame_test

import (
	"context"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/record"
)

// A hosted loop at every rate that displays have, in virtual time: the period, the budget, and what is missed.

func TestHostedLoopAtEveryRate(t *testing.T) {
	for _, place := range placements() {
		for _, hz := range few(24, 360, 30, 40, 48, 75, 90, 120, 165, 170, 200, 240, 280, 500) {
			bubble(t, frame.Options{Placement: place}, func(t *testing.T, l *frame.Loop) {
				p := time.Second / hz
				cost := min(p/20, 300*time.Microsecond)
				w := &window{l: l, own: p / 5, flush: p / 10, period: p}
				n := endless(l, cost)
				for range 1000 {
					w.frame()
				}
				l.Close()
				<-l.Done()
				if s := l.Stats(); s.Interval != p || !s.Paced {
					t.Errorf("%v at %d Hz: the period is taken for %v, paced %v", place, hz, s.Interval, s.Paced)
				}
				if missed := w.missed(120); missed > 0.015 { // the worst of a hundred seeds: 0.9 %
					t.Errorf("%v at %d Hz: %.2f %% missed", place, hz, 100*missed)
				}
				perFrame, possible := time.Duration(*n)*cost/1000, p-w.own-w.flush
				if perFrame < possible/4 {
					t.Errorf("%v at %d Hz: %v of tasks per frame where %v were possible", place, hz, perFrame, possible)
				}
			})
		}
	}
}

// The first frames, of which the loop learns the period, miss nothing, whatever the rate, and most of them leave their
// tasks what a frame has left.
func TestHostedLoopBeginsAtEveryRate(t *testing.T) {
	for _, place := range placements() {
		for _, hz := range few(24, 360, 30, 40, 48, 60, 75, 90, 120, 144, 165, 170, 200, 240, 280, 500) {
			for _, own := range []time.Duration{5, 20, 40} {
				bubble(t, frame.Options{Placement: place}, func(t *testing.T, l *frame.Loop) {
					p := time.Second / hz
					cost := min(p/20, 300*time.Microsecond)
					w := &window{l: l, own: p * own / 100, flush: p / 20, period: p}
					n := endless(l, cost)
					for range 60 {
						w.frame()
					}
					l.Close()
					<-l.Done()
					if missed := w.missed(0); missed > 0 {
						t.Errorf("%v at %d Hz, %d %% busy: %.2f %% missed", place, hz, own, 100*missed)
					}
					possible := p - w.own - 4*time.Millisecond // the first reserve
					if perFrame := time.Duration(*n) * cost / 60; hz <= 75 && perFrame < possible/2 {
						t.Errorf("%v at %d Hz, %d %% busy: %v of tasks per frame where %v were possible",
							place, hz, own, perFrame, possible)
					}
				})
			}
		}
	}
}

// A game that needs more than half of every frame leaves the rest to its tasks all the same.
func TestHostedLoopOfABusyGame(t *testing.T) {
	for _, place := range placements() {
		for _, hz := range []time.Duration{30, 60, 144} {
			bubble(t, frame.Options{Placement: place}, func(t *testing.T, l *frame.Loop) {
				p := time.Second / hz
				w := &window{l: l, own: p * 60 / 100, flush: p / 20, period: p}
				n := endless(l, p/40)
				for range 1000 {
					w.frame()
				}
				l.Close()
				<-l.Done()
				perFrame, possible := time.Duration(*n)*p/40/1000, p-w.own-w.flush
				if missed := w.missed(120); missed > 0.01 || perFrame < possible/4 {
					t.Errorf("%v at %d Hz: %.2f %% missed, %v of tasks per frame where %v were possible",
						place, hz, 100*missed, perFrame, possible)
				}
			})
		}
	}
}

// A loop that drives itself keeps its time on average, at every rate, and its slices make no frame late.
func TestRunAtEveryRate(t *testing.T) {
	for _, hz := range few(1, 144, 24, 60, 240, 500, 1000) {
		for _, own := range []time.Duration{10, 60, 80} {
			p := time.Second / hz
			o := frame.Options{Interval: p, Recorder: record.Options{WarmUp: -1}}
			o.Budget.Reserve = p / 25
			bubble(t, o, func(t *testing.T, l *frame.Loop) {
				cost := min(p/40, 300*time.Microsecond)
				n := endless(l, cost)
				i, start, last := 0, deadline.Now(), deadline.Now()
				_ = l.Run(context.Background(), func() error {
					last = deadline.Now()
					time.Sleep(p * own / 100)
					if i++; i > 300 {
						return frame.ErrStop
					}
					return nil
				})
				x := l.Recorder().Snapshot().Totals
				if drift := last.Sub(start) - 300*p; x.Missed != 0 || x.N != 300 || drift < 0 || drift > p/4 {
					t.Errorf("%d Hz, %d %% busy: %d of %d missed, drift %v", hz, own, x.Missed, x.N, drift)
				}
				if perFrame := time.Duration(*n) * cost / 300; perFrame < p*(95-own)/100/2 || l.Pressure() != 0 {
					t.Errorf("%d Hz, %d %% busy: %v of tasks per frame, pressure %d", hz, own, perFrame, l.Pressure())
				}
			})
		}
	}
}

// Who needs a fifth more than there is cannot keep up, also where nothing rounds that up to a whole frame.
func TestPressureOfALoopThatNeedsAFifthMore(t *testing.T) {
	for _, hz := range []time.Duration{30, 60, 240} {
		for own, want := range map[time.Duration]int{95: 0, 120: 4} {
			bubble(t, frame.Options{Interval: time.Second / hz}, func(t *testing.T, l *frame.Loop) {
				i := 0
				_ = l.Run(context.Background(), func() error {
					time.Sleep(time.Second / hz * own / 100)
					if i++; i > 300 {
						return frame.ErrStop
					}
					return nil
				})
				if l.Pressure() != want {
					t.Errorf("%d Hz, %d %% busy: pressure %d, want %d", hz, own, l.Pressure(), want)
				}
			})
		}
	}
}

// Who needs 20 ms for a frame on a display of 60 Hz is told so, although its slices then go by 30 Hz.
func TestPressureOfAGameThatMissesEveryOtherRefresh(t *testing.T) {
	bubble(t, frame.Options{Placement: frame.PlaceAfterDraw}, func(t *testing.T, l *frame.Loop) {
		w := &window{l: l, own: 20 * time.Millisecond, flush: time.Millisecond, period: time.Second / 60}
		n := endless(l, 200*time.Microsecond)
		for range 300 {
			w.frame()
		}
		if s := l.Stats(); (s.Interval-time.Second/30).Abs() > time.Microsecond || l.Pressure() != 4 {
			t.Errorf("period %v, pressure %d; want that of 30 Hz and 4", s.Interval, l.Pressure())
		}
		if perFrame := time.Duration(*n) * 200 * time.Microsecond / 300; perFrame < 4*time.Millisecond {
			t.Errorf("%v of tasks per frame, 12 ms were possible", perFrame)
		}
	})
}

// few returns the rates, but only the first two where everything takes long and no rate has races of its own.
func few(rates ...time.Duration) []time.Duration {
	if raceEnabled {
		return rates[:2]
	}
	return rates
}
