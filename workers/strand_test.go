package workers_test

import (
	"context"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/workers"
)

// strandOf returns a strand with jobs.
func strandOf(p *workers.Pool) *workers.Strand {
	s := workers.NewStrand(p)
	s.Submit(&workers.Job{Priority: deadline.Low, Func: func(*workers.Worker) {}})
	s.Go(deadline.Idle, func() {})
	return s
}

// The jobs of a strand run in the order of their submission and one at a time, whatever their priorities, while several
// goroutines submit, cancel and wait. Each job runs once, or was canceled.
func TestStrandKeepsTheOrder(t *testing.T) {
	each(t, func(t *testing.T, p *workers.Pool) {
		const producers, each = 3, 200
		s := workers.NewStrand(p)
		var running, ran, canceled atomic.Int32
		var last [producers]int // needs no lock: that is what a strand is for
		var all sync.WaitGroup
		for who := range producers {
			last[who] = -1
			all.Go(func() {
				rng := rand.New(rand.NewPCG(uint64(who), 0))
				ctx, cancel := context.WithCancel(background)
				defer cancel()
				jobs := make([]workers.Job, each)
				for i := range jobs {
					run := func() {
						if running.Add(1) != 1 {
							t.Error("two at a time")
						}
						if last[who] >= i {
							t.Errorf("producer %d: %d after %d", who, i, last[who])
						}
						last[who] = i
						ran.Add(1)
						running.Add(-1)
					}
					prio := deadline.Priorities()[rng.IntN(deadline.NumPriorities)]
					j := &jobs[i]
					if j.Priority, j.Func = prio, func(*workers.Worker) { run() }; rng.IntN(3) == 0 {
						s.Go(prio, run)
						continue
					}
					s.Submit(j)
					switch rng.IntN(6) {
					case 0:
						if j.Cancel() {
							canceled.Add(1)
							if err := j.Err(); err != workers.ErrCanceled {
								t.Error(err)
							}
						}
					case 1:
						if hasWorkers(p) {
							_ = j.Wait(ctx) // sleeps
						} else {
							_ = j.Wait(background) // runs what is before it
						}
						if j.State() != workers.Finished {
							t.Error("not finished:", j.State())
						}
					}
				}
			})
		}
		within(t, "the producers", all.Wait)
		if !hasWorkers(p) {
			for ran.Load()+canceled.Load() < producers*each {
				p.RunUntil(deadline.Deadline{})
			}
		}
		wait(t, func() bool { return ran.Load()+canceled.Load() == producers*each })
	})
}

// wait waits until f is true.
func wait(t *testing.T, f func() bool) {
	t.Helper()
	within(t, "the end", func() {
		for !f() {
			runtime.Gosched()
		}
	})
}

// A strand whose job waits does not hold up another strand, and holds its own jobs back.
func TestStrandsRunAtTheSameTime(t *testing.T) {
	workers.NeedsWorkers(t)
	p := workers.New(workers.Options{Workers: 2})
	defer mustClose(t, p)
	a, b := workers.NewStrand(p), workers.NewStrand(p)
	gate, met := make(chan struct{}), make(chan struct{})
	var early atomic.Bool
	a.Go(deadline.Normal, func() { <-gate; early.Store(false) })
	a.Go(deadline.Immediate, func() { early.Store(true) })
	b.Go(deadline.Normal, func() { close(met) })
	<-met
	if early.Load() {
		t.Error("a job overtook the one before it")
	}
	close(gate)
	wait(t, early.Load)
}

