package workers

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/mpmc"
)

// Waits that their contexts end leave nothing behind for each of them, neither at the job nor at what it follows.
func TestWaitsThatGiveUpLeaveNothing(t *testing.T) {
	needsWorkers(t)
	p := New(Options{Workers: 2})
	gate, begun := make(chan struct{}), make(chan struct{})
	u := Submit(p, deadline.Normal, func(context.Context) (int, error) { close(begun); <-gate; return 1, nil })
	v := Then(u, func(_ context.Context, n int) (int, error) { return n + 1, nil })
	<-begun
	const at, rounds = 3, 200
	waits := func() {
		for range rounds {
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			_, _ = u.Wait(ctx)
			_, _ = v.Wait(ctx)
		}
	}
	var all sync.WaitGroup
	for range at {
		all.Go(waits)
	}
	inside := Submit(p, deadline.Normal, func(context.Context) (int, error) { waits(); return 0, nil })
	all.Wait()
	<-inside.Done()
	for name, j := range map[string]*Job{"job": &u.ctx.job, "link": &v.ctx.job} {
		n := 0
		for w := j.waiters.Load(); w != nil; w = w.next {
			n++
		}
		if n > 10*at {
			t.Errorf("%s: %d waiters after %d waits, %d at a time", name, n, (at+1)*rounds, at+1)
		}
	}
	close(gate)
	if n, err := v.Wait(context.Background()); n != 2 || err != nil {
		t.Error(n, err)
	}
	_ = p.Close(context.Background())
}

// What Notify has arranged outlives the end of an earlier run that comes late, and does not wait for a later run.
func TestNotifyIsOfItsRun(t *testing.T) {
	p := New(Options{Workers: -1})
	defer func() { _ = p.Close(context.Background()) }()
	var calls atomic.Int32
	note := func() { calls.Add(1) }
	want := func(when string, n int32) {
		t.Helper()
		if calls.Load() != n {
			t.Errorf("%s: %d calls, not %d", when, calls.Load(), n)
		}
	}
	var j Job
	j.Func = func(*Worker) {
		n := calls.Load()
		j.Notify(note)
		j.wake() // as the end of an earlier run does that comes late
		j.wake()
		want("before the end", n)
	}
	for n := range int32(3) {
		p.Submit(&j)
		_ = j.Wait(context.Background())
		want("after it", n+1)
	}
	j.Notify(note)
	want("of a job that has finished", 4)

	// Its end takes the notice off the list, and calls it when the job has been submitted again.
	var late *waiter
	j.Func = func(*Worker) { j.Notify(note); late = j.waiters.Swap(nil) }
	p.Submit(&j)
	_ = j.Wait(context.Background())
	p.Submit(&j)
	late.call()
	want("late", 5)
	_ = j.Wait(context.Background())

	var k Job
	k.Func = func(*Worker) { k.wake(); want("in the first run", 5) }
	k.Notify(note)
	p.Submit(&k)
	_ = k.Wait(context.Background())
	want("after it", 6)
}

// The end of a fork's earlier run may come to the waiters late, and call that of a later run: who joins that one sleeps
// on, and is woken by its end all the same.
func TestALateEndOfAnEarlierRunDoesNotStrandAJoiner(t *testing.T) {
	if !threads {
		t.Skip("no threads")
	}
	p := New(Options{Workers: 2})
	defer p.Close(context.Background())
	gate := make(chan struct{})
	var stolen atomic.Bool
	var fork Job
	j := Job{Func: func(w *Worker) {
		fork.Func = func(v *Worker) {
			if v != w {
				stolen.Store(true)
				<-gate
			}
		}
		for !stolen.Load() {
			w.Fork(&fork)
			runtime.Gosched()
			if w.Unfork(&fork) {
				continue
			}
			w.Join(&fork)
		}
	}}
	p.Submit(&j)
	until := func(what string, f func() bool) {
		for end := time.Now().Add(2 * time.Minute); !f(); time.Sleep(100 * time.Microsecond) {
			if time.Now().After(end) {
				t.Fatal(what)
			}
		}
	}
	for range 3 {
		until("the joiner has no waiter", func() bool {
			return fork.waiters.Load() != nil && p.classes[ordinary].joining.Load() != 0
		})
		fork.wake()
	}
	close(gate)
	until("the joiner sleeps on", func() bool { return j.State() == Finished })
}

