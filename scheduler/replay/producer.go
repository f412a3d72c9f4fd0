package replay

import (
	"time"

	"github.com/frameslice/frameslice/internal/carrier"
)

// Producer is another goroutine of the game: an asset loader, a network reader, a job.
type Producer struct {
	w    *World
	name string
	c    carrier.Carrier
	f    func(p *Producer)
}

// Go begins a producer when the clock moves next. If the run ends before f returns, its Sleep unwinds it and deferred
// calls run. If f panics, Play panics at the end.
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

// Sleep suspends the producer for d. Only its own function may call Sleep.
func (p *Producer) Sleep(d time.Duration) {
	if p.w.in != p {
		panic("replay: Sleep of a Producer elsewhere than in its function")
	}
	p.w.at(p.w.now.Add(max(d, 0)), p.turn)
	p.c.Suspend()
}
