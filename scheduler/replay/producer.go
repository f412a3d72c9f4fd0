package replay

import (
	"time"

	"github.com/frameslice/frameslice/internal/carrier"
)

// producer is another goroutine of the game.
type producer struct {
	w    *World
	name string
	c    carrier.Carrier
	f    func(sleep func(time.Duration))
}

// Go begins a producer when the clock moves next: another goroutine of the game, such as a loader or a job. Only f may
// call sleep, which suspends the producer. If the run ends before f returns, sleep unwinds f, and deferred calls run.
// If f panics, Play panics at the end.
func (w *World) Go(name string, f func(sleep func(time.Duration))) {
	p := &producer{w: w, name: name, f: f}
	w.all = append(w.all, p)
	w.at(w.now, p.turn)
}

// turn lets the producer run until its next sleep.
func (p *producer) turn() {
	w := p.w
	w.in = p
	var o carrier.Outcome
	if p.c.Busy() {
		o = p.c.Resume()
	} else {
		o = p.c.Run(p.name, func() { p.f(p.sleep) })
	}
	w.in = nil
	if o == carrier.Panicked {
		p.failed()
	}
}

// failed keeps what the producer panicked with.
func (p *producer) failed() {
	if p.w.fault == nil {
		p.w.fault = p.c.Panic
	}
}

// end unwinds the producer.
func (p *producer) end() {
	p.w.in = p
	p.c.Close()
	p.w.in = nil
	if p.c.Panic != nil { // now, or before: the carrier has run nothing else
		p.failed()
	}
}

// sleep suspends the producer for d.
func (p *producer) sleep(d time.Duration) {
	if p.w.in != p {
		panic("replay: sleep elsewhere than in the function of its producer")
	}
	p.w.at(p.w.now.Add(max(d, 0)), p.turn)
	p.c.Suspend()
}
