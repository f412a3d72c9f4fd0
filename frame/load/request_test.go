package load_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame/load"
	"github.com/frameslice/frameslice/internal/testkit"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// A request whose commit panics or calls Goexit has failed, for all who ask: after a retry, with an error of the
// decode, where the commit cancels itself, and where it closes the loop.
func TestCommitThatDoesNotReturn(t *testing.T) {
	cause := errors.New("no such format")
	raised := &workers.PanicError{Value: cause, Label: "elsewhere"}
	isPanic := func(err error) bool {
		var pe *scheduler.PanicError
		return errors.As(err, &pe) && len(pe.Stack) > 0 && pe.Label == "pictures"
	}
	for how, c := range map[string]struct {
		end func()
		ok  func(err error) bool
	}{
		"panic": {func() { panic("no such format") }, isPanic},
		"an error": {
			func() { panic(cause) }, func(err error) bool { return isPanic(err) && errors.Is(err, cause) },
		},
		"raised again": {func() { panic(raised) }, func(err error) bool { return err == error(raised) }},
		"Goexit":       {runtime.Goexit, func(err error) bool { return err == scheduler.ErrGoexit }},
	} {
		for _, when := range []string{"", "retried", "canceled", "closed", "with an error"} {
			inWorld(t, func(w *world) {
				key := "a"
				switch when {
				case "retried":
					w.fail["a"] = 1
				case "with an error":
					key = "goexit"
				}
				ld := w.loader(load.Options{Label: "pictures", Attempts: 2})
				var r *load.Request
				r = ld.Load(bg, key, func(string, error) {
					if s, err := r.Result(); s != load.Pending || err != nil || ld.Progress().Fraction() != 0 {
						t.Errorf("in the commit: %v, %v", s, err)
					}
					if when == "canceled" && (r.Cancel() || r.State() != load.Pending) {
						t.Error("canceled in its commit")
					}
					if when == "closed" {
						go w.l.Close()
						time.Sleep(ms)
					}
					c.end()
				})
				told := false
				r.Notify(func() { told = r.State() == load.Failed && ld.Progress().Failed == 1 })
				w.frames(20)
				s, err := r.Result()
				all, allErr := load.AllOf(r).Result()
				if !c.ok(err) || s != load.Failed || r.State() != s || !told || r.Cancel() || allErr != err ||
					all != (load.Progress{Total: 1, Failed: 1}) || ld.Progress().Fraction() != 1 {
					t.Errorf("%s, %s: %v, %v; of all %+v, %v; told in time: %v", how, when, s, err, all, allErr, told)
				}
			})
		}
	}
}

// A context that ends on the frame goroutine ends its requests there and then: what commits later in the same slice
// does not wait for the goroutine that watches the context.
func TestAContextEndsItsRequestsInTheSameSlice(t *testing.T) {
	for range 50 {
		with(t, workers.Options{Workers: -1}, func(w *world) {
			before, cancel := context.WithCancel(bg)
			cancel()
			scene, leave := context.WithCancel(bg)
			ld := w.loader(load.Options{})
			fail := func(string, error) { t.Error("committed to what has ended") }
			requests := []*load.Request{ld.Load(before, "early", fail)}
			ld.Load(scene, "door", func(string, error) { leave() })
			for _, key := range []string{"door", "tree", "early"} {
				requests = append(requests, ld.Load(scene, key, fail))
			}
			w.frames(3)
			for i, r := range requests {
				if r.State() != load.Canceled {
					t.Errorf("request %d is %v", i, r.State())
				}
			}
			if p := ld.Progress(); p.Loaded != 1 || p.Canceled != 4 {
				t.Errorf("%+v", p)
			}
		})
	}
}

// browser loads thumbnails, and notes the order in which they are decoded and committed.
type browser struct {
	*world
	ld                 *load.Loader[int, int]
	requests           []*load.Request
	decoded, committed []int
}

