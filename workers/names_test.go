package workers_test

import (
	"errors"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/workers"
)

// Whoever runs loops serves for all of them: a pool, its lane, and the worker of a job.
func TestLoopersAreAlike(t *testing.T) {
	each(t, func(t *testing.T, p *workers.Pool) {
		double := func(l workers.Looper) (sum int) {
			for _, v := range workers.Map(l, nil, []int{1, 2, 3}, func(v int) int { return 2 * v }) {
				sum += v
			}
			return sum
		}
		if got := double(p); got != 12 {
			t.Errorf("a pool: %d", got)
		}
	})
}

// What the workers of a pool did adds up to what the pool says.
func TestStatsOfTheWorkersAddUp(t *testing.T) {
	p := workers.New(workers.Options{Workers: 2})
	defer mustClose(t, p)
	for range 20 {
		f := workers.Submit(p, deadline.Normal, func() (int, error) { return 0, nil })
		if _, err := f.Wait(background); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, "all are counted", func() bool {
		var s workers.Stats
		p.Stats(&s)
		run := func(all []workers.WorkerStats) (n uint64) {
			for _, w := range all {
				n += w.Run
			}
			return n
		}
		return run(s.PerWorker) == s.Run && s.Run+s.RanByCaller >= 20
	})
}

// A stream of one place takes the next job only when the result is taken out and released.
func TestReleaseMakesRoom(t *testing.T) {
	p := workers.New(workers.Options{Workers: 1})
	defer mustClose(t, p)
	s := workers.NewStream[int](p, workers.StreamOptions{Window: 1})
	defer s.Close()
	one := func(out *int) error { *out++; return nil }
	for want := 1; want <= 3; want++ {
		if err := s.TrySubmit(one); err != nil {
			t.Fatal(err)
		}
		v, err := s.Next(background)
		if err != nil || *v != want { // the place has what the job before left there
			t.Fatalf("result %v, %v, want %d", v, err, want)
		}
		if err := s.TrySubmit(one); !errors.Is(err, workers.ErrFull) {
			t.Errorf("before Release: %v", err)
		}
		s.Release()
		s.Release() // nothing is held
	}
}

// A job finds the pool that it runs on, a node its name, and a pool says how its workers sleep.
func TestWhatTellsItsName(t *testing.T) {
	each(t, func(t *testing.T, p *workers.Pool) {
		var on *workers.Pool
		j := workers.Job{Func: func(w *workers.Worker) { on = w.Pool() }}
		p.Submit(&j)
		if err := j.Wait(background); err != nil || on != p {
			t.Errorf("pool %p, want %p, %v", on, p, err)
		}
	})
}
