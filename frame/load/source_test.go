package load_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/load"
	"github.com/frameslice/frameslice/workers"
)

// refusal is an error that says when to come again.
type refusal struct {
	pause time.Duration
	again bool
}

func (refusal) Error() string { return "refused" }

func (r refusal) RetryAfter() (time.Duration, bool) { return r.pause, r.again }

// Pauses between the attempts of a source double, less up to a half. An error with a RetryAfter has the last word.
func TestASourceIsAskedAgain(t *testing.T) {
	for name, c := range map[string]struct {
		errs        []error
		least, most time.Duration
		loaded      bool
	}{
		"doubles":       {[]error{errors.New("a"), errors.New("b")}, 150 * ms, 380 * ms, true},
		"asked to wait": {[]error{fmt.Errorf("get: %w", refusal{3000 * ms, true})}, 3000 * ms, 3060 * ms, true},
		"waits longer":  {[]error{refusal{ms, true}}, 50 * ms, 160 * ms, true},
		"gone":          {[]error{refusal{0, false}}, 0, 50 * ms, false},
		"in an hour":    {[]error{refusal{time.Hour, true}}, 0, 50 * ms, false},
		"too often":     {[]error{errors.New("a"), errors.New("b"), errors.New("c")}, 150 * ms, 380 * ms, false},
	} {
		inWorld(t, func(w *world) {
			n := 0
			source := func(_ context.Context, _ string, m *load.Meter) ([]byte, error) {
				m.SetTotal(10)
				if m.Add(5); n < len(c.errs) {
					n++
					return nil, c.errs[n-1]
				}
				m.Add(5)
				return []byte("x"), nil
			}
			ld := load.NewFrom(w.l, load.Options{Attempts: 3}, source,
				func(_ context.Context, _ string, bytes []byte) (string, error) { return string(bytes), nil })
			begin := time.Now()
			r := ld.Load(bg, "a", nothing)
			for r.State() == load.Pending {
				w.frames(1)
			}
			if d := time.Since(begin); d < c.least || d > c.most || (r.State() == load.Loaded) != c.loaded {
				t.Errorf("%s: %v after %v, want %v to %v", name, r.State(), d, c.least, c.most)
			}
			if p := ld.Progress(); p.Bytes != int64(10*p.Loaded) || p.TotalBytes != p.Bytes {
				t.Errorf("%s: %+v", name, p)
			}
			clean(t.Errorf, ld)
		})
	}
}

// A broken is an error whose methods panic, as those of a nil pointer do.
type broken struct{ at *time.Duration }

func (broken) Error() string { return "broken" }

func (b broken) RetryAfter() (time.Duration, bool) { return *b.at, true }

// An error that panics ends its load, and no other.
func TestAnErrorThatPanics(t *testing.T) {
	inWorlds(t, func(w *world, n int) {
		source := func(_ context.Context, key string, _ *load.Meter) ([]byte, error) {
			if key == "bad" {
				return nil, broken{}
			}
			return []byte(key), nil
		}
		ld := load.NewFrom(w.l, load.Options{Attempts: 3, Fetches: 1}, source,
			func(_ context.Context, _ string, bytes []byte) (string, error) { return string(bytes), nil })
		var got error
		ld.Load(bg, "bad", func(_ string, err error) { got = err })
		ld.Load(bg, "good", w.commit("good"))
		w.frames(20)
		var pe *workers.PanicError
		if !errors.As(got, &pe) || len(w.lines) != 1 {
			t.Errorf("%d workers: %v, %q", n, got, w.lines)
		}
		clean(t.Errorf, ld)
	})
}

// Bytes that cannot be decoded are not asked for again.
func TestBadBytesAreFinal(t *testing.T) {
	inWorlds(t, func(w *world, n int) {
		ld := w.fetcher(load.Options{Attempts: 5})
		w.bad["a"] = true
		ld.Load(bg, "a", w.commit("a"))
		ld.Load(bg, "panic", w.commit("panic"))
		w.frames(100)
		if w.runs.Load() != 2 || len(w.lines) != 2 || !strings.Contains(strings.Join(w.lines, ""), "error: bad A") {
			t.Errorf("%d workers: %d runs of the source, %q", n, w.runs.Load(), w.lines)
		}
		clean(t.Errorf, ld)
	})
}