// browse asks for n thumbnails of 1 ms each to decode, and 1 ms to commit. f has some of them decoded; in the end all
// are decoded once, except those that f has canceled.
func browse(t *testing.T, size, n int, o load.Options, f func(b *browser)) {
	t.Helper()
	with(t, workers.Options{Workers: size}, func(w *world) {
		b := &browser{world: w}
		o.Label = "thumbnail"
		learn(w.l, o.Label, ms, func() { w.frames(1) })
		learn(w.l, "busy", 100*time.Microsecond, func() { w.frames(1) })
		b.ld = load.New(w.l, o, func(_ context.Context, key int, _ *load.Meter) (int, error) {
			b.decoded = append(b.decoded, key)
			time.Sleep(ms)
			return key, nil
		})
		for i := range n {
			b.requests = append(b.requests, b.ld.Load(bg, i, func(int, error) {
				b.committed = append(b.committed, i)
				time.Sleep(ms)
			}))
		}
		f(b)
		w.frames(100)
		slices.Sort(b.decoded)
		if p := b.ld.Progress(); p.Fraction() != 1 || len(b.decoded) != n || len(slices.Compact(b.decoded)) != n {
			t.Errorf("%+v, %d decodes", p, len(b.decoded))
		}
		clean(t.Errorf, b.ld)
	})
}

// oneByOne are the sizes of pools that decode one after the other.
func oneByOne() []int { return sizes()[min(1, len(sizes())-1):] }

// A request that comes into view is loaded next, from the pool's queue or held back. One that leaves the view is begun
// last. What is in flight with it may come after it, as the pool gives each lane a turn now and then.
func TestWhatIsVisibleIsRaised(t *testing.T) {
	for _, n := range oneByOne() {
		for _, ahead := range []int{-1, 1, 2, 8} {
			browse(t, n, 100, load.Options{Ahead: ahead}, func(b *browser) {
				b.frames(2)
				before := len(b.decoded)
				for _, i := range []int{80, 81, 82} {
					if !b.requests[i].SetPriority(deadline.UserBlocking) {
						t.Error("not pending")
					}
				}
				b.requests[50].SetPriority(deadline.Low)
				b.frames(6)
				got := b.decoded[before:]
				for _, i := range []int{80, 81, 82} { // the pool has turns for what is less urgent
					if at := slices.Index(got, i); at < 0 || at > 5 {
						t.Errorf("%d workers, Ahead %d: after frame 2 %v are decoded", n, ahead, got)
					}
				}
				b.frames(12) // in some of these the loop looks at the host without work
				if at := slices.Index(b.committed, 82); at < 0 || at > before+6 {
					t.Errorf("%d workers, Ahead %d: committed are %v", n, ahead, b.committed)
				}
				b.frames(100)
				last := func(order []int) bool { return slices.Index(order, 50) >= 100-ahead }
				if ahead > 0 && !(last(b.decoded) && last(b.committed)) {
					t.Errorf("%d workers, Ahead %d: decoded %v, committed %v", n, ahead, b.decoded, b.committed)
				}
			})
		}
	}
}

// A value that waits is committed at its request's new priority, and what is urgent does not wait for values that are
// not.
func TestCommitsAreRaised(t *testing.T) {
	for _, n := range oneByOne() {
		browse(t, n, 20, load.Options{Ahead: 4, Priority: deadline.Low}, func(b *browser) {
			stop := time.Now().Add(400 * ms)
			var busy func()
			busy = func() { // next to no time is left for what is Low
				time.Sleep(100 * time.Microsecond)
				if time.Now().Before(stop) {
					b.l.Scheduler().Submit(&scheduler.Task{Label: "busy", Func: busy})
				}
			}
			b.l.Scheduler().Submit(&scheduler.Task{Label: "busy", Func: busy})
			b.frames(5)
			before := len(b.committed)
			for _, i := range []int{3, 15, 12} {
				b.requests[i].SetPriority(deadline.UserBlocking)
			}
			b.frames(3)
			got := b.committed[before:]
			for _, i := range []int{3, 15, 12} {
				if !slices.Contains(b.committed, i) {
					t.Errorf("%d workers: committed are %v after %v, want 3, 12 and 15", n, got, b.committed[:before])
				}
			}
			if len(got) > 6 {
				t.Errorf("%d workers: what is Low is committed too: %v", n, got)
			}
		})
	}
}

