package load_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/load"
	"github.com/frameslice/frameslice/internal/fault"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// Loaders in a host that draws on demand, and what their tasks are called.

// What Loader's documentation says of commits that ask for a drawing.
func TestCommitsThatAskForADrawing(t *testing.T) {
	for how, want := range map[string]int{"RequestDraw": 20, "flag": 1, "Once": 1} {
		inLoading(t, func(w *loading) {
			tasks := w.l.Scheduler()
			ld := load.New(w.l, load.Options{}, slowDecode) // all of them between two slices
			changed, owed := false, false
			for i := range 20 {
				ld.Load(bg, i, func(int, error) {
					switch changed = true; {
					case how == "RequestDraw":
						tasks.RequestDraw()
					case how == "Once" && !owed:
						owed = true
						tasks.Once(scheduler.BeforeDraw, func() { owed = false })
					}
				})
			}
			frames, drawings := 0, 0 // since the first commit
			for range 60 {
				w.l.Begin()
				if tasks.DrawRequested() {
					w.l.RunPhase(scheduler.BeforeDraw)
					changed = false
					drawings++
				}
				before := ld.Progress().Loaded
				w.l.Slice()
				w.l.End()
				if frames += b2i(ld.Progress().Loaded > before); changed && how == "flag" {
					tasks.RequestDraw()
				}
				synctest.Wait()
				time.Sleep(10 * time.Millisecond)
			}
			if p := ld.Progress(); p.Loaded != 20 || frames != want || drawings != want {
				t.Errorf("%s: commits in %d frames, %d drawings, want %d; %+v", how, frames, drawings, want, p)
			}
		})
	}
}

// failsFirst has a first attempt that fails, for odd keys.
func failsFirst(_ context.Context, key int, m *load.Meter) (int, error) {
	if attempts[key]++; key%2 == 1 && attempts[key]%2 == 1 {
		return 0, errors.New("not yet")
	}
	return key, nil
}

var attempts [10]int

// In reports, a loader's tasks have names that a reader knows, and commits are of one kind.
func TestALoadersTasksHaveNames(t *testing.T) {
	for label, want := range map[string][]string{
		"picture": {"picture", "picture loader"},
		"":        {fault.NameOf(failsFirst), "loader"},
	} {
		synctest.Test(t, func(t *testing.T) {
			l := frame.New(frame.Options{
				Workers: workers.Options{Workers: -1, MaxWaiting: 1}, Scheduler: scheduler.Options{Times: true},
				Grace: -1,
			})
			defer l.Close()
			again := func(error) bool { return true }
			o := load.Options{Label: label, Attempts: 2, Retry: again, Backoff: time.Millisecond, Ahead: 2}
			ld := load.New(l, o, failsFirst)
			for i := range 10 {
				r := ld.Load(bg, i, func(int, error) {})
				if i == 7 {
					r.SetPriority(deadline.Low, deadline.Low)
				} else if i == 8 {
					r.Cancel()
				}
			}
			for range 60 {
				l.Begin()
				l.Slice()
				l.End()
				time.Sleep(10 * time.Millisecond)
			}
			var names []string
			for _, c := range l.Scheduler().ReadCosts(nil) {
				if names = append(names, c.Kind); c.Kind == want[0] && c.Runs != 9 {
					t.Errorf("%d runs of %s, want 9; %+v", c.Runs, c.Kind, ld.Progress())
				}
			}
			if slices.Sort(names); !slices.Equal(names, want) {
				t.Errorf("%q, want %q", names, want)
			}
		})
	}
}