// A job that is behind can be canceled, and submitted again before its old place came up: to the same strand, where it
// is the last then, to another strand, or to the pool. The job whose turn it is can be canceled too.
func TestStrandCancelsAndTakesAgain(t *testing.T) {
	for name, again := range map[string]func(p *workers.Pool, s *workers.Strand, j *workers.Job){
		"the strand": func(_ *workers.Pool, s *workers.Strand, j *workers.Job) { s.Submit(j) },
		"another":    func(p *workers.Pool, _ *workers.Strand, j *workers.Job) { workers.NewStrand(p).Submit(j) },
		"the pool":   func(p *workers.Pool, _ *workers.Strand, j *workers.Job) { p.Submit(j) },
	} {
		p := workers.New(workers.Options{Workers: -1})
		s := workers.NewStrand(p)
		var got []int
		job := func(i int) *workers.Job {
			return &workers.Job{Func: func(*workers.Worker) { got = append(got, i) }}
		}
		jobs := []*workers.Job{job(0), job(1), job(2), job(3)}
		for _, j := range jobs {
			s.Submit(j)
		}
		told := 0
		for _, i := range []int{2, 0} {
			jobs[i].Notify(func() { told++ })
			if !jobs[i].Cancel() || jobs[i].Err() != workers.ErrCanceled || jobs[i].Cancel() {
				t.Errorf("%s: job %d: %v", name, i, jobs[i].Err())
			}
			again(p, s, jobs[i])
		}
		p.RunUntil(deadline.Deadline{})
		want := []int{1, 3, 2, 0}
		if name != "the strand" {
			slices.Sort(got)
			want = []int{0, 1, 2, 3}
		}
		if !slices.Equal(got, want) || told != 2 {
			t.Errorf("again to %s: %v ran, want %v; %d told", name, got, want, told)
		}
		mustClose(t, p)
	}
}

// Close runs what a strand has accepted, also what was behind a job that is canceled at that moment. When its context
// ends, what is behind ends with ErrClosed after the job that runs, and what comes later at once.
func TestStrandAndClose(t *testing.T) {
	rounds := 300
	if testing.Short() {
		rounds = 50
	}
	for shape, o := range few {
		for range rounds {
			p := workers.New(o)
			s := workers.NewStrand(p)
			var ran atomic.Int32
			first := &workers.Job{Func: func(*workers.Worker) { ran.Add(1) }}
			s.Submit(first)
			const behind = 20
			for range behind {
				s.Go(deadline.Normal, func() { ran.Add(1) })
			}
			var canceled atomic.Int32
			var others sync.WaitGroup
			others.Go(func() {
				if first.Cancel() {
					canceled.Add(1)
				}
			})
			within(t, shape, func() { mustClose(t, p) })
			others.Wait()
			if n := ran.Load() + canceled.Load(); n != behind+1 {
				t.Fatalf("on %s: %d of %d", shape, n, behind+1)
			}
		}
	}
	synctest.Test(t, func(t *testing.T) {
		p := workers.New(workers.Options{Workers: 1})
		onWorker := hasWorkers(p)
		s := workers.NewStrand(p)
		gate := make(chan struct{})
		s.Go(deadline.Normal, func() { <-gate })
		const many = 100_000 // no recursion from one to the next
		futures := make([]*workers.Future[int], many)
		for i := range futures {
			futures[i] = workers.Submit(s, deadline.Normal, func(context.Context) (int, error) { return 0, nil })
		}
		time.AfterFunc(time.Minute, func() { close(gate) })
		ctx, cancel := context.WithTimeout(background, time.Second)
		defer cancel()
		if err := p.Close(ctx); err == nil {
			t.Error("Close lost nothing")
		}
		select {
		case <-futures[0].Done():
			if onWorker { // otherwise Close has run the first job to its end
				t.Error("a job ended before the one that runs")
			}
		default:
		}
		late := workers.Submit(s, deadline.Normal, func(context.Context) (int, error) { return 0, nil })
		s.Go(deadline.Normal, func() { t.Error("ran after Close") })
		must(p.Close(background))
		for _, u := range append(futures, late) {
			if _, err := u.Wait(background); err != workers.ErrClosed {
				t.Fatal(err)
			}
		}
		var st workers.Stats
		if p.Stats(&st); st.Dropped != many+2 {
			t.Errorf("%d dropped, want %d", st.Dropped, many+2)
		}
	})
}

// Close in a job with another one behind waits for that one until its context ends.
func TestCloseInAStrandsJob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := workers.New(workers.Options{Workers: 1})
		s := workers.NewStrand(p)
		gate := make(chan struct{})
		s.Go(deadline.Normal, func() {
			<-gate
			ctx, cancel := context.WithTimeout(background, time.Second)
			defer cancel()
			if begin := time.Now(); p.Close(ctx) == nil || time.Since(begin) < time.Second {
				t.Error("Close did not wait")
			}
		})
		u := workers.Submit(s, deadline.Normal, func(context.Context) (int, error) { return 0, nil })
		close(gate)
		if _, err := u.Wait(background); err != workers.ErrClosed {
			t.Error(err)
		}
		mustClose(t, p)
	})
}

