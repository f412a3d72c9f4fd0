package workers_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/workers"
)

// In these tests a job's cost is a time.Sleep in a bubble, so it is exact.

const ms = time.Millisecond

func costing(d time.Duration, log *[]string, name string) *workers.Job {
	return &workers.Job{Label: name, Func: func(*workers.Worker) {
		time.Sleep(d)
		*log = append(*log, name)
	}}
}

func bubble(t *testing.T, o workers.Options, f func(t *testing.T, p *workers.Pool)) {
	synctest.Test(t, func(t *testing.T) {
		o.Park = workers.ParkChan
		p := workers.New(o)
		defer mustClose(t, p)
		f(t, p)
	})
}

func TestRunUntilRunsWhatFits(t *testing.T) {
	bubble(t, workers.Options{Workers: -1}, func(t *testing.T, p *workers.Pool) {
		var log []string
		frame := func(d time.Duration, jobs ...*workers.Job) string {
			for _, j := range jobs {
				p.Submit(j)
			}
			log = nil
			begin := time.Now()
			n := p.RunUntil(deadline.In(d))
			return fmt.Sprintf("%d jobs [%s] in %v", n, strings.Join(log, " "), time.Since(begin))
		}
		job := func(d time.Duration, name string) *workers.Job { return costing(d, &log, name) }
		// Of unknown kinds one is tried in each call, even if it overruns.
		long := job(8*ms, "long")
		if got, want := frame(4*ms, long, job(ms, "short")), "1 jobs [long] in 8ms"; got != want {
			t.Errorf("first frame: %s, want %s", got, want)
		}
		// Now long is known not to fit, and short is tried.
		if got, want := frame(4*ms, long), "1 jobs [short] in 1ms"; got != want {
			t.Errorf("second frame: %s, want %s", got, want)
		}
		// What fits runs, in order, and predictions are rounded up; the one that does not fit waits for a
		// longer slice.
		short := make([]*workers.Job, 5)
		for i := range short {
			short[i] = job(ms, "short")
			short[i].Priority = deadline.UserBlocking
		}
		if got, want := frame(5*ms, short...), "4 jobs [short short short short] in 4ms"; got != want {
			t.Errorf("third frame: %s, want %s", got, want)
		}
		if got, want := frame(20*ms), "2 jobs [short long] in 9ms"; got != want {
			t.Errorf("fourth frame: %s, want %s", got, want)
		}
		if got, want := frame(0, long), "0 jobs [] in 0s"; got != want {
			t.Errorf("frame without time: %s, want %s", got, want)
		}
		if got, want := frame(time.Hour), "1 jobs [long] in 8ms"; got != want {
			t.Errorf("last frame: %s, want %s", got, want)
		}
	})
}

