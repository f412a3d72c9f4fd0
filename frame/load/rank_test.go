package load_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame/load"
	"github.com/frameslice/frameslice/scheduler"
)

// Requests whose priority changes.

// browsing is a loader of thumbnails, which notes the order in which they are decoded and committed.
type browsing struct {
	*loading
	ld                 *load.Loader[int, int]
	requests           []*load.Request
	decoded, committed []int
	canceled           int // requests that the test has canceled
}

// inBrowsing has n thumbnails asked for, of 1 ms each to decode, and commits of 1 ms.
func inBrowsing(t *testing.T, crew, n int, o load.Options, f func(b *browsing)) {
	t.Helper()
	inLoadingWith(t, crew, func(w *loading) {
		b := &browsing{loading: w}
		o.Label = "thumbnail"
		widen(w.l, o.Label, time.Millisecond, func() { w.frames(1) })
		widen(w.l, "busy", 100*time.Microsecond, func() { w.frames(1) })
		b.ld = load.New(w.l, o, func(_ context.Context, key int, _ *load.Meter) (int, error) {
			b.decoded = append(b.decoded, key)
			time.Sleep(time.Millisecond)
			return key, nil
		})
		for i := range n {
			b.requests = append(b.requests, b.ld.Load(bg, i, func(int, error) {
				b.committed = append(b.committed, i)
				time.Sleep(time.Millisecond)
			}))
		}
		f(b)
		w.frames(100)
		slices.Sort(b.decoded)
		p := b.ld.Progress()
		if p.Loaded != p.Total-b.canceled || len(b.decoded) != n || len(slices.Compact(b.decoded)) != n {
			t.Errorf("%+v, %d decodes", p, len(b.decoded))
		}
		if ahead, held := load.Ahead(b.ld); ahead+held+load.Flights(b.ld) != 0 {
			t.Errorf("%d ahead, %d held, %d flights left", ahead, held, load.Flights(b.ld))
		}
	})
}

// slowCrews are crews that decode one after the other.
func slowCrews() []int { return crews()[min(1, len(crews())-1):] }

// What comes into view is loaded next, whether its decode is in the pool's queue or held back, and what leaves it last.
func TestWhatIsVisibleIsRaised(t *testing.T) {
	for _, n := range slowCrews() {
		for _, ahead := range []int{-1, 2, 8} {
			inBrowsing(t, n, 100, load.Options{Ahead: ahead}, func(b *browsing) {
				b.frames(2)
				before := len(b.decoded)
				for _, i := range []int{80, 81, 82} {
					if !b.requests[i].SetPriority(deadline.UserBlocking, deadline.UserBlocking) {
						t.Error("not pending")
					}
				}
				b.requests[50].SetPriority(deadline.Low, deadline.Low)
				b.frames(3)
				got := b.decoded[before:]
				for _, i := range []int{80, 81, 82} { // the pool has turns for what is less urgent
					if at := slices.Index(got, i); at < 0 || at > 5 {
						t.Errorf("%d workers, Ahead %d: after frame 2 %v are decoded", n, ahead, got)
					}
				}
				if at := slices.Index(b.committed, 82); at < 0 || at > before+6 {
					t.Errorf("%d workers, Ahead %d: committed are %v", n, ahead, b.committed)
				}
				b.frames(100)
				if ahead > 0 && (b.decoded[99] != 50 || b.committed[99] != 50) {
					t.Errorf("%d workers, Ahead %d: decoded %v, committed %v", n, ahead, b.decoded, b.committed)
				}
			})
		}
	}
}

// A value that waits is committed at its request's new priority, and what is urgent does not wait for values that are
// not.
func TestCommitsAreRaised(t *testing.T) {
	for _, n := range slowCrews() {
		inBrowsing(t, n, 20, load.Options{Ahead: 4}, func(b *browsing) {
			for _, r := range b.requests {
				r.SetPriority(deadline.Normal, deadline.Idle) // before they have begun
			}
			stop := time.Now().Add(400 * time.Millisecond)
			var busy func()
			busy = func() { // next to no time is left for what is Idle
				time.Sleep(100 * time.Microsecond)
				if time.Now().Before(stop) {
					b.l.Scheduler().Submit(&scheduler.Task{Label: "busy", Func: busy})
				}
			}
			b.l.Scheduler().Submit(&scheduler.Task{Label: "busy", Func: busy})
			b.frames(5)
			if ahead, _ := load.Ahead(b.ld); ahead != 4 || len(b.decoded) > 5 || len(b.committed) > 1 {
				t.Errorf("%d workers: %d ahead, %v decoded, %v committed", n, ahead, b.decoded, b.committed)
			}
			for _, i := range []int{3, 15, 2} {
				b.requests[i].SetPriority(deadline.UserBlocking, deadline.UserBlocking)
			}
			b.frames(3)
			got := slices.Sorted(slices.Values(b.committed[max(len(b.committed)-3, 0):]))
			if fmt.Sprint(got) != "[2 3 15]" {
				t.Errorf("%d workers: committed are %v, want 2, 3 and 15", n, b.committed)
			}
		})
	}
}

