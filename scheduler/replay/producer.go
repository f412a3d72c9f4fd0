package replay

import (
	"time"

	"github.com/frameslice/frameslice/internal/carrier"
)

// Producer is another goroutine of the game: an asset loader, a network reader, a job. It calls what any goroutine
// may call.
type Producer struct {
	w    *World
	name string
	c    carrier.Carrier
	f    func(p *Producer)
}

// Go begins a producer, which first runs at the present moment, when the clock moves next. It ends when f returns,
// or with the run: then it is unwound in its Sleep, and its deferred calls run. If f panics, or one of those, Play
// panics with that when the game is over, the first such panic if there are more.
func (w *World) Go(name string, f func(p *Producer)) {
	p := &Producer{w: w, name: name, f: f}
	w.all = append(w.all, p)
	w.at(w.now, p.turn)
}

// turn lets the producer run until its next Sleep.
func (p *Producer) turn() {
	w := p.w
	w.in = p
	var o carrier.Outcome
	if p.c.Busy() {
		o = p.c.Resume()
	} else {
		o = p.c.Run(p.name, func() { p.f(p) })
	}
	w.in = nil
	if o == carrier.Panicked {
		p.failed()
	}
}

// failed keeps what the producer panicked with.
func (p *Producer) failed() {
	if p.w.fault == nil {
		p.w.fault = p.c.Panic
	}
}

// end unwinds the producer.
func (p *Producer) end() {
	p.w.in = p
	p.c.Close()
	p.w.in = nil
	if p.c.Panic != nil { // now, or before: the carrier has run nothing else
		p.failed()
	}
}

// Sleep suspends the producer for d, and for some time between nothing and Options.Jitter more. Only the
// producer's own function may call it.
func (p *Producer) Sleep(d time.Duration) {
	if p.w.in != p {
		panic("replay: Sleep of a Producer elsewhere than in its function")
	}
	p.w.at(p.w.now.Add(max(d, 0)+p.w.Between(0, p.w.o.Jitter)), p.turn)
	p.c.Suspend()
}

// Between is World.Between.
func (p *Producer) Between(low, high time.Duration) time.Duration { return p.w.Between(low, high) }

// Name returns what was passed to Go.
func (p *Producer) Name() string { return p.name }

// Future is a result that comes later: what a job on a pool would return. It is a scheduler.Awaitable.
type Future[T any] struct {
	done   bool
	value  T
	err    error
	notify []func()
}

// Later returns a Future that has the result of f after d, at which moment f is called, as on another goroutine.
// f may be nil. It stands for a job, with what is drawn for its duration:
//
//	mesh := replay.Later(w, w.Between(2*ms, 40*ms), decode)
//	m, err := scheduler.Await(co, mesh)
func Later[T any](w *World, d time.Duration, f func() (T, error)) *Future[T] {
	u := &Future[T]{}
	w.at(w.now.Add(max(d, 0)), func() {
		if f != nil {
			u.value, u.err = f()
		}
		u.done = true
		for _, n := range u.notify {
			n()
		}
		u.notify = nil
	})
	return u
}

// Notify has f called when the result is there, or at once.
func (u *Future[T]) Notify(f func()) {
	if u.done {
		f()
		return
	}
	u.notify = append(u.notify, f)
}

// Result returns the result. It panics if that is not there yet.
func (u *Future[T]) Result() (T, error) {
	if !u.done {
		panic("replay: Result of a Future that has none yet")
	}
	return u.value, u.err
}