func TestRunUntilTakesTheUrgentFirst(t *testing.T) {
	bubble(t, workers.Options{Workers: -1}, func(t *testing.T, p *workers.Pool) {
		var log []string
		for _, prio := range []deadline.Priority{deadline.Low, deadline.Immediate, deadline.Idle, deadline.UserBlocking,
			deadline.Normal} {
			p.Go(prio, func() { log = append(log, prio.String()) })
		}
		p.RunUntil(deadline.Deadline{})
		if got, want := strings.Join(log, " "), "immediate user-blocking normal low idle"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}

// The frame helps: it runs beside a worker what fits, and leaves the worker what does not.
func TestRunUntilBesideAWorker(t *testing.T) {
	bubble(t, workers.Options{Workers: 1}, func(t *testing.T, p *workers.Pool) {
		job := func() *workers.Job {
			return &workers.Job{Label: "chunk", Func: func(*workers.Worker) { time.Sleep(2 * ms) }}
		}
		first := job()
		p.Submit(first)
		synctest.Wait()
		time.Sleep(2 * ms)
		synctest.Wait() // the worker has learned the kind
		jobs := make([]*workers.Job, 10)
		for i := range jobs {
			jobs[i] = job()
			p.Submit(jobs[i])
		}
		synctest.Wait() // the worker has one
		if n := p.RunUntil(deadline.In(5 * ms)); n != 2 {
			t.Errorf("the frame ran %d jobs of 2 ms in 5 ms, want 2", n)
		}
		begin := time.Now()
		for _, j := range jobs {
			<-waitFor(j)
		}
		if d := time.Since(begin); d > 14*ms {
			t.Errorf("the worker took %v for the rest", d)
		}
	})
}

func waitFor(j *workers.Job) <-chan struct{} {
	done := make(chan struct{})
	go func() {
		defer close(done)
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		_ = j.Wait(ctx)
	}()
	return done
}

func TestRunUntilSurvivesItsJobs(t *testing.T) {
	for _, locked := range []bool{false, true} {
		if locked {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
		}
		panics := 0
		p := workers.New(workers.Options{Workers: -1, OnPanic: func(*workers.PanicError) { panics++ }})
		jobs := make([]workers.Job, 30)
		ran := 0
		for i := range jobs {
			jobs[i].Func = []func(*workers.Worker){
				func(*workers.Worker) { runtime.Goexit() },
				func(*workers.Worker) { panic("boom") },
				func(*workers.Worker) { ran++ },
			}[i%3]
			p.Submit(&jobs[i])
			p.Go(deadline.Low, runtime.Goexit)
			p.Go(deadline.Low, func() { panic("boom") })
		}
		if n := p.RunUntil(deadline.Deadline{}); n != 90 || ran != 10 || panics != 30 {
			t.Errorf("ran %d, %d returned, %d panics, want 90, 10, 30", n, ran, panics)
		}
		for i := range jobs {
			var pe *workers.PanicError
			switch err := jobs[i].Err(); {
			case i%3 == 0 && err != workers.ErrGoexit, i%3 == 1 && !errors.As(err, &pe), i%3 == 2 && err != nil:
				t.Errorf("job %d: %v", i, err)
			}
		}
		mustClose(t, p)
	}
}

// A job that yields goes on in later calls, so a frame is not frozen where there are no workers.
func TestYieldSlicesAJobWithoutWorkers(t *testing.T) {
	bubble(t, workers.Options{Workers: -1}, func(t *testing.T, p *workers.Pool) {
		var log []string
		j := workers.Job{Label: "generate", Func: func(w *workers.Worker) {
			for i := range 10 {
				time.Sleep(ms)
				log = append(log, fmt.Sprint(i))
				for w.ShouldYield() {
					w.Yield()
				}
			}
		}}
		p.Submit(&j)
		for j.State() != workers.Finished {
			begin := time.Now()
			p.RunUntil(deadline.In(4 * ms))
			if d := time.Since(begin); d > 4*ms {
				t.Errorf("a slice of 4 ms took %v", d)
			}
			log = append(log, "|")
			p.Go(deadline.Immediate, func() { log = append(log, "urgent") })
		}
		p.RunUntil(deadline.Deadline{})
		if got, want := strings.Join(log, " "), "0 1 2 3 | urgent 4 5 6 7 | urgent 8 9 | urgent"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

func TestYieldedJobsEnd(t *testing.T) {
	endless := func(log *int) *workers.Job {
		return &workers.Job{Func: func(w *workers.Worker) {
			defer func() { *log++ }()
			for range 100 {
				*log++
				w.Yield()
			}
		}}
	}
	// Wait continues it.
	p := workers.New(workers.Options{Workers: -1})
	n := 0
	j := endless(&n)
	p.Submit(j)
	p.RunUntil(deadline.Deadline{})
	if j.State() != workers.Running {
		t.Errorf("state %v after one slice", j.State())
	}
	if err := j.Wait(background); err != nil || n != 101 {
		t.Errorf("Wait: %v after %d steps", err, n)
	}
	// So does Close.
	n = 0
	p.Submit(j)
	p.RunUntil(deadline.Deadline{})
	mustClose(t, p)
	if n != 101 {
		t.Errorf("Close let it make %d steps of 101", n)
	}
	// Unless there is no time: then it is unwound.
	p = workers.New(workers.Options{Workers: -1})
	n = 0
	p.Submit(j)
	p.RunUntil(deadline.Deadline{})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := p.Close(ctx); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "1 jobs dropped") {
		t.Errorf("Close = %v, want one that wraps Canceled and counts the job", err)
	}
	if err := j.Err(); !errors.Is(err, workers.ErrClosed) || n != 2 {
		t.Errorf("unwound with %v after %d steps, want ErrClosed after 2", err, n)
	}
	// A panic and a Goexit in a later slice are the job's.
	p = workers.New(workers.Options{Workers: -1})
	defer mustClose(t, p)
	for _, end := range []func(){runtime.Goexit, func() { panic("boom") }} {
		k := &workers.Job{Func: func(w *workers.Worker) { w.Yield(); end() }}
		p.Submit(k)
		p.RunUntil(deadline.Deadline{})
		if err := k.Wait(background); err == nil {
			t.Error("no error")
		}
	}
}

// On a worker, Yield runs what is more urgent, there and then.
func TestYieldOnAWorkerRunsTheUrgent(t *testing.T) {
	p := workers.New(workers.Options{Workers: 1})
	defer mustClose(t, p)
	started, submitted := make(chan struct{}), make(chan struct{})
	var log []string
	j := workers.Job{Priority: deadline.Low, Func: func(w *workers.Worker) {
		if w.ShouldYield() {
			t.Error("ShouldYield with nothing queued")
		}
		close(started)
		<-submitted
		if !w.ShouldYield() {
			t.Error("ShouldYield is false with an urgent job queued")
		}
		w.Yield()
		log = append(log, "low")
	}}
	p.Submit(&j)
	<-started
	p.Go(deadline.Idle, func() { log = append(log, "idle") })
	p.Go(deadline.Immediate, func() { log = append(log, "immediate") })
	p.Go(deadline.Immediate, runtime.Goexit)
	p.Go(deadline.UserBlocking, func() { log = append(log, "user-blocking") })
	close(submitted)
	mustClose(t, p)
	if got, want := strings.Join(log, " "), "immediate user-blocking low idle"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A lane that waits for longer than its timeout goes first, once.
func TestOverdueLaneGoesFirst(t *testing.T) {
	o := workers.Options{Workers: 1, Timeouts: deadline.Timeouts{Normal: 20 * ms}}
	bubble(t, o, func(t *testing.T, p *workers.Pool) {
		var log []string
		for i := range 12 {
			p.Go(deadline.Immediate, func() { time.Sleep(5 * ms); log = append(log, fmt.Sprint(i)) })
		}
		p.Go(deadline.Normal, func() { log = append(log, "normal") })
		p.Go(deadline.Low, func() { log = append(log, "low") })
		time.Sleep(time.Second)
		synctest.Wait()
		// Seen waiting after the first job, at 5 ms; overdue after 25.
		if got, want := strings.Join(log, " "), "0 1 2 3 4 5 normal 6 7 8 9 10 11 low"; got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	})
}

func TestPoolInVirtualTime(t *testing.T) {
	bubble(t, workers.Options{Workers: 3}, func(t *testing.T, p *workers.Pool) {
		begin := time.Now()
		p.BeginFrame()
		p.Prime()
		p.ParallelFor(4, 1, func(lo, hi int) { time.Sleep(time.Duration(hi-lo) * 10 * ms) })
		p.EndFrame()
		if d := time.Since(begin); d != 10*ms {
			t.Errorf("four pieces of 10 ms on four goroutines took %v", d)
		}
		f := workers.Submit(p, deadline.Normal, func() (int, error) { time.Sleep(time.Hour); return 1, nil })
		if v, err := f.Wait(t.Context()); v != 1 || err != nil || time.Since(begin) < time.Hour {
			t.Errorf("%d, %v after %v", v, err, time.Since(begin))
		}
	})
}

// Where a worker will learn what a new kind costs, the frame does not risk it.
func TestRunUntilLeavesNewKindsToWorkers(t *testing.T) {
	bubble(t, workers.Options{Workers: 1}, func(t *testing.T, p *workers.Pool) {
		p.Go(deadline.Immediate, func() { time.Sleep(100 * ms) })
		synctest.Wait() // the worker has it
		var log []string
		decode := func() *workers.Job { return costing(40*ms, &log, "decode") }
		p.Submit(decode())
		begin := time.Now()
		if n := p.RunUntil(deadline.In(10 * ms)); n != 0 || time.Since(begin) != 0 {
			t.Errorf("the frame ran %d jobs of a new kind for %v", n, time.Since(begin))
		}
		time.Sleep(140 * ms)
		synctest.Wait()
		if len(log) != 1 {
			t.Errorf("the worker ran %d jobs, want 1", len(log))
		}
		p.Go(deadline.Immediate, func() { time.Sleep(100 * ms) })
		synctest.Wait()
		p.Submit(decode())
		if n := p.RunUntil(deadline.In(time.Hour)); n != 1 {
			t.Errorf("the frame ran %d jobs of a known kind that fits, want 1", n)
		}
		p.Go(deadline.Normal, func() {})
		if n := p.RunUntil(deadline.Deadline{}); n != 1 {
			t.Errorf("without an end the frame ran %d jobs, want 1", n)
		}
	})
}

// What does not fit does not keep what does from running, in the same lane either, however much there is.
func TestMisfitsDoNotBlockTheirLane(t *testing.T) {
	bubble(t, workers.Options{Workers: -1}, func(t *testing.T, p *workers.Pool) {
		var log []string
		for _, j := range []*workers.Job{costing(8*ms, &log, "long"), costing(ms, &log, "short")} {
			p.Submit(j)
			p.RunUntil(deadline.Deadline{})
		}
		log = nil
		for range 3 {
			p.Submit(costing(8*ms, &log, "long"))
		}
		p.Submit(costing(ms, &log, "short"))
		if n := p.RunUntil(deadline.In(4 * ms)); n != 1 {
			t.Errorf("ran %d jobs behind three that do not fit, want 1", n)
		}
		for range 7 {
			p.Submit(costing(8*ms, &log, "long"))
		}
		p.Submit(costing(ms, &log, "short"))
		calls := 1
		for ; calls < 20 && p.RunUntil(deadline.In(4*ms)) == 0; calls++ {
		}
		if calls > 4 {
			t.Errorf("the short job behind ten that do not fit ran in call %d, want at most 4", calls)
		}
		p.RunUntil(deadline.Deadline{})
		if got := strings.Count(strings.Join(log, " "), "long"); got != 10 {
			t.Errorf("ran %d long jobs, want 10", got)
		}
	})
}

// A job that waits for one that RunUntil takes and puts back must not take it for running: it may be the only
// one who can run it.
func TestWaitForAJobThatRunUntilPutsBack(t *testing.T) {
	p := workers.New(workers.Options{Workers: 1})
	defer mustClose(t, p)
	stop := make(chan struct{})
	stopped := make(chan struct{})
	// Known to be too long.
	dear := workers.Job{Label: "dear", Func: func(*workers.Worker) { time.Sleep(2 * ms) }}
	p.Submit(&dear)
	if err := dear.Wait(background); err != nil {
		t.Error(err)
	}
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
				p.RunUntil(deadline.In(ms))
			}
		}
	}()
	rounds := 100
	if testing.Short() {
		rounds = 30
	}
	var done atomic.Int64
	p.Submit(&workers.Job{Label: "waiter", Func: func(w *workers.Worker) {
		for range rounds {
			p.Submit(&dear)
			if dear.State() == workers.Running {
				t.Error("a job that only this worker will run is running")
			}
			for range 20 {
				runtime.Gosched()
			}
			if err := dear.Wait(background); err != nil {
				t.Error(err)
			}
			done.Add(1)
		}
	}})
	eventually(t, "all rounds", func() bool { return done.Load() == int64(rounds) })
	close(stop)
	<-stopped
}

// Cancel never takes a job that is only being looked at for one that runs.
func TestCancelOfAJobThatRunUntilPutsBack(t *testing.T) {
	p := workers.New(workers.Options{Workers: -1})
	defer mustClose(t, p)
	dear := workers.Job{Label: "dear", Func: func(*workers.Worker) { time.Sleep(2 * ms) }}
	p.Submit(&dear)
	p.RunUntil(deadline.Deadline{})
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
				p.RunUntil(deadline.In(ms))
			}
		}
	}()
	for range 20000 {
		p.Submit(&dear)
		if !dear.Cancel() {
			t.Error("a job that never fits could not be canceled")
			break
		}
	}
	close(stop)
	<-stopped
}

