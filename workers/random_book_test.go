package workers_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/frameslice/frameslice/internal/testkit"
	"github.com/frameslice/frameslice/workers"
)

// A fate is how a function of a random program ends, when it has done what is within it.
type fate int

const (
	returns fate = iota
	errs
	panics
	exits
)

// A book says what became of one function of a random program.
type book struct {
	*testkit.Deed
	act            *act
	up             *book        // whose function called this one, or nil: for a job, and outside
	told           atomic.Int32 // calls of Notify's function
	wantTold       atomic.Int32
	canceled       atomic.Bool // somebody calls Cancel
	mayExit, turns atomic.Bool // something within may call Goexit; something within yields
	other, io      bool        // a job of the other pool; of SubmitIO
	job            bool        // counted by the pool as one
	err            func() (error, bool)
}

func (b *book) Error() string { return fmt.Sprintf("the error of %v", b.act) }

// mark sets what a function may do to those that it would unwind.
func (b *book) mark(of func(*book) *atomic.Bool) {
	for ; b != nil; b = b.up {
		of(b).Store(true)
	}
}

// A course is one run of a random program.
type course struct {
	testkit.Cast
	o, o2   workers.Options
	p, p2   *workers.Pool // p is the one of o, p2 of o2; some jobs of p wait for jobs of p2
	virtual bool          // in a bubble of package synctest
	closing atomic.Bool   // somebody has called Close
	closed  atomic.Bool   // it has returned, and everything has ended
	running atomic.Int64  // jobs
	steps   atomic.Int64  // functions of Then that were run, which Stats counts as jobs
	thrown  atomic.Int64  // panics that OnPanic ought to get
	gotten  atomic.Int64  // and those that it got
	inline  atomic.Bool   // Stats may count more runs, of pieces, or fewer, of jobs that Close ends between two turns
	resized atomic.Bool   // GOMAXPROCS was changed
	mu      sync.Mutex
	books   []*book
	shared  []*shared
}

func (c *course) book(a *act, up *book) *book {
	b := &book{Deed: c.Deed(a), act: a, up: up}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.books = append(c.books, b)
	return b
}

// body is what a function does: b's, on the Worker w if it has one.
func (c *course) body(a *act, b *book, w *workers.Worker) (err error) {
	b.Run(&c.Cast, func() { err = c.within(a, b, w) })
	return err
}

func (c *course) within(a *act, b *book, w *workers.Worker) error {
	if b.job {
		c.running.Add(1)
		if c.closed.Load() {
			c.Fail("%v begins after the end", a)
		}
	}
	defer func() {
		if b.job {
			c.running.Add(-1)
		}
	}()
	for _, kid := range a.kids {
		c.do(spot{w: w, b: b}, kid)
	}
	switch c.fate(a, b) {
	case errs:
		return b
	case panics:
		if b.act.verb == vGo {
			c.thrown.Add(1)
		}
		panic(b)
	case exits:
		b.mark(func(b *book) *atomic.Bool { return &b.mayExit })
		runtime.Goexit()
	}
	return nil
}

// fate is how b ends: a Goexit must not reach a goroutine of the program's own.
func (c *course) fate(a *act, b *book) fate {
	top := b
	for top.up != nil {
		top = top.up
	}
	if a.fate == exits && !top.job && !top.other && !top.io {
		return returns
	}
	return a.fate
}

// checkEnd looks whether err is a right end of b, whose end somebody has seen.
func (c *course) checkEnd(b *book, err error) {
	begun, ended := b.Begun(), b.Ended()
	if begun != ended {
		c.Fail("%v has begun %d times, ended %d times, and is over with %v", b.act, begun, ended, err)
		return
	}
	var pe *workers.PanicError
	ok := false
	switch {
	case begun == 0:
		ok = err == workers.ErrCanceled && b.canceled.Load() || err == workers.ErrClosed && c.closing.Load()
	case b.mayExit.Load() && err == workers.ErrGoexit, b.turns.Load() && err == workers.ErrClosed && c.closing.Load():
		ok = true
	case c.fate(b.act, b) == returns:
		ok = err == nil
	case c.fate(b.act, b) == errs:
		ok = err == nil && !b.act.hasError() || errors.Is(err, b)
	case c.fate(b.act, b) == panics:
		ok = errors.As(err, &pe) && pe.Value == any(b)
	}
	if !ok || begun == 0 && b.act.verb == vFork {
		c.Fail("%v, begun %d times, canceled %v, has the error %v", b.act, begun, b.canceled.Load(), err)
	}
}

// raised calls f and looks whether it panics as it should: with what one of bs has panicked with, if one has. It
// reports whether it has.
func (c *course) raised(what *act, bs func() []*book, f func()) (threw bool) {
	v := testkit.Recovered(f)
	exits := false
	for _, b := range bs() {
		if b.Begun() != b.Ended() {
			c.Fail("%v continues after the end of %v", b.act, what)
		}
		exits = exits || b.Begun() == 1 && b.mayExit.Load()
	}
	if pe, ok := v.(*workers.PanicError); ok {
		v = pe.Value
	}
	switch v := v.(type) {
	case nil:
		return false
	case *book:
		for _, b := range bs() {
			if b == v {
				return true
			}
		}
	case error:
		if v == workers.ErrGoexit && exits {
			return true
		}
	}
	c.Fail("%v panics with %v", what, v)
	return true
}

func contextFor(a *act) (context.Context, context.CancelFunc) {
	switch a.wait {
	case waitsTimed:
		return context.WithTimeout(background, pause(a.n))
	case waitsDone:
		ctx, cancel := context.WithCancel(background)
		cancel()
		return ctx, cancel
	case waitsOpen:
		return context.WithCancel(background)
	}
	return nil, func() {}
}
