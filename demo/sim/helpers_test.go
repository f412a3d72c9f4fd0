package sim

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/race"
)

const tick = time.Second / 60

// ticks returns n, or a third of it where each costs ten times as much.
func ticks(n int) int {
	if race.Enabled {
		return n / 3
	}
	return n
}

// later is a Runner that keeps jobs until the test asks for them, in the order that the test asks for.
type later struct {
	jobs  []Job
	kinds []string
	prios []deadline.Priority
}

func (l *later) ParallelFor(n, _ int, body func(lo, hi int)) { body(0, n) }

func (l *later) Submit(kind string, prio deadline.Priority, j Job) {
	l.jobs, l.kinds, l.prios = append(l.jobs, j), append(l.kinds, kind), append(l.prios, prio)
}

// end runs and commits the i-th job.
func (l *later) end(i int) {
	j := l.jobs[i]
	last := len(l.jobs) - 1
	l.jobs[i], l.kinds[i], l.prios[i] = l.jobs[last], l.kinds[last], l.prios[last]
	l.jobs, l.kinds, l.prios = l.jobs[:last], l.kinds[:last], l.prios[:last]
	j.Run()
	j.Commit()
}

// settle ends all jobs, also those that commits submit, from the newest to the oldest.
func (l *later) settle() {
	for len(l.jobs) > 0 {
		l.end(len(l.jobs) - 1)
	}
}

// shredder cuts ranges into odd pieces and runs them in a random order, and jobs end some random time later.
type shredder struct {
	later
	rnd *rand.Rand
}

func newShredder(seed uint64) *shredder { return &shredder{rnd: rand.New(rand.NewPCG(seed, 1))} }

func (s *shredder) ParallelFor(n, _ int, body func(lo, hi int)) {
	var cuts []int
	for at := 0; at < n; at += 1 + s.rnd.IntN(97) {
		cuts = append(cuts, at)
	}
	ends := append(cuts[1:len(cuts):len(cuts)], n)
	for _, i := range s.rnd.Perm(len(cuts)) {
		body(cuts[i], ends[i])
	}
}

// some ends a random choice of jobs.
func (s *shredder) some() {
	for range s.rnd.IntN(6) {
		if len(s.jobs) > 0 {
			s.end(s.rnd.IntN(len(s.jobs)))
		}
	}
}

// crew runs everything on goroutines of its own: ranges at once, jobs until join, which commits in order of
// submission.
type crew struct {
	jobs []Job
	wg   sync.WaitGroup
}

func (c *crew) ParallelFor(n, _ int, body func(lo, hi int)) {
	parts := runtime.GOMAXPROCS(0) + 2
	var wg sync.WaitGroup
	for i := range parts {
		wg.Go(func() { body(i*n/parts, (i+1)*n/parts) })
	}
	wg.Wait()
}

func (c *crew) Submit(_ string, _ deadline.Priority, j Job) {
	c.jobs = append(c.jobs, j)
	c.wg.Go(j.Run)
}

func (c *crew) join() {
	c.wg.Wait()
	for _, j := range c.jobs {
		j.Commit()
	}
	c.jobs = c.jobs[:0]
}

// drain takes everything out of Uploads.
func drain(w *World) {
	for {
		if _, ok := w.Uploads.Next(1 << 20); !ok {
			return
		}
	}
}

// maps keeps the maps of the tests, because making one takes longer than most tests.
var maps struct {
	sync.Mutex
	m map[uint64]*Map
}

// world is New with a map that may be shared with other tests.
func world(o Options) *World {
	maps.Lock()
	defer maps.Unlock()
	if maps.m[o.Seed] == nil {
		if maps.m == nil {
			maps.m = map[uint64]*Map{}
		}
		maps.m[o.Seed] = newMap(o.Seed)
	}
	return newWorld(o.withDefaults(), maps.m[o.Seed])
}

// small is a world that costs little: tests that need more say so.
func small(t testing.TB) *World {
	t.Helper()
	return world(Options{Seed: 3, Boids: 900, Agents: 30, NoAssets: true, Detail: 24})
}

// Synth is SynthInto a new chunk.
func Synth(seed uint64, cx, cy, detail int) *Chunk {
	c := NewChunk()
	SynthInto(c, seed, cx, cy, detail)
	return c
}

// FindPath is findPath to its end.
func (m *Map) FindPath(path []int32, start, goal int32) ([]int32, PathResult) {
	return m.findPath(path, start, goal, nil, 0, nil)
}

// Missing returns how many chunks of the picture show nothing yet, and how many show less than the full detail.
func (t *Terrain) Missing() (absent, coarse int) {
	x0, y0, x1, y1 := t.visible()
	for cy := y0; cy <= y1; cy++ {
		for cx := x0; cx <= x1; cx++ {
			s := t.at(cx, cy)
			switch {
			case s == nil || s.shown == 0:
				absent++
			case s.shown < t.w.opts.Detail:
				coarse++
			}
		}
	}
	return absent, coarse
}
