package workers_test

import (
	"fmt"
	"strings"
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
		// What fits runs, in order; the one that does not fit waits for a longer slice.
		short := make([]*workers.Job, 6)
		for i := range short {
			short[i] = job(ms, "short")
			short[i].Priority = deadline.UserBlocking
		}
		if got, want := frame(5*ms, short...), "5 jobs [short short short short short] in 5ms"; got != want {
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
	needsWorkers(t)
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

// A lane that waits for longer than its timeout goes first, once.
func TestOverdueLaneGoesFirst(t *testing.T) {
	needsWorkers(t)
	o := workers.Options{Workers: 1}.Aging(deadline.Timeouts{Normal: 20 * ms})
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
	needsWorkers(t)
	bubble(t, workers.Options{Workers: 3}, func(t *testing.T, p *workers.Pool) {
		begin := time.Now()
		p.BeginFrame()
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
	needsWorkers(t)
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
