package load_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/load"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// The world of the loader's tests: a loop and a pool in virtual time, decodes that fail as told, a log.

// bg is a context that never ends.
var bg = context.Background()

// loading is a loop in virtual time, with a log.
type loading struct {
	l     *frame.Loop
	start time.Time
	lines []string
	slow  map[string]time.Duration // how long a key takes to decode
	fail  map[string]int           // how often a key fails
	runs  atomic.Int32             // decodes begun
	ended atomic.Int32             // decodes whose context ended
}

// needsWorkers skips a script whose times count on decodes beside the frames:
// where a pool has no workers they run within the frame that asked.
func needsWorkers(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "js" {
		t.Skip("a pool has no workers here")
	}
}

func inLoading(t *testing.T, f func(w *loading)) {
	t.Helper()
	needsWorkers(t)
	inLoadingWith(t, 4, f)
}

// inLoadingWith is inLoading with that many workers; -1 is none, and then the slice decodes.
func inLoadingWith(t *testing.T, n int, f func(w *loading)) {
	t.Helper()
	synctest.Test(t, func(*testing.T) {
		w := &loading{slow: map[string]time.Duration{}, fail: map[string]int{}, start: time.Now()}
		w.l = frame.New(frame.Options{
			Workers: workers.Options{Workers: n}, NoJobs: true,
			Budget:    deadline.Budget{Interval: 10 * time.Millisecond, Reserve: time.Millisecond},
			Scheduler: scheduler.Options{OnPanic: func(*scheduler.PanicError) {}},
		})
		f(w)
		w.l.Close()
	})
}

func (w *loading) frames(n int) {
	for range n {
		w.l.Begin()
		w.l.Slice()
		w.l.End()
		synctest.Wait()
		time.Sleep(10 * time.Millisecond)
		synctest.Wait()
	}
}

func (w *loading) loader(o load.Options) *load.Loader[string, string] {
	return load.New(w.l, o, w.decode)
}

func (w *loading) decode(ctx context.Context, key string, m *load.Meter) (string, error) {
	n := w.runs.Add(1)
	m.SetTotal(100)
	m.Add(50)
	select {
	case <-time.After(max(w.slow[key], time.Millisecond)):
	case <-ctx.Done():
		w.ended.Add(1)
		return "", context.Cause(ctx)
	}
	switch {
	case key == "panic":
		panic("bad pixels")
	case key == "goexit":
		runtime.Goexit()
	case w.fail[key] >= int(n):
		return "", fmt.Errorf("attempt %d", n)
	}
	m.Add(50)
	return strings.ToUpper(key), nil
}

func (w *loading) commit(who string) func(string, error) {
	return func(v string, err error) {
		if err != nil {
			v = "error: " + err.Error()
		}
		w.lines = append(w.lines, fmt.Sprintf("%v %s %s", time.Since(w.start), who, v))
	}
}

func (w *loading) want(t *testing.T, lines ...string) {
	t.Helper()
	if got, want := strings.Join(w.lines, "\n"), strings.Join(lines, "\n"); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}