// A job is its owner's again as soon as somebody has canceled it, even if Submit has not returned. (The race detector
// sees who does not know that.)
func TestACanceledJobMayBeChanged(t *testing.T) {
	p := New(Options{Workers: 1})
	for range 300 {
		j := Job{Func: func(*Worker) {}}
		changed := make(chan struct{})
		go func() {
			defer close(changed)
			for j.State() == Fresh {
				runtime.Gosched()
			}
			if j.Cancel() {
				j.Priority = deadline.Low
			}
		}()
		p.Submit(&j)
		<-changed
	}
	_ = p.Close(context.Background())
}

// A worker that is not wanted any more leaves, also if a fork of its own has once been stolen: a job between two of a
// pool that always has more to do asks whether it might.
func TestAWorkerWhoseForksWereStolenMayLeave(t *testing.T) {
	if !threads {
		t.Skip("no threads")
	}
	p := New(Options{Workers: 2})
	defer p.Close(context.Background())
	free := false
	j := Job{Func: func(w *Worker) {
		var stolen atomic.Bool
		fork := Job{Func: func(v *Worker) { stolen.Store(v != w) }}
		for !stolen.Load() {
			w.Fork(&fork)
			runtime.Gosched()
			w.Join(&fork)
		}
		for stolen.Load() { // until one is not: then it was its own until Join
			w.Fork(&fork)
			leaves := w.retire()
			w.Join(&fork)
			if leaves && !stolen.Load() {
				t.Error("a worker would leave with a fork of its own")
			}
		}
		free = w.retire()
	}}
	p.Submit(&j)
	for j.State() != Finished { // no Wait, which might run it here
		runtime.Gosched()
	}
	if err := j.Err(); err != nil || !free {
		t.Errorf("%v; without forks it would leave: %v", err, free)
	}
}

// What the documentation says of memory, on 64-bit systems.
func TestSizesAreAsDocumented(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) != 8 {
		t.Skip("other sizes")
	}
	for _, c := range []struct {
		what           string
		got, low, high uintptr
	}{
		{"a Queue's place, besides a value", unsafe.Sizeof(mpmc.Cell[[8]byte]{}) - 8, 8, 8},
		{"a Queue's place for an empty value", unsafe.Sizeof(mpmc.Cell[struct{}]{}), 16, 16},
		{"a Group's function", unsafe.Sizeof(groupJob{}), 170, 200},
	} {
		if c.got < c.low || c.got > c.high {
			t.Errorf("%s takes %d bytes, not %d to %d", c.what, c.got, c.low, c.high)
		}
	}
}

// A job that is submitted again and again ends every wait, though other waits give up. Their tickets stay in its list.
func TestWaitsForAJobThatRunsAgain(t *testing.T) {
	p := New(Options{Workers: 1})
	gate := make(chan struct{})
	j := Job{Func: func(*Worker) { <-gate }}
	live, end := context.WithCancel(context.Background()) // so that the worker runs it
	defer end()
	for round := range 300 {
		p.Submit(&j)
		var all sync.WaitGroup
		for range 2 {
			all.Go(func() {
				ctx, cancel := context.WithCancel(context.Background())
				cancel()
				_ = j.Wait(ctx)
				if err := j.Wait(live); err != nil {
					t.Error(err)
				}
			})
		}
		if round%2 == 0 {
			runtime.Gosched()
		}
		gate <- struct{}{}
		all.Wait()
	}
	_ = p.Close(context.Background())
}
