package zoo_test

import (
	"sync"
	"time"
)

// An item is a piece of work.
type item struct {
	cost time.Duration
	left time.Duration // what it leaves to the host, such as an upload: added to the same frame's tail
	// For an Immediate task.
	urgent bool
	at     time.Duration
}

// A manner says how a load is handed over.
type manner int

const (
	posts     manner = iota // each item is a task
	coroutine               // one coroutine, with a Yield after each item
	submits                 // each item is a job
)

// A load is work for a host, from the frame on in which it begins.
type load struct {
	name    string
	how     manner
	loading bool // the frames are marked Loading
	n       int  // items, of which all are there at the beginning; 0 for the other loads

	// Items that come one by one, as long as the play lasts: one for each every.
	every func(room, interval time.Duration) time.Duration

	item   func(i int, r func(salt uint64) float64) item
	urgent time.Duration // every so often there is an Immediate task
}

// spread returns a cost of d/2 to 3d/2.
func spread(d time.Duration) func(int, func(uint64) float64) item {
	return func(_ int, r func(uint64) float64) item { return item{cost: d/2 + times(d, r(1))} }
}

func loads() []load {
	return []load{
		{name: "none"},
		{name: "fits", item: spread(ms), every: func(_, interval time.Duration) time.Duration {
			return max(interval, 4*ms)
		}},
		{name: "1.3 times", item: spread(ms), every: func(room, interval time.Duration) time.Duration {
			// Where nothing fits, 1.3 times a quarter of the time is wanted.
			return times(ms, float64(interval)/(1.3*float64(max(room, interval/4))))
		}},
		{name: "flood", n: 10000, item: spread(ms / 10)},
		{name: "steps 20", n: 40, how: coroutine, item: spread(20 * ms)},
		{name: "steps", n: 570, how: coroutine, item: spread(ms)},
		{name: "loading", n: 1500, how: coroutine, item: spread(ms), loading: true},
		{name: "rare 50", n: 300, item: func(i int, r func(uint64) float64) item {
			if i%30 == 5 {
				return item{cost: 50 * ms}
			}
			return item{cost: ms/2 + times(ms, r(1))}
		}},
		{name: "uploads", n: 200, item: func(_ int, r func(uint64) float64) item {
			return item{cost: ms/10 + times(ms/5, r(1)), left: ms/5 + times(10*ms-ms/5, r(2)*r(2))}
		}},
		{name: "uploads 1+10", n: 300, how: coroutine, item: func(i int, r func(uint64) float64) item {
			left := ms
			if i%30 == 5 {
				left += 10 * ms
			}
			return item{cost: ms/2 + times(ms, r(1)), left: left}
		}},
		{name: "jobs", n: 800, how: submits, item: spread(2 * ms)},
		{name: "flood+Immediate", n: 10000, item: spread(ms / 10), urgent: 97 * ms},
	}
}

// A ledger counts what is done.
type ledger struct {
	clock clock
	load  *load
	from  time.Duration // when the load began

	mu       sync.Mutex
	done     int           // items
	spent    time.Duration // by the work, and by the host on what it left
	until    time.Duration // the work in the window counts, up to here
	inWindow time.Duration
	ended    time.Duration // when the last item of a load of n was done
	left     time.Duration // for the host
	starts   []time.Duration
}

// work does an item.
func (g *ledger) work(it item) {
	begin := g.clock.now()
	g.clock.compute(it.cost)
	end := g.clock.now()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.left += it.left
	if it.urgent {
		g.starts = append(g.starts, begin-it.at)
		return
	}
	g.done++
	g.spent += it.cost + it.left
	if end <= g.until {
		g.inWindow += it.cost + it.left
	}
	if g.done == g.load.n {
		g.ended = end
	}
}

// finished reports whether a load of n items is done.
func (g *ledger) finished() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.done >= g.load.n
}

// leaves returns what the host gets of the items since the last call.
func (g *ledger) leaves() time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	left := g.left
	g.left = 0
	return left
}

// A supply hands out a load's items as they come.
type supply struct {
	load   *load
	every  time.Duration
	seed   uint64
	i      int
	next   time.Duration
	urgent time.Duration
}

// come returns the items that have come by now.
func (s *supply) come(now time.Duration) (items []item) {
	add := func() {
		items = append(items, s.load.item(s.i, moment{n: s.i, seed: s.seed + 1<<32}.random))
		s.i++
	}
	for s.i < s.load.n {
		add()
	}
	if s.load.every != nil {
		for ; s.next <= now; s.next += s.every {
			add()
		}
	}
	if s.load.urgent > 0 {
		for ; s.urgent <= now; s.urgent += s.load.urgent {
			items = append(items, item{cost: ms / 20, urgent: true, at: s.urgent})
		}
	}
	return items
}
