package workers_test

import (
	"context"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/workers"
)

// siftless are the pools that have no worker for Immediate.
var siftless = map[string]workers.Options{"none": {Workers: -1}, "low only": {Workers: -1, Background: 1}}

// What has ended without a worker leaves nothing behind, however it ended.
func TestNothingIsLeftInALaneWithoutWorkers(t *testing.T) {
	f := func() (int, error) { return 1, nil }
	for name, o := range siftless {
		p := workers.New(o)
		var job workers.Job
		job.Priority, job.Func = deadline.Immediate, func(*workers.Worker) {}
		stream := workers.NewStream[int](p, workers.StreamOptions{Priority: deadline.Immediate})
		for what, once := range map[string]func(){
			"Wait":   func() { p.Submit(&job); job.Wait(background) },
			"Cancel": func() { p.Submit(&job); job.Cancel() },
			"Then": func() {
				u := workers.Submit(p, deadline.Immediate, f)
				workers.Then(u, func(int) (int, error) { return 2, nil }).Wait(background)
			},
			"Group": func() {
				g := p.NewGroup(background, workers.GroupOptions{Priority: deadline.Immediate})
				g.Go(func(context.Context) error { return nil })
				g.Wait()
			},
			"Stream": func() {
				stream.TrySubmit(func(*int) error { return nil })
				stream.Next(background)
			},
			"many, the last one first": func() {
				var jobs [100]workers.Job
				for i := range jobs {
					jobs[i].Priority, jobs[i].Func = deadline.Immediate, job.Func
					p.Submit(&jobs[i])
				}
				for i := range jobs {
					jobs[len(jobs)-1-i].Wait(background)
				}
			},
		} {
			for range 5 {
				once()
			}
			var s workers.Stats
			p.Stats(&s)
			if n := s.Queued[deadline.Immediate.Lane()]; n != 0 || s.Unserved != 0 {
				t.Errorf("%s, %s: %d entries stay, %d unserved", name, what, n, s.Unserved)
			}
		}
		s := p.Seat()
		s.Wake = func() { t.Errorf("%s: a seat is woken for what has ended", name) }
		s.Rest()
		s.Close()
		mustClose(t, p)
	}
}

// What waits among that stays, and in its order, also what RunUntil has passed over, and what Wait has looked at often.
func TestWhatStaysInALaneKeepsItsOrder(t *testing.T) {
	p := workers.New(workers.Options{Workers: -1})
	var got, want []int
	var ended [2000]workers.Job
	for i := range ended {
		if i%7 == 0 {
			want = append(want, i)
			workers.Submit(p, deadline.Normal, func() (int, error) { got = append(got, i); return 0, nil })
		}
		ended[i].Func = func(*workers.Worker) {}
		p.Submit(&ended[i])
		if i%3 == 0 {
			ended[i/2].Cancel()
			ended[i].Wait(background)
		}
	}
	for i := range ended {
		ended[i].Wait(background)
	}
	var s workers.Stats
	p.Stats(&s)
	if s.Unserved < len(want) || s.Unserved > 2*len(want) {
		t.Errorf("%d unserved, with %d jobs", s.Unserved, len(want))
	}
	p.RunUntil(deadline.Deadline{})
	if !slices.Equal(got, want) {
		t.Errorf("ran %v", got)
	}
	mustClose(t, p)
}

// Goroutines that wait, cancel and run the lane at once lose nothing, run nothing twice, and Close finds the rest.
func TestSiftingBesideOthers(t *testing.T) {
	for range 8 {
		p := workers.New(workers.Options{Workers: -1})
		var all sync.WaitGroup
		var ran, canceled, sent atomic.Int64
		for g := range 4 {
			all.Go(func() {
				var jobs [8]workers.Job
				for i := range 500 {
					j := &jobs[i%len(jobs)]
					if s := j.State(); s != workers.Fresh {
						j.Wait(background)
					}
					j.Func = func(*workers.Worker) { ran.Add(1) }
					sent.Add(2)
					p.Submit(j)
					workers.Submit(p, deadline.Normal, func() (int64, error) { return ran.Add(1), nil })
					switch (i + g) % 4 {
					case 0:
						j.Wait(background)
					case 1:
						if j.Cancel() {
							canceled.Add(1)
						}
					case 2:
						p.RunUntil(deadline.In(20 * time.Microsecond))
					}
				}
				for i := range jobs {
					jobs[i].Wait(background)
				}
			})
		}
		all.Wait()
		mustClose(t, p)
		if ran.Load()+canceled.Load() != sent.Load() {
			t.Fatalf("%d ran and %d were canceled of %d", ran.Load(), canceled.Load(), sent.Load())
		}
	}
}