// A program that lowers what is decoded, and continues asking, does not get more and more values.
func TestLoweringMakesNoRoomWithoutEnd(t *testing.T) {
	for _, n := range oneByOne() {
		browse(t, n, 60, load.Options{Ahead: 3}, func(b *browser) {
			most := 0
			for range 20 {
				for _, i := range b.decoded {
					b.requests[i].SetPriority(deadline.Idle)
				}
				b.l.Post(deadline.Normal, func() { time.Sleep(9 * ms) })
				b.frames(1)
				_, inFlight, _ := load.Left(b.ld)
				most = max(most, inFlight)
			}
			if most > 6 || n > 0 && most < 6 {
				t.Errorf("%d workers: %d values at once", n, most)
			}
		})
	}
}

// A decode that is shared is as urgent as the most urgent of those who want it.
func TestASharedDecodeIsAsUrgentAsItsMostUrgentRequest(t *testing.T) {
	for _, n := range oneByOne() {
		for _, how := range []string{"stays", "lowered", "canceled"} {
			browse(t, n, 6, load.Options{Ahead: -1, Priority: deadline.Low}, func(b *browser) {
				synctest.Wait() // a worker, if there is one, has begun the first
				urgent := b.ld.Load(bg, 5, func(int, error) {})
				b.ld.Load(bg, 5, func(int, error) {})
				urgent.SetPriority(deadline.UserBlocking)
				b.l.Post(deadline.Immediate, func() {
					switch how {
					case "lowered":
						urgent.SetPriority(deadline.Low)
					case "canceled":
						urgent.Cancel()
					}
				})
				b.frames(10)
				// A worker may have begun the first one by then, or the urgent one before that was lowered.
				at := slices.Index(b.decoded, 5)
				first := at == 0 || how == "stays" && at == 1
				if how == "stays" && !first || how != "stays" && n < 0 && first || at > 1 && at < 5 {
					t.Errorf("%d workers, the urgent one %s: %v", n, how, b.decoded)
				}
			})
		}
	}
}

// A priority is changed in every state that a request can be in, and nothing is decoded twice for it, or canceled.
func TestSetPriorityInEveryState(t *testing.T) {
	for _, frames := range []int{0, 1, 2, 3, 4, 11, 12, 13, 14, 15, 16} {
		inWorlds(t, func(w *world, n int) {
			ld := w.loader(load.Options{Attempts: 2, Ahead: 1})
			w.fail["a"], w.slow["a"] = 1, 15*ms
			r := ld.Load(bg, "a", w.commit("a"))
			w.frames(frames)
			pending := r.State() == load.Pending
			for range 2 {
				for _, p := range deadline.Priorities() {
					if r.SetPriority(p) != pending {
						t.Errorf("after %d frames: %v", frames, r.State())
					}
				}
			}
			testkit.NoAllocs(t, func() { r.SetPriority(deadline.Idle) })
			w.frames(20)
			if p := ld.Progress(); p.Loaded != 1 || p.Canceled != 0 || w.runs.Load() != 2 {
				t.Errorf("%d workers, after %d frames: %+v, %d decodes", n, frames, p, w.runs.Load())
			}
		})
	}
}

// Held decodes begin most urgent first, and in the order of asking.
func TestHeldDecodesAreInOrder(t *testing.T) {
	needsWorkers(t)
	all := deadline.Priorities()
	for seed := range 50 {
		browse(t, 1, 40, load.Options{Ahead: 1}, func(b *browser) {
			var want [deadline.NumPriorities][]int
			b.requests[0].SetPriority(deadline.Immediate)
			for i := range b.requests[1:] {
				p := all[(i*7919+seed*104729)%len(all)]
				b.requests[i+1].SetPriority(p)
				want[p.Lane()] = append(want[p.Lane()], i+1)
			}
			b.frames(60)
			if got, want := fmt.Sprint(b.decoded[1:]), fmt.Sprint(slices.Concat(want[:]...)); got != want {
				t.Errorf("seed %d: %v, want %v", seed, got, want)
			}
		})
	}
}
