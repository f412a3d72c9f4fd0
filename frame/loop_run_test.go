package frame_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/scheduler"
)

// How Run ends, and what is so afterwards.

func TestRunEndsAsItShould(t *testing.T) {
	boom := errors.New("boom")
	for name, c := range map[string]struct {
		f    func(l *frame.Loop, cancel func()) error
		want error
	}{
		"ErrStop":     {func(*frame.Loop, func()) error { return frame.ErrStop }, nil},
		"an error":    {func(*frame.Loop, func()) error { return boom }, boom},
		"the context": {func(_ *frame.Loop, cancel func()) error { cancel(); return nil }, nil},
		"Close in f":  {func(l *frame.Loop, _ func()) error { return l.Close() }, nil},
		"Close in a task": {func(l *frame.Loop, _ func()) error {
			l.Post(0, func() { l.Close() })
			return nil
		}, nil},
	} {
		for _, place := range placements() {
			bubble(t, frame.Options{Placement: place}, func(t *testing.T, l *frame.Loop) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				n := 0
				err := l.Run(ctx, func() error {
					if n++; n < 3 {
						return nil
					}
					return c.f(l, cancel)
				})
				if err != c.want || n < 3 || n > 4 {
					t.Errorf("%s, %v: error %v after %d frames, want %v after 3 or 4", name, place, err, n, c.want)
				}
				l.Close()
				<-l.Done()
				if err := l.Run(ctx, func() error { return nil }); err != frame.ErrClosed {
					t.Errorf("%s: Run of a closed loop: %v, want ErrClosed", name, err)
				}
			})
		}
	}
}

func TestRunAfterRun(t *testing.T) {
	bubble(t, frame.Options{}, func(t *testing.T, l *frame.Loop) {
		for range 2 {
			n := 0
			if err := l.Run(t.Context(), func() error {
				if n++; n == 3 {
					return frame.ErrStop
				}
				return nil
			}); err != nil || n != 3 {
				t.Errorf("error %v after %d frames", err, n)
			}
		}
	})
}

// A gap before a Run is like one between a host's frames: a long one is a jump of the clock, which puts timers off, a
// short one is no frame's, and with Rest neither.
func TestGapsBeforeRun(t *testing.T) {
	hosted := func(l *frame.Loop) {
		l.Begin()
		l.Slice()
		l.End()
	}
	run := func(l *frame.Loop) { _ = l.Run(context.Background(), func() error { return frame.ErrStop }) }
	for _, c := range []struct {
		name          string
		before, after func(*frame.Loop)
		gap           time.Duration
		rest          bool
		jumps, missed uint64
	}{
		{"Run, Run", run, run, time.Second, false, 1, 0},
		{"frames, Run", hosted, run, time.Second, false, 1, 0},
		{"Run, frames", run, hosted, time.Second, false, 1, 0},
		{"Run, Run, at once", run, run, 100 * time.Millisecond, false, 0, 9},
		{"Run, Rest, Run", run, run, time.Second, true, 0, 99},
	} {
		for _, place := range placements() {
			o := frame.Options{Placement: place, Recorder: record.Options{WarmUp: -1}}
			bubble(t, o, func(t *testing.T, l *frame.Loop) {
				every := l.Scheduler().Every(deadline.Normal, 10*time.Millisecond, func() {})
				hosted(l)
				c.before(l)
				if c.rest {
					l.Rest()
				}
				time.Sleep(c.gap)
				c.after(l)
				hosted(l)
				l.Close()
				<-l.Done()
				s, missed := l.Recorder().Snapshot().Totals, every.Missed()
				if l.Stats().Jumps != c.jumps || s.Jumps != c.jumps || missed > c.missed+1 || missed+1 < c.missed {
					t.Errorf("%s, %v: %d jumps, %d in the records, %d ticks missed; want %d, %d", c.name, place,
						l.Stats().Jumps, s.Jumps, missed, c.jumps, c.missed)
				}
				if s.Time > 50*time.Millisecond {
					t.Errorf("%s, %v: the frames took %v", c.name, place, s.Time)
				}
			})
		}
	}
}

func TestRunLetsGoAfterAPanic(t *testing.T) {
	bubble(t, frame.Options{}, func(t *testing.T, l *frame.Loop) {
		wantPanic(t, "boom", func() { _ = l.Run(t.Context(), func() error { panic("boom") }) })
		if err := l.Run(t.Context(), func() error { return frame.ErrStop }); err != nil {
			t.Error(err)
		}
	})
}

func TestATasksPanicReachesTheHostWithRethrow(t *testing.T) {
	for _, place := range placements() {
		o := frame.Options{Placement: place}
		o.Scheduler.Rethrow, o.Scheduler.OnPanic = true, func(*scheduler.PanicError) {}
		bubble(t, o, func(t *testing.T, l *frame.Loop) {
			var caught *scheduler.PanicError
			frameOf := func() {
				defer func() {
					if v := recover(); v != nil {
						err, _ := v.(error)
						if !errors.As(err, &caught) {
							t.Errorf("%v: recovered %v", place, v)
						}
					}
				}()
				l.Begin()
				l.Slice()
				l.End()
			}
			l.Post(deadline.Normal, func() { panic("boom") })
			frameOf()
			time.Sleep(16 * time.Millisecond)
			// The host has recovered, and its frame is still open: it ends it and goes on.
			if place == frame.PlaceAfterDraw {
				l.End()
			} else {
				frameOf()
				l.Slice()
				l.End()
			}
			if caught == nil || caught.Value != "boom" || !strings.Contains(string(caught.Stack), "TestATasksPanic") {
				t.Fatalf("%v: caught %v, want the panic with the task's stack", place, caught)
			}
			ran := false
			l.Post(deadline.Normal, func() { ran = true })
			frameOf()
			l.Close()
			<-l.Done()
			if !ran {
				t.Errorf("%v: no task ran after a panic", place)
			}
		})
	}
}

// The ticks of Run are Options.Interval apart, whatever its slices go by.
func TestTheBudgetsIntervalIsNotTheTick(t *testing.T) {
	const tick = 20 * time.Millisecond
	for _, budget := range []time.Duration{0, 4 * time.Millisecond, 3 * tick} {
		for _, place := range placements() {
			o := frame.Options{Interval: tick, Placement: place, Budget: deadline.Budget{Interval: budget}}
			bubble(t, o, func(t *testing.T, l *frame.Loop) {
				var begun []time.Time
				_ = l.Run(t.Context(), func() error {
					if begun = append(begun, time.Now()); len(begun) == 6 {
						return frame.ErrStop
					}
					if s := l.Stats(); s.Interval != tick {
						t.Errorf("%v, a budget of %v: an interval of %v", place, budget, s.Interval)
					}
					return nil
				})
				if took := begun[5].Sub(begun[0]); took != 5*tick {
					t.Errorf("%v, a budget of %v: five frames in %v", place, budget, took)
				}
			})
		}
	}
}