// A program that lowers what is decoded, and goes on asking, does not get more and more values.
func TestLoweringMakesNoRoomWithoutEnd(t *testing.T) {
	for _, n := range slowCrews() {
		inBrowsing(t, n, 60, load.Options{Ahead: 3}, func(b *browsing) {
			most := 0
			for range 20 {
				for _, i := range b.decoded {
					b.requests[i].SetPriority(deadline.Low, deadline.Idle)
				}
				b.l.Post(deadline.Normal, func() { time.Sleep(9 * time.Millisecond) })
				b.frames(1)
				ahead, _ := load.Ahead(b.ld)
				most = max(most, ahead)
			}
			if most > 6 || n > 0 && most < 6 {
				t.Errorf("%d workers: %d values at once", n, most)
			}
		})
	}
}

// A decode that is shared is as urgent as the most urgent of those who want it.
func TestASharedDecodeIsAsUrgentAsItsMostUrgentRequest(t *testing.T) {
	for _, n := range slowCrews() {
		for _, how := range []string{"stays", "lowered", "canceled"} {
			inBrowsing(t, n, 6, load.Options{Ahead: -1, Decode: deadline.Low}, func(b *browsing) {
				synctest.Wait() // a worker, if there is one, has begun the first
				done := 0
				urgent := b.ld.Load(bg, 5, func(int, error) { done++ })
				b.ld.Load(bg, 5, func(int, error) { done++ })
				urgent.SetPriority(deadline.UserBlocking, deadline.Normal)
				b.l.Post(deadline.Immediate, func() {
					switch how {
					case "lowered":
						urgent.SetPriority(deadline.Low, deadline.Normal)
					case "canceled":
						urgent.Cancel()
						b.canceled, done = 1, 1
					}
				})
				b.frames(10)
				// A worker may have begun the first one by then, or the urgent one before that was lowered.
				at := slices.Index(b.decoded, 5)
				first := at == 0 || how == "stays" && at == 1
				if how == "stays" && !first || how != "stays" && n < 0 && first || at > 1 && at < 5 || done != 2 {
					t.Errorf("%d workers, the urgent one %s: %v, %d", n, how, b.decoded, done)
				}
			})
		}
	}
}

// A priority is changed in every state that a request can be in, and nothing is decoded twice for it, or canceled.
func TestSetPriorityInEveryState(t *testing.T) {
	for frames := range 9 {
		for _, n := range crews() {
			inLoadingWith(t, n, func(w *loading) {
				ld := w.loader(load.Options{Attempts: 2, Backoff: 25 * time.Millisecond, Ahead: 1})
				w.fail["a"], w.slow["a"] = 1, 15*time.Millisecond
				r := ld.Load(bg, "a", w.commit("a"))
				w.frames(frames)
				pending := r.State() == load.Pending
				for range 2 {
					for _, p := range deadline.Priorities() {
						if r.SetPriority(p, p) != pending {
							t.Errorf("after %d frames: %v", frames, r.State())
						}
					}
				}
				w.frames(20)
				if p := ld.Progress(); p.Loaded != 1 || p.Canceled != 0 || p.Retried != 1 || w.runs.Load() != 2 {
					t.Errorf("after %d frames: %+v, %d decodes", frames, p, w.runs.Load())
				}
			})
		}
	}
	inLoading(t, func(w *loading) {
		r := w.loader(load.Options{}).Load(bg, "a", w.commit("a"))
		wantPanic(t, "load: Request.SetPriority to an invalid Priority(3)", func() { r.SetPriority(3, 0) })
		wantPanic(t, "load: Request.SetPriority to an invalid Priority(-3)", func() { r.SetPriority(0, -3) })
		if n := testing.AllocsPerRun(10, func() { r.SetPriority(0, 0) }); n != 0 {
			t.Errorf("a priority that is the same allocates %v times", n)
		}
		r.Cancel()
		if r.SetPriority(0, 1) {
			t.Error("a canceled request is pending")
		}
	})
}

// In any order of priorities, of requests for some keys: what is held back begins most urgent first.
func TestHeldDecodesAreInOrder(t *testing.T) {
	needsWorkers(t)
	all := deadline.Priorities()
	for seed := range 50 {
		inBrowsing(t, 1, 40, load.Options{Ahead: 1}, func(b *browsing) {
			rank := func(i int) string { // smaller is sooner
				x := i*7919 + seed*104729
				decode, commit := all[x%5], all[x/5%5]
				b.requests[i].SetPriority(decode, commit)
				return strconv.Itoa(commit.Lane()) + strconv.Itoa(decode.Lane()) + fmt.Sprintf("%03d", i)
			}
			var want []string
			for i := range b.requests {
				if i > 0 {
					want = append(want, rank(i))
				}
			}
			slices.Sort(want)
			b.requests[0].SetPriority(deadline.Immediate, deadline.Immediate)
			b.frames(60)
			for at, i := range b.decoded[1:] {
				if w, _ := strconv.Atoi(want[at][2:]); w != i {
					t.Errorf("seed %d: %v, want %v", seed, b.decoded, want)
				}
			}
		})
	}
}