// The last request ends the stage in which its value is, whichever that is, and leaves nothing.
func TestCancelInEachStage(t *testing.T) {
	for i := range 28 {
		frames := i / 2
		inWorlds(t, func(w *world, n int) {
			ld := w.fetcher(load.Options{Fetches: 1, Ahead: 1 + 2*(i%2), Attempts: 3})
			w.fail["first"], w.slow["first"] = 1, 25*ms
			var all []*load.Request
			for _, key := range []string{"first", "second", "third"} {
				all = append(all, ld.Load(bg, key, w.commit(key)))
			}
			w.frames(frames)
			for _, r := range all {
				r.Cancel()
			}
			done := len(w.lines)
			w.frames(2)
			if running, waiting := load.LeftOfSources(ld); running+waiting > 0 || len(w.lines) != done {
				t.Errorf("after %d frames: %d sources run, %d wait; %d commits too many",
					frames, running, waiting, len(w.lines)-done)
			}
			w.frames(100)
			clean(t.Errorf, ld)
			if p := ld.Progress(); p.Fraction() != 1 || len(w.lines) != done || p.Bytes != p.TotalBytes {
				t.Errorf("%d workers, after %d frames: %+v", n, frames, p)
			}
		})
	}
}

// Sources that hang hold no other loader back, no job and no decode, and the most urgent key is fetched first.
func TestSlowSourcesHoldNobodyBack(t *testing.T) {
	inWorlds(t, func(w *world, n int) {
		slow := w.fetcher(load.Options{Fetches: 2})
		for _, key := range []string{"a", "b", "c"} {
			w.slow[key] = time.Minute
			slow.Load(bg, key, w.commit(key))
		}
		last := slow.Load(bg, "d", w.commit("d"))
		last.SetPriority(deadline.UserBlocking)
		quick := w.fetcher(load.Options{})
		for i := range 10 {
			quick.Load(bg, fmt.Sprint(i), w.commit("quick"))
		}
		var jobs atomic.Int32
		for range 20 {
			j := &workers.Job{Func: func(*workers.Worker) { time.Sleep(ms / 4) }}
			j.Notify(func() { jobs.Add(1) })
			w.l.Pool().Submit(j)
		}
		w.frames(12)
		if len(w.lines) != 10 || jobs.Load() != 20 {
			t.Errorf("%d workers: %d of 10 quick loads, %d of 20 jobs", n, len(w.lines), jobs.Load())
		}
		w.frames(6100)
		if got := strings.Join(w.lines[10:], " "); !strings.Contains(got, " d D") || strings.Contains(got, " c C") {
			t.Errorf("%d workers: %q", n, got)
		}
	})
}

// LF2: though the frames commit one value each, a thousand keys are not in memory at the same time.
func TestFetchedValuesHaveABound(t *testing.T) {
	inWorlds(t, func(w *world, n int) {
		alive, most := 0, 0
		ld := load.NewFrom(w.l, load.Options{Ahead: 4, Fetches: 20},
			func(context.Context, int, *load.Meter) ([]byte, error) { return make([]byte, 1), nil },
			func(_ context.Context, key int, _ []byte) (int, error) { return key, nil })
		left := 300
		for key := range left {
			ld.Load(bg, key, func(int, error) {
				left--
				time.Sleep(9 * ms) // the slice has no time for another one
			})
		}
		for left > 0 {
			w.frames(1)
			running, _ := load.LeftOfSources(ld)
			_, inFlight, held := load.Left(ld)
			alive = running + inFlight + held
			most = max(most, alive)
		}
		if most > 2*4 {
			t.Errorf("%d workers: %d values in memory, want at most 8", n, most)
		}
	})
}

// The context of a source ends with the loop, also if the pool lives on.
func TestASourceEndsWithTheLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := workers.New(workers.Options{Workers: 1})
		l := frame.New(frame.Options{Pool: pool, WorkersOnly: true})
		var cause error
		begun := 0
		source := func(ctx context.Context, _ int, _ *load.Meter) ([]byte, error) {
			begun++
			<-ctx.Done()
			cause = context.Cause(ctx)
			return nil, cause
		}
		ld := load.NewFrom(l, load.Options{Fetches: 1}, source,
			func(context.Context, int, []byte) (int, error) { return 0, nil })
		r := ld.Load(bg, 1, func(int, error) { t.Error("committed") })
		for key := range 10 {
			ld.Load(bg, 2+key, func(int, error) { t.Error("committed") })
		}
		l.Begin()
		l.Slice()
		l.End()
		synctest.Wait()
		l.Close()
		synctest.Wait()
		if !errors.Is(cause, context.Canceled) || r.State() != load.Canceled || begun != 1 {
			t.Errorf("%v, %v; %d sources", cause, r.State(), begun)
		}
		_ = pool.Close(bg)
	})
}
