package workers_test

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/frameslice/frameslice/workers"
)

func (c *course) doFork(at spot, a *act) {
	if at.w == nil {
		return
	}
	c.inline.Store(true)
	bs, js := make([]*book, len(a.kids)), make([]workers.Job, len(a.kids))
	for i, kid := range a.kids {
		b := c.book(&act{verb: vFork, id: kid.id, fate: kid.fate, k: kid.k, kids: []*act{kid}}, at.b)
		bs[i] = b
		js[i].Func = func(w *workers.Worker) { _ = c.body(b.act, b, w) }
		at.w.Fork(&js[i])
	}
	for i := len(bs) - 1; i >= 0; i-- {
		if bs[i].act.k%3 == 0 && at.w.Unfork(&js[i]) {
			bs[i].Run(&c.Cast, func() {})
			continue
		}
		c.raised(a, func() []*book { return bs[i : i+1] }, func() { at.w.Join(&js[i]) })
		if bs[i].Begun() != 1 {
			c.Fail("%v has begun %d times when joined", bs[i].act, bs[i].Begun())
		}
	}
}

// doBlocking has the acts of a function done within Blocking, or on a goroutine of its own.
func (c *course) doBlocking(at spot, a *act) {
	b := c.book(a, at.b)
	plain := *a
	plain.fate = returns
	f := func() {
		if a.verb == vBlocking {
			_ = c.body(&plain, b, nil)
			return
		}
		b.up = nil
		done := make(chan struct{})
		go func() { defer close(done); _ = c.body(&plain, b, nil) }()
		<-done
	}
	if at.w == nil {
		f()
		return
	}
	at.w.Blocking(f)
}

func (c *course) doSmall(at spot, a *act) {
	switch a.verb {
	case vYield:
		if at.w != nil {
			at.b.mark(func(b *book) *atomic.Bool { return &b.turns })
			c.inline.Store(true)
			if at.w.ShouldYield() || a.k%2 == 0 {
				at.w.Yield()
			}
		}
	case vSleep:
		time.Sleep(pause(a.n))
	case vClose:
		ctx, cancel := context.WithTimeout(background, pause(a.n))
		defer cancel()
		c.closing.Store(true)
		_ = c.p.Close(ctx)
	case vCloseJob:
		var ctx context.Context
		if a.n%2 == 0 {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(background, pause(a.n/2))
			_ = cancel
		}
		b := c.book(a, nil)
		c.closing.Store(true)
		b.job = true
		c.p.Go(a.prio, func() {
			b.Run(&c.Cast, func() {
				if err := c.p.Close(ctx); err != nil && ctx == nil {
					c.Fail("%v, with time enough: %v", a, err)
				}
			})
		})
	case vProcs:
		if c.virtual {
			c.resized.Store(true)
			var s workers.Stats
			c.p.Stats(&s)
			runtime.GOMAXPROCS(1 + a.n%3 + s.Procs)
			time.Sleep(time.Duration(a.k) * 2 * time.Millisecond)
		}
	case vShrink:
		c.p.ShrinkTo(a.n % 4)
	case vShared:
		c.doShared(at, a)
	case vStats:
		var s workers.Stats
		c.p.Stats(&s)
		var in workers.Profile
		c.p.Profile(&in)
	}
}

func (c *course) looper(at spot, a *act) workers.Looper {
	if at.w != nil && a.k%2 == 0 {
		return at.w
	}
	return c.p
}

// doLoop runs a loop, some of whose pieces do what a does.
func (c *course) doLoop(at spot, a *act) {
	c.inline.Store(true)
	n, grain := a.n%70, a.k%5
	var mu sync.Mutex
	var bs []*book
	var seen = make([]atomic.Int32, n)
	piece := func(lo, hi int) {
		for i := lo; i < hi; i++ {
			seen[i].Add(1)
			if i%23 == a.k%23 {
				b := c.book(a, at.b)
				mu.Lock()
				bs = append(bs, b)
				mu.Unlock()
				_ = c.body(a, b, nil)
			}
		}
	}
	l := c.looper(at, a)
	get := func() []*book { mu.Lock(); defer mu.Unlock(); return bs }
	threw := c.raised(a, get, func() {
		switch {
		case a.k%7 == 0:
			fs := make([]func(), n)
			for i := range fs {
				fs[i] = func() { piece(i, i+1) }
			}
			workers.Join(l, fs...)
		default:
			l.ParallelFor(n, grain, piece)
		}
	})
	want := false
	for _, b := range get() {
		want = want || b.Begun() == 1 && c.fate(b.act, b) == panics
	}
	if want && !threw {
		c.Fail("%v does not panic", a)
	}
	for i := range seen {
		if v := seen[i].Load(); v > 1 || v == 0 && !threw {
			c.Fail("%v: element %d seen %d times", a, i, v)
		}
	}
}
