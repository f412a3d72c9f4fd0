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
	"github.com/frameslice/frameslice/internal/testkit"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

const ms = time.Millisecond

// bg is a context that never ends.
var bg = context.Background()

func nothing(string, error) {}

func TestMain(m *testing.M) { testkit.Main(m) }

// world is a loop in virtual time with frames of 10 ms, decodes that fail as told, and a log.
type world struct {
	l     *frame.Loop
	start time.Time
	lines []string
	slow  map[string]time.Duration // how long a key takes to decode
	fail  map[string]int           // how often a key fails
	runs  atomic.Int32             // decodes begun
	ended atomic.Int32             // decodes whose context ended

	bad           map[string]bool // keys whose bytes cannot be decoded
	fetches, most atomic.Int32    // sources that run, and the most at once
	empty         atomic.Int32    // decodes that began without bytes
}

// sizes are the numbers of workers that a test is to be right with; -1 is none, and then the slice decodes.
func sizes() []int {
	if runtime.GOOS == "js" {
		return []int{-1}
	}
	return []int{4, 1, -1}
}

// needsWorkers skips a test whose times count on decodes beside the frames.
func needsWorkers(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "js" {
		t.Skip("a pool has no workers here")
	}
}

// inWorld runs f with four workers.
func inWorld(t *testing.T, f func(w *world)) {
	t.Helper()
	needsWorkers(t)
	with(t, workers.Options{Workers: 4}, f)
}

// inWorlds runs f with each of the sizes.
func inWorlds(t *testing.T, f func(w *world, n int)) {
	t.Helper()
	for _, n := range sizes() {
		with(t, workers.Options{Workers: n}, func(w *world) { f(w, n) })
	}
}

func with(t *testing.T, o workers.Options, f func(w *world)) {
	t.Helper()
	synctest.Test(t, func(*testing.T) {
		w := &world{slow: map[string]time.Duration{}, fail: map[string]int{}, bad: map[string]bool{}, start: time.Now()}
		w.l = frame.New(frame.Options{
			Workers: o, WorkersOnly: true, Placement: frame.PlaceAfterDraw,
			Budget:    deadline.Budget{Interval: 10 * ms, Reserve: ms},
			Scheduler: scheduler.Options{OnPanic: func(*scheduler.PanicError) {}},
			Profile:   -1,
		})
		f(w)
		w.l.Close()
		if n := w.empty.Load(); n > 0 {
			t.Errorf("%d decodes began without bytes", n)
		}
	})
}

func (w *world) frames(n int) {
	for range n {
		w.l.Begin()
		w.l.Slice()
		w.l.End()
		synctest.Wait()
		time.Sleep(10 * ms)
		synctest.Wait()
	}
}

func (w *world) loader(o load.Options) *load.Loader[string, string] {
	return load.New(w.l, o, w.decode)
}

// fetcher returns a loader whose source takes as long as the decode of loader, and fails as it does.
func (w *world) fetcher(o load.Options) *load.Loader[string, string] {
	source := func(ctx context.Context, key string, m *load.Meter) ([]byte, error) {
		now := w.fetches.Add(1)
		defer w.fetches.Add(-1)
		for most := w.most.Load(); now > most && !w.most.CompareAndSwap(most, now); {
			most = w.most.Load()
		}
		text, err := w.decode(ctx, key, m)
		return []byte(text), err
	}
	return load.NewFrom(w.l, o, source, func(_ context.Context, key string, bytes []byte) (string, error) {
		if len(bytes) == 0 {
			w.empty.Add(1)
		}
		if time.Sleep(ms); w.bad[key] {
			return "", fmt.Errorf("bad %s", bytes)
		}
		return string(bytes), nil
	})
}

func (w *world) decode(ctx context.Context, key string, m *load.Meter) (string, error) {
	n := w.runs.Add(1)
	m.SetTotal(100)
	m.Add(50)
	select {
	case <-time.After(max(w.slow[key], ms)):
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

// commit returns a commit that writes to the log.
func (w *world) commit(name string) func(string, error) {
	return func(v string, err error) {
		if err != nil {
			v = "error: " + err.Error()
		}
		w.lines = append(w.lines, fmt.Sprintf("%v %s %s", time.Since(w.start), name, v))
	}
}

func (w *world) want(t *testing.T, lines ...string) {
	t.Helper()
	if got, want := strings.Join(w.lines, "\n"), strings.Join(lines, "\n"); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

// clean reports what a loader has left over.
func clean[K comparable, T any](errorf func(string, ...any), ld *load.Loader[K, T]) {
	if decodes, inFlight, held := load.Left(ld); decodes+inFlight+held != 0 {
		errorf("%d decodes left, %d in flight, %d held", decodes, inFlight, held)
	}
	if running, waiting := load.LeftOfSources(ld); running+waiting != 0 {
		errorf("%d sources run, %d wait", running, waiting)
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
