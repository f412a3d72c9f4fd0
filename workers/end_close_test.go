package workers_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/bridge"
	"github.com/frameslice/frameslice/internal/testkit"
	"github.com/frameslice/frameslice/workers"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// A job of one pool that runs within a job of another, because that waits for it, runs nonetheless.
func TestCloseCountsAJobNestedInAnotherPoolsJob(t *testing.T) {
	needsWorkers(t)
	outer, inner := workers.New(workers.Options{Workers: 1}), workers.New(workers.Options{Workers: -1})
	defer mustClose(t, outer)
	started, release := make(chan struct{}), make(chan struct{})
	j := workers.Job{Func: func(*workers.Worker) { close(started); <-release }}
	inner.Submit(&j)
	var err error
	waiter := workers.Job{Func: func(*workers.Worker) { err = j.Wait(background) }}
	outer.Submit(&waiter)
	<-started
	if err := inner.Close(over); !errors.Is(err, context.Canceled) {
		t.Errorf("Close = %v while a job runs, want Canceled", err)
	}
	close(release)
	mustClose(t, inner)
	if <-waitFor(&waiter); err != nil {
		t.Error(err)
	}
}

// A Close with time enough runs every job that was accepted, and all that these submit. It may be called outside, or in
// one job or two. These jobs may have the only worker, or be in RunUntil.
func TestCloseDropsNothing(t *testing.T) {
	for _, closers := range []int{0, 1, 2} {
		for _, visit := range []bool{false, true} {
			each(t, func(t *testing.T, p *workers.Pool) { closeDropsNothing(t, p, closers, visit) })
		}
	}
}

func closeDropsNothing(t *testing.T, p *workers.Pool, closers int, visit bool) {
	var ran atomic.Int64
	var spawn func(depth int) func(w *workers.Worker)
	spawn = func(depth int) func(w *workers.Worker) {
		return func(w *workers.Worker) {
			ran.Add(1)
			if depth == 0 {
				return
			}
			w.Go(deadline.Priorities()[depth%5], func() { ran.Add(1) })
			for i := range 3 {
				w.Submit(&workers.Job{Priority: deadline.Priorities()[(depth+i)%5], Func: spawn(depth - 1)})
			}
		}
	}
	open := make(chan struct{}) // the closers begin first, and wait until all is queued
	all := make([]workers.Job, closers)
	for i := range all {
		all[i] = workers.Job{Priority: deadline.Immediate - deadline.Priority(2*i), Func: func(*workers.Worker) {
			<-open
			if err := p.Close(background); err != nil {
				t.Errorf("in closer %d: %v", i, err)
			}
		}}
		p.Submit(&all[i])
	}
	for _, prio := range deadline.Priorities() {
		p.Submit(&workers.Job{Priority: prio, Func: spawn(5)})
	}
	close(open)
	testkit.Within(t, "Close", func() {
		if visit {
			p.RunUntil(deadline.Deadline{})
		}
		mustClose(t, p)
	})
	for i := range all {
		if all[i].State() != workers.Finished || all[i].Err() != nil {
			t.Errorf("closer %d is %v", i, all[i].State())
		}
	}
	const each = 364 + 121 // jobs, and what those that submit have by Go
	var s workers.Stats
	if p.Stats(&s); ran.Load() != 5*each || s.Dropped != 0 {
		t.Errorf("%d ran of %d, %d dropped", ran.Load(), 5*each, s.Dropped)
	}
}

