package workers_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/testkit"
	"github.com/frameslice/frameslice/workers"
)

// A job that yields continues in later calls, so a frame is not frozen where there are no workers.
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

// A job that Close gives up does not continue, whatever it recovers, and whatever it is within.
func TestAJobThatIsGivenUpGoesNoFurther(t *testing.T) {
	for name, within := range map[string]func(p *workers.Pool, w *workers.Worker, step func()){
		"recover": func(_ *workers.Pool, _ *workers.Worker, step func()) {
			for range 3 {
				if v := testkit.Recovered(step); v != nil {
					t.Errorf("the job recovered %v", v)
				}
			}
		},
		"ParallelFor": func(p *workers.Pool, _ *workers.Worker, step func()) {
			p.ParallelFor(3, 1, func(int, int) { step() })
		},
		"Group": func(p *workers.Pool, _ *workers.Worker, step func()) {
			must(grouped(p, background, func(*workers.Group) { step() }))
		},
		"fork": func(_ *workers.Pool, w *workers.Worker, step func()) {
			j := workers.Job{Func: func(*workers.Worker) { step() }}
			w.Fork(&j)
			w.Join(&j)
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := workers.New(workers.Options{Workers: -1})
			ended := 0
			j := workers.Job{Func: func(w *workers.Worker) {
				within(p, w, func() { w.Yield(); ended++ })
			}}
			p.Submit(&j)
			p.RunUntil(deadline.Deadline{})
			if err := p.Close(over); !errors.Is(err, context.Canceled) {
				t.Errorf("Close: %v", err)
			}
			if err := j.Err(); err != workers.ErrClosed || ended != 0 {
				t.Errorf("%v, after %d steps that it had no time for", err, ended)
			}
		})
	}
}

// A Wait for a job that RunUntil has begun continues the job when it has yielded, though nobody tells the waiter.
func TestWaitContinuesTheFirstJobThatYields(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := workers.New(workers.Options{Workers: -1})
		defer mustClose(t, p)
		begun, goOn := make(chan bool), make(chan bool)
		j := workers.Job{Priority: deadline.Low, Func: func(w *workers.Worker) {
			close(begun)
			<-goOn
			w.Yield()
		}}
		p.Submit(&j)
		go p.RunUntil(deadline.Deadline{})
		<-begun
		waited := make(chan error)
		go func() { waited <- j.Wait(background) }()
		synctest.Wait() // it sleeps
		close(goOn)
		select {
		case err := <-waited:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(time.Minute):
			t.Error("nobody continued it")
			p.RunUntil(deadline.Deadline{})
			<-waited
		}
	})
}

// A job that asks ShouldYield fits where its longest stretch between two answers fits. The time after the answer yes
// belongs to that stretch.
func TestAJobFitsWhereItsLongestStretchDoes(t *testing.T) {
	for _, tc := range []struct {
		name              string
		first, then, over time.Duration // before it asks first, before it asks again, after a yes
		fits              time.Duration // the least call into which it fits
	}{
		{"asks and yields", 0, ms, 0, ms},
		{"asks rarely", 0, 4 * ms, 0, 4 * ms},
		{"asks late", 3 * ms, ms, 0, 3 * ms},
		{"asks, and continues", 0, ms, 5 * ms, 6 * ms},
		{"never asks", 7 * ms, 0, 0, 7 * ms},
	} {
		for call := ms; call <= 8*ms; call += ms {
			bubble(t, workers.Options{Workers: -1}, func(t *testing.T, p *workers.Pool) {
				turns := 0
				job := func() *workers.Job {
					return &workers.Job{Label: "job", Func: func(w *workers.Worker) {
						for range 3 {
							turns++
							time.Sleep(tc.first)
							for tc.then > 0 && !w.ShouldYield() {
								time.Sleep(tc.then)
							}
							time.Sleep(tc.over)
							if tc.then == 0 {
								return
							}
							w.Yield()
						}
					}}
				}
				p.Submit(&workers.Job{Label: "other", Func: func(w *workers.Worker) {
					time.Sleep(9 * ms)
					w.ShouldYield()
				}})
				p.RunUntil(deadline.In(12 * ms))
				for range 10 {
					p.Submit(job())
					for range 3 {
						p.RunUntil(deadline.In(12 * ms))
					}
					p.RunUntil(deadline.In(time.Microsecond)) // the end of it
				}
				j := job()
				turns = 0
				p.Submit(j)
				p.RunUntil(deadline.In(call + 100*time.Microsecond))
				if got, want := turns > 0, call >= tc.fits; got != want {
					t.Errorf("%s: it fits into a call of %v: %v, want %v", tc.name, call, got, want)
				}
				for j.State() != workers.Finished {
					p.RunUntil(deadline.In(time.Second))
				}
			})
		}
	}
}

// Stats reports the jobs that no worker takes: without workers all that are queued, and those between two turns.
func TestStatsUnserved(t *testing.T) {
	unserved := func(p *workers.Pool) int {
		var s workers.Stats
		p.Stats(&s)
		return s.Unserved
	}
	p := workers.New(workers.Options{Workers: -1})
	if n := unserved(p); n != 0 {
		t.Errorf("%d in an empty pool", n)
	}
	p.Submit(&workers.Job{Priority: deadline.Low, Func: func(w *workers.Worker) { w.Yield() }})
	p.Go(deadline.Immediate, func() {})
	if n := unserved(p); n != 2 {
		t.Errorf("%d, want two jobs", n)
	}
	for _, want := range []int{1, 1, 0} { // one of unknown cost in each call; the second is then between two turns
		p.RunUntil(deadline.In(time.Hour))
		if n := unserved(p); n != want {
			t.Errorf("%d unserved, want %d", n, want)
		}
	}
	mustClose(t, p)
}

// A Wait continues its own job among others that yield. Few turns make it likely that the last turn of a job is beside
// another goroutine that puts a job back.
func TestWaitersFindTheirYieldingJobs(t *testing.T) {
	rounds := 20_000
	if testing.Short() {
		rounds = 2_000
	}
	p := workers.New(workers.Options{Workers: -1})
	defer mustClose(t, p)
	jobs := make([]workers.Job, 4)
	testkit.Within(t, "waiting for jobs that yield", func() {
		for round := range rounds {
			waitersFindTheirYieldingJobs(p, jobs, 1+round%4)
		}
	})
}

func waitersFindTheirYieldingJobs(p *workers.Pool, jobs []workers.Job, turns int) {
	for i := range jobs {
		jobs[i].Func = func(w *workers.Worker) {
			for range turns {
				w.Yield()
			}
		}
		p.Submit(&jobs[i])
		p.RunUntil(deadline.In(time.Millisecond))
	}
	var wg sync.WaitGroup
	for i := range jobs {
		wg.Go(func() { must(jobs[i].Wait(background)) })
	}
	wg.Wait()
}
