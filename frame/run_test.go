package frame_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/internal/testkit"
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
		everywhere(t, frame.Options{}, func(t *testing.T, l *frame.Loop) {
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
				t.Errorf("%s: error %v after %d frames, want %v after 3 or 4", name, err, n, c.want)
			}
			end(l)
			if err := l.Run(ctx, func() error { return nil }); err != scheduler.ErrClosed {
				t.Errorf("%s: Run of a closed loop: %v, want ErrClosed", name, err)
			}
		})
	}
}

// A gap before a Run is like one between a host's frames: a long one is a jump of the clock, which puts timers off, a
// short one is no frame's, and with Rest neither.
func TestGapsBeforeRun(t *testing.T) {
	hosted := frameOf
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
		o := frame.Options{Recorder: record.Options{WarmUp: -1}}
		everywhere(t, o, func(t *testing.T, l *frame.Loop) {
			every := l.Scheduler().Every(deadline.Normal, 10*time.Millisecond, func() {})
			hosted(l)
			c.before(l)
			if c.rest {
				l.Rest()
			}
			time.Sleep(c.gap)
			c.after(l)
			hosted(l)
			end(l)
			s, missed := l.Recorder().Snapshot().Totals, every.Missed()
			if l.Stats().Jumps != c.jumps || s.Jumps != c.jumps || missed > c.missed+1 || missed+1 < c.missed {
				t.Errorf("%s: %d jumps, %d in the records, %d ticks missed; want %d, %d", c.name,
					l.Stats().Jumps, s.Jumps, missed, c.jumps, c.missed)
			}
			if s.Time > 50*time.Millisecond {
				t.Errorf("%s: the frames took %v", c.name, s.Time)
			}
		})
	}
}

func TestATasksPanicReachesTheHostWithRethrow(t *testing.T) {
	o := frame.Options{}
	o.Scheduler.Rethrow, o.Scheduler.OnPanic = true, func(*scheduler.PanicError) {}
	everywhere(t, o, func(t *testing.T, l *frame.Loop) {
		var caught *scheduler.PanicError
		try := func(calls ...func()) {
			for _, f := range calls {
				if err, _ := testkit.Recovered(f).(error); err != nil && !errors.As(err, &caught) {
					t.Errorf("recovered %v", err)
				}
			}
		}
		l.Post(deadline.Normal, func() { panic("boom") })
		for range 2 { // the host recovers in each call, and continues with the next one
			try(l.Begin, l.Slice, l.End)
			time.Sleep(r)
		}
		if caught == nil || caught.Value != "boom" || !strings.Contains(string(caught.Stack), "TestATasksPanic") {
			t.Fatalf("caught %v, want the panic with the task's stack", caught)
		}
		ran := false
		l.Post(deadline.Normal, func() { ran = true })
		frameOf(l)
		if end(l); !ran {
			t.Error("no task ran after a panic")
		}
	})
}

// The ticks of Run are Options.Interval apart, whatever its slices go by.
func TestTheBudgetsIntervalIsNotTheTick(t *testing.T) {
	const tick = 20 * time.Millisecond
	for _, budget := range []time.Duration{0, 4 * time.Millisecond, 3 * tick} {
		o := frame.Options{Interval: tick, Budget: deadline.Budget{Interval: budget}}
		everywhere(t, o, func(t *testing.T, l *frame.Loop) {
			begun := time.Now()
			play(t, l, 5, func(int) {
				if s := l.Stats(); s.Interval != tick {
					t.Errorf("a budget of %v: an interval of %v", budget, s.Interval)
				}
			})
			if took := time.Since(begun); took != 5*tick {
				t.Errorf("a budget of %v: five frames in %v", budget, took)
			}
		})
	}
}

// A frame that runs something under Run's context, as a graph, ends with its error or its cause: then Run returns nil.
// An end that comes together with a fault is no clean end, however the two are joined: the fault would be lost.
func TestRunReturnsFaultsAndNoCleanEnds(t *testing.T) {
	disk, stop := errors.New("disk full"), frame.ErrStop
	quit := fmt.Errorf("quit: %w", errors.New("by the player"))
	for name, c := range map[string]struct {
		end   func(ctx context.Context) error
		clean bool
	}{
		"the context's":          {func(c context.Context) error { return c.Err() }, true},
		"the cause":              {func(c context.Context) error { return context.Cause(c) }, true},
		"the cause, wrapped":     {func(c context.Context) error { return fmt.Errorf("%w", context.Cause(c)) }, true},
		"wrapped ErrStop":        {func(context.Context) error { return fmt.Errorf("menu: %w", stop) }, true},
		"both ends":              {func(c context.Context) error { return errors.Join(c.Err(), stop) }, true},
		"the context's, a list":  {func(c context.Context) error { return list{c.Err(), c.Err()} }, true},
		"a fault":                {func(context.Context) error { return disk }, false},
		"ErrStop and a fault":    {func(context.Context) error { return errors.Join(disk, stop) }, false},
		"a fault, then ErrStop":  {func(context.Context) error { return fmt.Errorf("%w: %w", stop, disk) }, false},
		"the context's, a fault": {func(c context.Context) error { return errors.Join(c.Err(), disk) }, false},
		"the cause and a fault":  {func(c context.Context) error { return errors.Join(disk, context.Cause(c)) }, false},
		"deep": {func(c context.Context) error {
			return fmt.Errorf("a: %w", errors.Join(c.Err(), fmt.Errorf("b: %w", errors.Join(stop, disk))))
		}, false},
		"a panic with ErrStop": {func(context.Context) error { return &scheduler.PanicError{Value: stop} }, false},
		"a list of its own":    {func(c context.Context) error { return list{c.Err(), disk} }, false},
	} {
		bubble(t, frame.Options{}, func(t *testing.T, l *frame.Loop) {
			ctx, cancel := context.WithCancelCause(bg)
			var end error
			got := l.Run(ctx, func() error {
				cancel(quit)
				end = c.end(ctx)
				return end
			})
			if c.clean && got != nil || !c.clean && fmt.Sprint(got) != end.Error() {
				t.Errorf("%s: Run returned %v", name, got)
			}
			if other := fmt.Errorf("a load: %w", context.Canceled); l.Run(bg, func() error { return other }) != other {
				t.Error("Run took another context's end for its own")
			}
		})
	}
}

// list is an error that cannot be compared.
type list []error

func (l list) Error() string   { return errors.Join(l...).Error() }
func (l list) Unwrap() []error { return l }
