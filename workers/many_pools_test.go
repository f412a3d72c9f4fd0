package workers

import (
	"context"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// A circle is some pools whose jobs submit to any of them, and wait for what they have submitted, or do not.
type circle struct {
	pools          []*Pool
	spawned, ended atomic.Int64
}

// spawn submits a job which submits others, of one level less.
func (s *circle) spawn(depth int, seed uint64) *Future[int] {
	rng := rand.New(rand.NewPCG(seed, 2))
	p := s.pools[rng.IntN(len(s.pools))]
	s.spawned.Add(1)
	prio := deadline.Priorities()[rng.IntN(numLanes)]
	u := Submit(p, prio, func() (int, error) {
		for range min(depth, 1+rng.IntN(2)) {
			s.await(p, s.spawn(depth-1, rng.Uint64()), rng.IntN(6))
		}
		return depth, nil
	})
	u.Notify(func() { s.ended.Add(1) })
	return u
}

// await does one of the things that a job may do about another.
func (s *circle) await(p *Pool, u *Future[int], how int) {
	switch how {
	case 0, 1:
		_, _ = u.Wait(context.Background())
	case 2:
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Microsecond)
		_, _ = u.Wait(ctx)
		cancel()
	case 3:
		_, _ = Then(u, func(n int) (int, error) { return n + 1, nil }).Wait(context.Background())
	case 4:
		u.Cancel()
	case 5:
		p.ParallelFor(8, 1, func(lo, hi int) { runtime.Gosched() })
	}
}

// Pools that submit to one another in circles, and wait for one another, can be closed at any time and in any order:
// every job ends once, and so does Close.
func TestPoolsInACircleAreClosed(t *testing.T) {
	shapes := []Options{{Workers: 1}, {Workers: 2, Insight: true}, {Workers: -1}, {Workers: 1, Background: 1},
		{Workers: 2, MaxWaiting: 8}, {Workers: 1, MaxWaiting: 4}}
	for round := range 20 {
		rng := rand.New(rand.NewPCG(uint64(round), 1))
		var s circle
		for _, i := range rng.Perm(len(shapes))[:3+rng.IntN(3)] {
			s.pools = append(s.pools, New(shapes[i]))
		}
		var from, closers sync.WaitGroup
		for range 3 {
			seed := rng.Uint64()
			from.Go(func() {
				for k := range uint64(10) {
					s.spawn(4, seed+k)
				}
			})
		}
		for _, p := range s.pools {
			after := time.Duration(rng.IntN(3)) * 200 * time.Microsecond
			closers.Go(func() {
				time.Sleep(after)
				ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
				defer cancel()
				if err := p.Close(ctx); err != nil {
					t.Errorf("round %d, %+v: %v", round, p.opt, err)
				}
			})
		}
		closers.Wait()
		from.Wait()
		if n, m := s.spawned.Load(), s.ended.Load(); n != m {
			t.Fatalf("round %d: %d of %d have ended", round, m, n)
		}
	}
}
