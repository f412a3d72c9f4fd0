package workers_test

import (
	"context"
	"errors"
	"sync"

	"github.com/frameslice/frameslice/internal/testkit"
	"github.com/frameslice/frameslice/workers"
)

// A family is the functions that a Group has run.
type family struct {
	mu sync.Mutex
	bs []*book
}

func (f *family) add(b *book) { f.mu.Lock(); defer f.mu.Unlock(); f.bs = append(f.bs, b) }

func (f *family) all() []*book { f.mu.Lock(); defer f.mu.Unlock(); return f.bs }

// answers looks whether err is what the owner of the family must return, which has panicked if threw is set.
func (c *course) answers(a *act, f *family, err error, threw bool, missing bool) {
	panicked, failed := false, false
	exit, turn := false, false
	for _, b := range f.all() {
		exit, turn = exit || b.mayExit.Load(), turn || b.turns.Load()
		switch c.fate(b.act, b) {
		case panics:
			panicked = panicked || b.Begun() == 1
		case errs, exits:
			failed = failed || b.Begun() == 1
		}
	}
	if panicked && !threw && !exit && !turn {
		c.Fail("%v does not panic, and returns %v", a, err)
	}
	if threw {
		return
	}
	if failed && err == nil {
		c.Fail("%v returns nil", a)
	}
	if err == nil {
		return
	}
	for _, b := range f.all() {
		if errors.Is(err, b) && c.fate(b.act, b) == errs {
			return
		}
	}
	switch {
	case errors.Is(err, workers.ErrGoexit) && exit, errors.Is(err, workers.ErrClosed) && c.closing.Load():
	case errors.Is(err, context.Canceled) && missing, errors.Is(err, context.DeadlineExceeded) && missing:
	default:
		c.Fail("%v returns %v", a, err)
	}
}

func (c *course) doGroup(at spot, a *act) {
	var fam family
	ctx, cancel := contextFor(a)
	defer cancel()
	var err error
	threw := c.raised(a, fam.all, func() {
		g := c.p.NewGroup(ctx, a.prio)
		var spawn func(kids []*act)
		spawn = func(kids []*act) {
			if len(kids) == 0 {
				return
			}
			kid := kids[0]
			b := c.book(&act{verb: a.verb, id: kid.id, fate: kid.fate, k: kid.k, kids: []*act{kid}}, nil)
			b.job = true
			fam.add(b)
			g.Go(func(context.Context) error {
				if a.k%2 == 0 { // one spawns the next
					spawn(kids[1:])
				}
				return c.body(b.act, b, nil)
			})
			if a.k%2 != 0 {
				spawn(kids[1:])
			}
		}
		spawn(a.kids)
		if a.n%2 == 0 { // somebody else waits, too
			var same error
			done := make(chan any)
			go func() { done <- testkit.Recovered(func() { same = g.Wait() }) }()
			defer func() {
				if <-done; same != err {
					c.Fail("a Wait for %v returns %v, and another %v", a, same, err)
				}
			}()
		}
		err = g.Wait()
	})
	c.answers(a, &fam, err, threw, false)
	for _, b := range fam.all() {
		if b.Begun() == 0 && !c.closing.Load() {
			c.Fail("%v of %v is not called", b.act, a)
		}
	}
}