// Urgent work that waits in a worker's own queue is urgent work.
func TestYieldSeesWorkersQueues(t *testing.T) {
	p := workers.New(workers.Options{Workers: 1})
	defer mustClose(t, p)
	j := workers.Job{Priority: deadline.Low, Func: func(w *workers.Worker) {
		ran := false
		w.Go(deadline.Immediate, func() { ran = true })
		if !w.ShouldYield() {
			t.Error("ShouldYield is false with an urgent job in the worker's queue")
		}
		if w.Yield(); !ran || w.ShouldYield() {
			t.Errorf("after Yield: ran %v, ShouldYield %v", ran, w.ShouldYield())
		}
	}}
	p.Submit(&j)
	<-waitFor(&j)
}

// A handler that panics leaves the pool as it should be.
func TestPanicInOnPanic(t *testing.T) {
	o := workers.Options{Workers: -1, OnPanic: func(pe *workers.PanicError) { panic(pe) }}
	bubble(t, o, func(t *testing.T, p *workers.Pool) {
		s := p.Seat()
		for _, runUntil := range []func(deadline.Deadline) int{p.RunUntil, s.RunUntil} {
			p.Go(deadline.Normal, func() { panic("boom") })
			func() {
				defer func() {
					if recover() == nil {
						t.Error("no panic")
					}
				}()
				runUntil(deadline.Deadline{})
			}()
			ran := false
			p.Go(deadline.Normal, func() { ran = true })
			if runUntil(deadline.Deadline{}); !ran {
				t.Error("the job after the panic did not run")
			}
		}
		s.Close()
	})
}