// Every verb of a pool that has been closed returns, and says that it was closed if there is something to say.
// Those that run on their caller continue working.
func TestClosedPoolStillAnswers(t *testing.T) {
	each(t, func(t *testing.T, p *workers.Pool) {
		runner := bridge.Of(p).Runner(nil)
		defer runner.Close()
		mustClose(t, p)
		mustClose(t, p)
		nothing := func(context.Context) (int, error) { t.Error("it ran"); return 0, nil }
		closed := func(what string, err error) {
			if !errors.Is(err, workers.ErrClosed) {
				t.Errorf("%s: %v", what, err)
			}
		}
		testkit.Within(t, "a verb", func() {
			p.Go(deadline.Normal, func() { t.Error("it ran") })
			j := workers.Job{Func: func(*workers.Worker) { t.Error("it ran") }}
			p.Submit(&j)
			closed("Job", j.Wait(background))
			if j.Cancel() {
				t.Error("a finished job was canceled")
			}
			f := workers.Submit(p, deadline.Normal, nothing)
			_, err := f.Result()
			closed("Submit", err)
			<-f.Done()
			_, err = workers.Then(f, func(context.Context, int) (int, error) { return nothing(background) }).Result()
			closed("Then", err)
			n := 0
			p.ParallelFor(10, 1, func(lo, hi int) { n += hi - lo })
			workers.Join(p, func() { n++ })
			must(grouped(p, background, func(g *workers.Group) {
				g.Go(func(context.Context) error { n++; return nil })
			}))
			if n != 12 {
				t.Errorf("what runs on the caller did %d of 12", n)
			}
			p.BeginFrame()
			if ran := p.RunUntil(deadline.Deadline{}) + runner.RunUntil(deadline.Deadline{}); ran != 0 {
				t.Errorf("RunUntil ran %d", ran)
			}
			p.EndFrame()
			var s workers.Stats
			p.Stats(&s)
			p.Profile(new(workers.Profile))
			if s.Dropped == 0 {
				t.Error("nothing counts as dropped")
			}
		})
	})
}

// Close in a job says what else runs when its context is done, and nothing of its own job.
func TestCloseInAJobSaysWhatStillRuns(t *testing.T) {
	needsWorkers(t)
	p := workers.New(workers.Options{Workers: 2})
	gate, started := make(chan struct{}), make(chan struct{})
	p.Submit(&workers.Job{Label: "other", Func: func(*workers.Worker) { close(started); <-gate }})
	<-started
	var err error
	done := make(chan struct{}) // not Wait, which would run it right here
	p.Submit(&workers.Job{Label: "closer", Func: func(*workers.Worker) {
		defer close(done)
		over, cancel := context.WithCancelCause(background)
		cancel(errors.New("enough"))
		err = p.Close(over)
	}})
	testkit.Within(t, "Close in a job", func() { <-done })
	if err == nil || !strings.Contains(err.Error(), "other") || strings.Contains(err.Error(), "closer") ||
		!strings.Contains(err.Error(), "enough") {
		t.Errorf("Close said %v", err)
	}
	close(gate)
	mustClose(t, p)
}

// Close in a job whose context is done, beside nothing, has nothing to say. But a worker of low OS priority that looks
// for jobs may stay without a processor for longer than Close waits, beside other programs.
func TestCloseInAJobWithNothingBesideIt(t *testing.T) {
	each(t, func(t *testing.T, p *workers.Pool) {
		var s workers.Stats
		p.Stats(&s)
		var err error
		j := &workers.Job{Func: func(*workers.Worker) {
			err = p.Close(over)
		}}
		p.Submit(j)
		e := j.Wait(background)
		if s.Background > 0 && err != nil && strings.Contains(err.Error(), "0 jobs dropped; some still running") {
			err = nil
		}
		if e != nil || err != nil {
			t.Errorf("the job: %v; Close: %v", e, err)
		}
	})
}

// The caller of a Group's Wait is no job: it has run one, sleeps until the other has ended, and that one closes the
// pool.
func TestCloseWhileTheCallerOfWaitSleeps(t *testing.T) {
	needsWorkers(t)
	bubble(t, workers.Options{Workers: 1}, func(t *testing.T, p *workers.Pool) {
		begun, helped := make(chan struct{}), make(chan struct{})
		g := p.NewGroup(background, deadline.Normal)
		g.Go(func(context.Context) error {
			close(begun)
			<-helped
			return p.Close(background)
		})
		<-begun
		g.Go(func(context.Context) error { // the worker is within the other one: so this is the caller
			close(helped)
			return nil
		})
		if err := g.Wait(); err != nil {
			t.Error(err)
		}
	})
}

