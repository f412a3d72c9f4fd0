package sim

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	fixed "github.com/frameslice/frameslice/frame/ticks"
	"github.com/frameslice/frameslice/workers"
)

var (
	tickCount = flag.Int("ticks", 300, "how many ticks the world of TestTicks has")
	tickSeeds = flag.Int("seeds", 1, "how many seeds of delays TestTicks tries")
	tickPaced = flag.Bool("paced", false, "TestTicks plays in real time, and prints how many ticks waited")
)

// A ticked is a Runner that commits searches four ticks after their Submit.
type ticked struct {
	Inline
	pool  *workers.Pool
	clock *fixed.Clock
	paths *fixed.Kind[Job, bool]
}

// newTicked returns a Runner on p. With a seed some searches begin late.
func newTicked(p *workers.Pool, seed uint64) *ticked {
	r := &ticked{pool: p, clock: fixed.New(p, 1)}
	run := func(j Job) bool {
		if late := rand.New(rand.NewPCG(seed, uint64(j.(*pathJob).gen))); seed > 0 && late.IntN(10) == 0 {
			time.Sleep(time.Duration(late.IntN(2000)) * time.Microsecond)
		}
		j.Run()
		return true
	}
	r.paths = fixed.NewKind(r.clock, KindPath, 4, run, func(j Job, _ bool) { j.Commit() })
	return r
}

func (r *ticked) ParallelFor(n, grain int, body func(lo, hi int)) { r.pool.ParallelFor(n, grain, body) }

func (r *ticked) Submit(kind string, prio deadline.Priority, j Job) {
	if kind == KindPath {
		r.paths.Submit(j)
		return
	}
	j.Commit() // of the others nothing depends, and they are long: the picture stays empty
}

// TestTicks plays the world with its searches on pools of no to four workers. All that moves is the same in each.
func TestTicks(t *testing.T) {
	m := newMap(5)
	var want uint64
	for _, n := range []int{-1, 1, 2, 4} {
		t.Run(fmt.Sprintf("%d workers", max(n, 0)), func(t *testing.T) {
			for seed := range uint64(*tickSeeds) {
				o := frame.Options{Interval: time.Second / 60}
				o.Workers.Workers = n
				loop := frame.New(o)
				world := newWorld(Options{Seed: 5, Boids: 240, Agents: 24, NoAssets: true}.withDefaults(), m)
				runner := newTicked(loop.Pool(), seed)
				for range *tickCount {
					began := time.Now()
					loop.Begin()
					runner.clock.Begin()
					world.Step(time.Second/60, runner)
					runner.clock.Mix(world.HashAll())
					loop.Slice()
					loop.End()
					if *tickPaced {
						time.Sleep(time.Second/60 - time.Since(began))
					}
				}
				sum, _ := runner.clock.Sum(int64(*tickCount))
				if want == 0 {
					want = sum
				}
				if sum != want {
					t.Errorf("seed %d: checksum %x, and %x before", seed, sum, want)
				}
				if s := runner.clock.Stats(); *tickPaced {
					t.Logf("%d results, %d of %d ticks waited, %v in all", s.Results, s.Late, *tickCount, s.Waited)
				}
				if err := loop.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}