// OnPanic may end its goroutine, panic itself or close the pool: what is behind the job runs.
func TestOnPanicHoldsNoStrandUp(t *testing.T) {
	var p *workers.Pool
	for what, on := range map[string]func(){
		"goexit": runtime.Goexit, "panic": func() { panic("OnPanic") }, "close": func() { must(p.Close(background)) },
	} {
		for _, o := range []workers.Options{{Workers: -1}, {Workers: 1}} {
			told := 0
			o.OnPanic = func(*workers.PanicError) { told++; on() }
			p = workers.New(o)
			if what == "panic" && hasWorkers(p) {
				mustClose(t, p) // that panic ends the process
				continue
			}
			s, gate := workers.NewStrand(p), make(chan struct{})
			s.Go(deadline.Normal, func() { <-gate; panic("x") })
			u := workers.Submit(s, deadline.Normal, func(context.Context) (int, error) { return 7, nil })
			close(gate)
			ended := make(chan any)
			go func() { // Goexit may end it
				defer func() { ended <- recover() }()
				p.RunUntil(deadline.Deadline{})
			}()
			within(t, what, func() {
				<-ended
				p.RunUntil(deadline.Deadline{})
				<-u.Done()
				mustClose(t, p)
			})
			if n, err := u.Wait(background); n != 7 || err != nil || told != 1 {
				t.Errorf("%s: %d, %v; %d told", what, n, err, told)
			}
		}
	}
}

// A strand keeps neither the last job, when it is idle, nor all that a burst of functions took. It finds a job for a
// function among the kept ones, so their number bounds the time too.
func TestAStrandKeepsLittle(t *testing.T) {
	p := workers.New(workers.Options{Workers: -1})
	defer mustClose(t, p)
	s := workers.NewStrand(p)
	u := workers.Submit(s, deadline.Normal, func(context.Context) (*[1 << 20]byte, error) {
		return new([1 << 20]byte), nil
	})
	p.RunUntil(deadline.Deadline{})
	value, _ := u.Wait(background)
	last := weak.Make(value)
	value, u = nil, nil
	p.Go(deadline.Normal, func() {})
	p.RunUntil(deadline.Deadline{}) // what the pool knows of the last job is this one
	if runtime.GC(); last.Value() != nil {
		t.Error("the last value is kept")
	}
	heap := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before, ran := heap(), 0
	const burst = 20_000
	for range burst {
		s.Go(deadline.Normal, func() { ran++ })
	}
	p.RunUntil(deadline.Deadline{})
	if kept := heap() - before; kept > 1<<20 || ran != burst {
		t.Errorf("%d bytes kept after %d functions", kept, ran)
	}
	runtime.KeepAlive(s)
}

// A job may wait for one of a strand though the strand's holder is queued where nobody else takes it, waits itself, or
// is the outer job of the same worker.
func TestWaitsForAStrandNeverHang(t *testing.T) {
	each(t, func(t *testing.T, p *workers.Pool) {
		s := workers.NewStrand(p)
		var order []int
		var inner *workers.Future[int]
		outer := &workers.Job{Func: func(w *workers.Worker) {
			for i := range 10 {
				s.Go(deadline.Low, func() { order = append(order, i) })
			}
			inner = workers.Submit(s, deadline.Low, func(context.Context) (int, error) { return len(order), nil })
			twice := workers.Then(inner, func(_ context.Context, n int) (int, error) { return 2 * n, nil })
			if n, err := twice.Wait(background); n != 20 || err != nil {
				t.Error(n, err)
			}
		}}
		p.Submit(outer)
		within(t, "a job", func() { must(outer.Wait(background)) })

		// Yield runs a job that waits for what is behind the job that yields.
		first := &workers.Job{Func: func(w *workers.Worker) {
			behind := workers.Submit(s, deadline.Low, func(context.Context) (int, error) { return 7, nil })
			w.Go(deadline.Immediate, func() {
				if n, err := behind.Wait(background); n != 7 || err != nil {
					t.Error(n, err)
				}
			})
			w.Yield()
		}}
		s.Submit(first)
		last := workers.Submit(s, deadline.Low, func(context.Context) (int, error) { return 0, nil })
		within(t, "an inner job", func() { _, err := last.Wait(background); must(err) })
	})
}