// OnPanic may close the pool, on whatever goroutine the function panicked that has no owner.
func TestCloseInOnPanic(t *testing.T) {
	for name, o := range shapes {
		t.Run(name, func(t *testing.T) {
			var p *workers.Pool
			closed := make(chan error, 1)
			o.OnPanic = func(*workers.PanicError) { closed <- p.Close(background) }
			p = workers.New(o)
			p.Go(deadline.Normal, func() { panic("boom") })
			testkit.Within(t, "Close in OnPanic", func() {
				p.RunUntil(deadline.Deadline{})
				must(<-closed)
				mustClose(t, p)
			})
		})
	}
}

// Close that gives up drops what is queued. It says how much, what still runs and why. Another Close waits for that.
func TestCloseGivesUp(t *testing.T) {
	for name, o := range map[string]workers.Options{
		"ordinary": {Workers: 1}, "background": {Workers: -1, Background: 1}, "RunUntil": {Workers: -1},
	} {
		p := workers.New(o)
		running := "stuck job"
		started, release := make(chan struct{}), make(chan struct{})
		stuck := workers.Job{Label: running, Func: func(*workers.Worker) { close(started); <-release }}
		p.Submit(&stuck)
		var s workers.Stats
		if p.Stats(&s); s.Workers+s.Background == 0 {
			running = "1 in RunUntil, Wait or Close"
			go p.RunUntil(deadline.Deadline{})
		}
		<-started
		queued := answer(p)
		p.Go(deadline.Low, func() { t.Error("a dropped function ran") })
		err := giveUp(p)
		if want := "workers: Close: 2 jobs dropped; still running: " + running + ": enough"; fmt.Sprint(err) != want {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
		if _, err := queued.Result(); !errors.Is(err, workers.ErrClosed) {
			t.Errorf("%s: the queued future got %v, want ErrClosed", name, err)
		}
		close(release)
		mustClose(t, p)
		if err := giveUp(p); err != nil || stuck.Err() != nil {
			t.Errorf("%s: afterwards %v; the stuck job ended with %v", name, err, stuck.Err())
		}
		if p.Stats(&s); s.Dropped != 2 {
			t.Errorf("%s: %d dropped, want 2", name, s.Dropped)
		}
	}
}

// giveUp closes p with a context that is done.
func giveUp(p *workers.Pool) error {
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errors.New("enough"))
	return p.Close(ctx)
}

// What a background worker holds back for a late frame does not begin any more when Close has given up, and is counted.
func TestCloseFindsTheJobThatIsHeldBack(t *testing.T) {
	needsWorkers(t)
	p := workers.New(workers.Options{Workers: 1, Background: 1})
	bridge.Of(p).StandBack(deadline.Now().Add(time.Minute))
	j := workers.Job{Func: func(*workers.Worker) { t.Error("it began") }}
	p.Submit(&j)
	testkit.Eventually(t, "the worker has the job in its hands", func() bool {
		var s workers.Stats
		p.Stats(&s)
		return s.Queued[deadline.Normal.Lane()] == 0
	})
	err := giveUp(p)
	mustClose(t, p)
	if !errors.Is(j.Err(), workers.ErrClosed) {
		t.Errorf("the job has ended with %v", j.Err())
	}
	if err == nil || !strings.Contains(err.Error(), "1 job dropped") {
		t.Errorf("Close returned %v", err)
	}
}

// What a job submits that still runs when Close has given up does not begin, also if the job waits for it. Nor does a
// Close in that job wait for it.
func TestWhatALateJobSubmitsIsClosed(t *testing.T) {
	needsWorkers(t)
	for name, o := range shapes {
		p := workers.New(o)
		in, late := make(chan struct{}), make(chan struct{})
		k := workers.Job{Func: func(*workers.Worker) { t.Errorf("%s: it began", name) }}
		var err error
		j := workers.Job{Priority: deadline.Normal, Func: func(w *workers.Worker) {
			close(in)
			<-late
			w.Submit(&k)
			err = k.Wait(background)
			w.Submit(&k)
			must(p.Close(background))
		}}
		p.Submit(&j)
		if o.Workers < 0 && o.Background == 0 {
			go p.RunUntil(deadline.Deadline{})
		}
		<-in
		giveUp(p)
		close(late)
		mustClose(t, p)
		if !errors.Is(err, workers.ErrClosed) {
			t.Errorf("%s: Wait returned %v", name, err)
		}
	}
}
