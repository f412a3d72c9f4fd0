package flow_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/scheduler/flow"
)

func TestWhatABoundDoesWhenFull(t *testing.T) {
	for full, want := range map[flow.Full]string{
		flow.Reject:     "1 2 3 | full full | 1 2 3",
		flow.DropOldest: "1 2 3 4 5 | | 3 4 5",
		flow.CallerRuns: "1 2 3 now 4 now 5 | | 1 2 3",
	} {
		s := scheduler.New(scheduler.Options{})
		b := flow.NewBound(s, flow.BoundOptions{Limit: 3, Full: full})
		var posted, refused, ran []string
		inSlice := false
		for i := 1; i <= 5; i++ {
			err := b.Post(deadline.Normal, func() {
				if inSlice {
					ran = append(ran, fmt.Sprint(i))
				} else {
					posted = append(posted, "now")
				}
			})
			if errors.Is(err, flow.ErrFull) {
				refused = append(refused, "full")
			} else {
				posted = append(posted, fmt.Sprint(i))
			}
		}
		if n := b.Len(deadline.Normal); n != 3 {
			t.Errorf("%v: %d wait", full, n)
		}
		inSlice = true
		s.RunUntil(deadline.Deadline{})
		got := strings.Join(posted, " ") + " | " + strings.Join(refused, " ") + " | " + strings.Join(ran, " ")
		if got = strings.ReplaceAll(got, "  ", " "); got != want {
			t.Errorf("%v: got %q, want %q", full, got, want)
		}
		if n := b.Len(deadline.Normal); n != 0 {
			t.Errorf("%v: %d wait in the end", full, n)
		}
		if st := b.Stats(); st.Dropped+st.Rejected+st.CallerRan != 2 {
			t.Errorf("%v: %+v", full, st)
		}
		_ = b.Post(deadline.Normal, func() {})
		s.Close()
		err, n := b.Post(deadline.Normal, func() {}), b.Len(deadline.Normal)
		if !errors.Is(err, scheduler.ErrClosed) || n != 0 {
			t.Errorf("%v: after Close: %v, %d wait", full, err, n)
		}
	}
}

// Each policy against a slice of numbers.
func TestBoundMatchesASlice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		full := flow.Full(rapid.IntRange(0, 1).Draw(t, "full"))
		limit := rapid.IntRange(1, 5).Draw(t, "limit")
		s := scheduler.New(scheduler.Options{Policy: deadline.ByPriority, OnPanic: func(*scheduler.PanicError) {}})
		defer s.Close()
		o := flow.BoundOptions{Limit: 99, Full: full}
		o.Limits[deadline.Low.Lane()], o.Limits[deadline.Normal.Lane()] = limit, limit+1
		b := flow.NewBound(s, o)
		prios := []deadline.Priority{deadline.Normal, deadline.Low} // in the order in which they run
		var got, want []int
		var model [2][]int
		for n := range rapid.IntRange(0, 40).Draw(t, "steps") {
			k := rapid.IntRange(0, 2).Draw(t, "what")
			if k == 2 {
				s.RunUntil(deadline.Deadline{})
				want = append(append(want, model[0]...), model[1]...)
				model = [2][]int{}
				continue
			}
			how := rapid.IntRange(0, 2).Draw(t, "end")
			err := b.Post(prios[k], func() {
				got = append(got, n)
				switch how {
				case 1:
					panic("a task's")
				case 2:
					runtime.Goexit()
				}
			})
			isFull := len(model[k]) == limit+1-k
			if isFull && full == flow.DropOldest {
				model[k] = model[k][1:]
			}
			if rejected := isFull && full == flow.Reject; rejected != (err != nil) {
				t.Fatalf("%v with %d of %d: %v", full, len(model[k]), limit, err)
			} else if !rejected {
				model[k] = append(model[k], n)
			}
			if b.Len(prios[k]) != len(model[k]) {
				t.Fatalf("Len is %d, want %d", b.Len(prios[k]), len(model[k]))
			}
		}
		s.RunUntil(deadline.Deadline{})
		want = append(append(want, model[0]...), model[1]...)
		if !slices.Equal(got, want) {
			t.Fatalf("ran %v, want %v", got, want)
		}
	})
}

func TestPostWaitWaitsForRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := scheduler.New(scheduler.Options{})
		b := flow.NewBound(s, flow.BoundOptions{Limit: 2})
		start := time.Now()
		var mu sync.Mutex
		var lines []string
		for i := range 4 {
			go func() {
				time.Sleep(time.Duration(i) * ms)
				if err := b.PostWait(t.Context(), deadline.Normal, func() { time.Sleep(10 * ms) }); err != nil {
					t.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				lines = append(lines, fmt.Sprintf("%d accepted at %v", i, time.Since(start)))
			}()
		}
		time.Sleep(20 * ms)
		s.RunUntil(deadline.Deadline{})
		synctest.Wait()
		mu.Lock()
		defer mu.Unlock()
		if got := strings.Join(lines, ", "); got !=
			"0 accepted at 0s, 1 accepted at 1ms, 2 accepted at 30ms, 3 accepted at 40ms" {
			t.Error(got)
		}
		s.Close()
	})
}

func TestPostWaitEndsWithoutRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := scheduler.New(scheduler.Options{})
		b := flow.NewBound(s, flow.BoundOptions{Limit: 1})
		nothing := func() {}
		_ = b.Post(deadline.Normal, nothing)
		cause := errors.New("the scene is gone")
		ctx, cancel := context.WithCancelCause(t.Context())
		errs := make(chan error, 4)
		wait := func(ctx context.Context) { errs <- b.PostWait(ctx, deadline.Normal, nothing) }
		go wait(ctx)
		synctest.Wait() // one has the turn
		go wait(ctx)
		synctest.Wait()
		cancel(cause)
		for range 2 {
			if err := <-errs; !errors.Is(err, cause) {
				t.Error(err)
			}
		}
		wait(ctx)
		if err := <-errs; !errors.Is(err, cause) {
			t.Error("a context that was done before:", err)
		}
		go wait(nil)
		go wait(t.Context())
		synctest.Wait()
		s.Close()
		for range 2 {
			if err := <-errs; !errors.Is(err, scheduler.ErrClosed) {
				t.Error(err)
			}
		}
		if context.Cause(s.Context()) != scheduler.ErrClosed {
			t.Error("the scheduler's context:", context.Cause(s.Context()))
		}
	})
}

func TestPostWaitRefusesToBlockATask(t *testing.T) {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	b := flow.NewBound(s, flow.BoundOptions{Limit: 1})
	var errs []error
	post := func() { errs = append(errs, b.PostWait(t.Context(), deadline.Low, func() {})) }
	s.Post(deadline.Normal, func() { post(); post() })
	s.Go(deadline.Normal, func(co *scheduler.Co) { co.Yield(); post() })
	s.RunUntil(deadline.Deadline{})
	if len(errs) != 3 || errs[0] != nil || errs[1] != flow.ErrWouldBlock || errs[2] != flow.ErrWouldBlock {
		t.Error(errs)
	}
}

// Many producers: nothing is lost, nothing runs twice, no more than the limit is in, and who waits goes on.
func TestStressBound(t *testing.T) {
	const producers, each, limit = 8, 400, 3
	for _, full := range []flow.Full{flow.Reject, flow.DropOldest} {
		s := scheduler.New(scheduler.Options{})
		b := flow.NewBound(s, flow.BoundOptions{Limit: limit, Full: full})
		var accepted, ran atomic.Int64
		var g sync.WaitGroup
		for p := range producers {
			g.Go(func() {
				for range each {
					post := b.Post
					if p%2 == 0 {
						post = func(p deadline.Priority, f func()) error {
							return b.PostWait(context.Background(), p, f)
						}
					}
					if post(deadline.Normal, func() { ran.Add(1) }) == nil {
						accepted.Add(1)
					}
				}
			})
		}
		runWhile(s, &g, func() {
			if n := b.Len(deadline.Normal); n > limit {
				t.Fatalf("%v: %d in", full, n)
			}
		})
		if want := accepted.Load() - int64(b.Stats().Dropped); ran.Load() != want || b.Len(deadline.Normal) != 0 {
			t.Errorf("%v: %d ran, want %d; %d left", full, ran.Load(), want, b.Len(deadline.Normal))
		}
		if full == flow.Reject && accepted.Load() < producers/2*each {
			t.Errorf("%d accepted, less than those that waited", accepted.Load())
		}
		s.Close()
	}
}

func TestBoundAllocatesNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("sync.Pool forgets at random there")
	}
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	b := flow.NewBound(s, flow.BoundOptions{Limit: 8})
	f := func() {}
	if n := testing.AllocsPerRun(200, func() {
		for range 9 {
			_ = b.Post(deadline.Normal, f)
		}
		s.RunUntil(deadline.Deadline{})
	}); n >= 1 {
		t.Errorf("%v allocations", n)
	}
}

// The kind of a bounded function is the function, not what carries it.
func TestABoundKeepsKindsApart(t *testing.T) {
	var labels []string
	s := scheduler.New(scheduler.Options{OnPanic: func(pe *scheduler.PanicError) { labels = append(labels, pe.Label) }})
	defer s.Close()
	b := flow.NewBound(s, flow.BoundOptions{})
	_ = b.Post(deadline.Normal, offTheMesh)
	l := flow.NewLatest(s, flow.LatestOptions{}, offTheMap)
	_ = l.Post(1, 1)
	s.RunUntil(deadline.Deadline{})
	if got := strings.Join(labels, " "); !strings.HasSuffix(labels[0], ".offTheMesh") ||
		!strings.HasSuffix(labels[1], ".offTheMap") {
		t.Error(got)
	}
}

func sound()     {}
func particles() { time.Sleep(3 * ms); panic("particles") }

// What runs in the turn of a function that was dropped is what is blamed, and what learns.
func TestDropOldestBlamesWhatRan(t *testing.T) {
	var failed *scheduler.PanicError
	o := scheduler.Options{Times: true, Events: 2, OnPanic: func(p *scheduler.PanicError) { failed = p }}
	inBubble(t, o, func(s *scheduler.Scheduler) {
		b := flow.NewBound(s, flow.BoundOptions{Limit: 1, Full: flow.DropOldest})
		post := func() { _ = b.Post(deadline.Normal, sound) }
		for range 5 {
			post()
			_ = b.Post(deadline.Normal, particles)
			worst, last := s.RunUntil(deadline.Deadline{}).Worst, s.Events(nil)[1]
			for what, name := range map[string]string{
				"worst": worst.Label, "failed": failed.Label, "last event": last.Name(),
				"costs": s.ReadCosts(nil)[0].Kind,
			} {
				if !strings.HasSuffix(name, ".particles") {
					t.Errorf("%s: %s", what, name)
				}
			}
		}
		s.Post(deadline.UserBlocking, sound) // the first of a slice runs in any case
		post()
		if r := s.RunUntil(deadline.In(2 * ms)); r.Ran != 2 {
			t.Errorf("a sound in 2 ms: %+v", r)
		}
		if c := s.ReadCosts(nil); len(c) != 2 || c[0].Runs != 5 || c[0].Total != 15*ms || c[1].Runs != 2 {
			t.Errorf("%+v", c)
		}
	})
}

func offTheMesh()        { panic("off the mesh") }
func offTheMap(int, int) { panic("off the map") }

// What a Bound refuses, drops or runs at once is counted, each by its own name.
func TestBoundCountsWhatItDoes(t *testing.T) {
	for full, want := range map[flow.Full]flow.BoundStats{
		flow.Reject:     {Rejected: 2},
		flow.DropOldest: {Dropped: 2},
		flow.CallerRuns: {CallerRan: 2},
	} {
		s := scheduler.New(scheduler.Options{})
		b := flow.NewBound(s, flow.BoundOptions{Limit: 1, Full: full})
		ran := 0
		for range 3 {
			b.Post(deadline.Low, func() { ran++ })
		}
		s.RunUntil(deadline.Deadline{})
		if got := b.Stats(); got != want || ran != 3-int(got.Rejected+got.Dropped) {
			t.Errorf("%v: %+v, %d ran, want %+v", full, got, ran, want)
		}
		s.Close()
	}
	if got := fmt.Sprint(flow.Reject, flow.DropOldest, flow.CallerRuns, flow.Full(9)); got !=
		"reject drop-oldest caller-runs Full(9)" {
		t.Error(got)
	}
}
