package zoo_test

import (
	"context"
	"time"

	"github.com/frameslice/frameslice"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/record"
)

// A way is how a game gets its work done beside its frames.
type way interface {
	begin(loading bool)
	offer(items []item) // work that has come
	slice()
	end() // it waits for the next tick, where the way paces the host
}

// ours is the loop.
type ours struct {
	*ledger
	loop *frame.Loop
}

func newOurs(h *host, g *ledger) *ours {
	return &ours{g, frameslice.NewWith(h.options(frameslice.Testing.Options()))}
}

func (o *ours) begin(loading bool) { o.mark(loading); o.loop.Begin() }
func (o *ours) slice()             { o.loop.Slice() }
func (o *ours) end()               { o.loop.End() }

func (o *ours) mark(loading bool) {
	if loading {
		o.loop.Mark(record.Loading)
	}
}

func (o *ours) offer(items []item) {
	if o.load.how == coroutine && len(items) > 0 {
		o.loop.Go(frameslice.Normal, func(co *frameslice.Co) {
			for _, it := range items {
				o.work(it)
				co.Yield()
			}
		})
		return
	}
	for _, it := range items {
		switch {
		case it.urgent:
			o.loop.Post(frameslice.Immediate, func() { o.work(it) })
		case o.load.how == submits:
			frameslice.Submit(o.loop, frameslice.Normal, func(context.Context) (bool, error) {
				o.work(it)
				return true, nil
			})
		default:
			o.loop.Post(frameslice.Normal, func() { o.work(it) })
		}
	}
}

// A rival is a queue, and a line that says whether to continue after an item.
type rival struct {
	*ledger
	*ticks
	more  func(r *rival) bool
	queue []item
	begun time.Duration // the frame
	from  time.Duration // the slice
}

func (r *rival) begin(bool)         { r.begun = r.clock.now() }
func (r *rival) offer(items []item) { r.queue = append(r.queue, items...) }
func (r *rival) end()               { r.ticks.wait(r.clock) }

func (r *rival) slice() {
	r.from = r.clock.now()
	for len(r.queue) > 0 {
		it := r.queue[0]
		r.queue = r.queue[1:]
		r.work(it)
		if !r.more(r) {
			return
		}
	}
}

func (r *rival) used() time.Duration { return r.clock.now() - r.from }

// budget continues until so much of the frame has been used.
func budget(d time.Duration) func(*rival) bool { return func(r *rival) bool { return r.used() < d } }

// half continues until half of what the interval leaves has been used.
func half(h *host) func(*rival) bool {
	return func(r *rival) bool { return r.used() < (h.interval-(r.from-r.begun))/2 }
}

// goroutines starts one for each item.
type goroutines struct{ rival }

func (r *goroutines) slice() {
	for _, it := range r.queue {
		go r.work(it)
	}
	r.queue = r.queue[:0]
}

// A contender is a way by its name.
type contender struct {
	name string
	more func(h *host) func(*rival) bool // of a rival; nil for goroutines
}

func fixed(f func(*rival) bool) func(*host) func(*rival) bool {
	return func(*host) func(*rival) bool { return f }
}

var rivals = []contender{
	{"inline", fixed(func(*rival) bool { return true })},
	{"one a frame", fixed(func(*rival) bool { return false })},
	{"2 ms", fixed(budget(2 * ms))},
	{"4 ms", fixed(budget(4 * ms))},
	{"8 ms", fixed(budget(8 * ms))},
	{"half", half},
	{"goroutines", nil},
}

// ticks paces the frames of a rival as Loop.Run paces its own: a frame that is late by less than half an interval
// begins at once, a later one on the next tick.
type ticks struct{ interval, tick time.Duration }

func newTicks(h *host) *ticks {
	if h.runs || h.paces {
		return &ticks{interval: h.interval}
	}
	return nil
}

func (p *ticks) wait(c clock) {
	if p == nil {
		return
	}
	for p.tick += p.interval; c.now()-p.tick >= p.interval/2; {
		p.tick += p.interval
	}
	c.wait(p.tick - c.now())
}