// The same beside workers that are busy, and whatever the job's place: nothing is kept, counted or looked at.
func TestNothingIsLeftInALaneOfBusyWorkers(t *testing.T) {
	if runtime.GOOS == "js" || runtime.GOOS == "wasip1" {
		t.Skip("no threads")
	}
	const n = 20_000
	one := func() (int, error) { return 1, nil }
	nothing := func(*workers.Worker) {}
	ways := map[string]func(p *workers.Pool, w *workers.Worker){
		"Cancel": func(p *workers.Pool, _ *workers.Worker) {
			for range n {
				workers.Submit(p, deadline.Normal, one).Cancel()
			}
		},
		"Cancel of all at last": func(p *workers.Pool, _ *workers.Worker) {
			var all []*workers.Future[int]
			for range n {
				all = append(all, workers.Submit(p, deadline.Normal, one))
			}
			for _, u := range all {
				u.Cancel()
			}
		},
		"Wait": func(p *workers.Pool, _ *workers.Worker) {
			for range n {
				workers.Submit(p, deadline.Normal, one).Wait(background)
			}
		},
		"Seat.Wait": func(p *workers.Pool, _ *workers.Worker) {
			seat := p.Seat()
			defer seat.Close()
			for range n {
				j := &workers.Job{Func: nothing}
				p.Submit(j)
				seat.Wait(background, j)
			}
		},
		"Scope": func(p *workers.Pool, _ *workers.Worker) {
			for range n / 100 {
				p.Scope(background, func(s *workers.Scope) error {
					for range 100 {
						s.Go(func(context.Context) error { return nil })
					}
					return nil
				})
			}
		},
		"Group, canceled": func(p *workers.Pool, _ *workers.Worker) {
			ctx, cancel := context.WithCancel(background)
			g := p.NewGroup(ctx, workers.GroupOptions{})
			for range n {
				g.Go(func(ctx context.Context) error { return ctx.Err() })
			}
			cancel()
			g.Wait()
		},
		"Then": func(p *workers.Pool, _ *workers.Worker) {
			for range n / 2 {
				u := workers.Submit(p, deadline.Normal, one)
				v := workers.Then(u, func(int) (int, error) { return 2, nil })
				u.Wait(background) // outside a job the Wait for v would leave u to the worker
				v.Wait(background)
			}
		},
		"Then of what is canceled": func(p *workers.Pool, _ *workers.Worker) {
			for range n / 2 {
				u := workers.Submit(p, deadline.Normal, one)
				workers.Then(u, func(int) (int, error) { return 2, nil })
				u.Cancel()
			}
		},
		"Then, canceled, of what runs": func(p *workers.Pool, _ *workers.Worker) {
			before := heapNow()
			u := workers.Submit(p, deadline.Normal, one)
			for range n {
				workers.Then(u, func(int) (int, error) { return 2, nil }).Cancel()
			}
			if grown := heapNow() - before; grown > 1<<20 {
				t.Errorf("Then, canceled, of what has not ended: %d KiB stay", grown>>10)
			}
			u.Cancel()
		},
		"Stream": func(p *workers.Pool, _ *workers.Worker) {
			s := workers.NewStream[int](p, workers.StreamOptions{})
			for range n {
				s.TrySubmit(func(*int) error { return nil })
				s.Next(background)
			}
		},
		"RunUntil": func(p *workers.Pool, _ *workers.Worker) {
			for range n {
				p.Go(deadline.Normal, func() {})
			}
			p.RunUntil(deadline.Deadline{})
		},
		"Worker.Submit and Cancel": func(p *workers.Pool, w *workers.Worker) {
			for range n {
				j := &workers.Job{Func: nothing}
				w.Submit(j)
				j.Cancel()
			}
		},
		"Worker.Submit and Wait": func(p *workers.Pool, w *workers.Worker) {
			for range n / 20 { // which looks at stacks
				j := &workers.Job{Func: nothing}
				w.Submit(j)
				j.Wait(background)
			}
		},
		"beside some that stay": func(p *workers.Pool, _ *workers.Worker) {
			for range 5 {
				defer workers.Submit(p, deadline.Normal, one).Cancel()
			}
			for range n {
				workers.Submit(p, deadline.Normal, one).Cancel()
			}
			var s workers.Stats
			if p.Stats(&s); s.Queued[deadline.Normal.Lane()] != 5 {
				t.Errorf("beside 5 that wait: %d queued", s.Queued[deadline.Normal.Lane()])
			}
		},
	}
	for name, way := range ways {
		p := workers.New(workers.Options{Workers: 1})
		begun, measured, done, stop := make(chan *workers.Worker), make(chan bool), make(chan bool), make(chan bool)
		p.Submit(&workers.Job{Func: func(w *workers.Worker) {
			begun <- w
			<-measured
			if strings.HasPrefix(name, "Worker.") {
				way(p, w)
			}
			done <- true
			<-stop
		}})
		w := <-begun
		before := heapNow()
		close(measured)
		<-done
		if !strings.HasPrefix(name, "Worker.") {
			way(p, w)
		}
		if grown := heapNow() - before; grown > 1<<20 {
			t.Errorf("%s: %d KiB stay", name, grown>>10)
		}
		var s workers.Stats
		if p.Stats(&s); s.Queued != [5]int{} {
			t.Errorf("%s: %v are queued", name, s.Queued)
		}
		if ran := p.RunUntil(deadline.Deadline{}); ran != 0 {
			t.Errorf("%s: RunUntil ran %d", name, ran)
		}
		close(stop)
		mustClose(t, p)
	}
}

func heapNow() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
