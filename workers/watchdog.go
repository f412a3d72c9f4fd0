package workers

import (
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// watch reports jobs that have been running for longer than Options.Watchdog, until the pool is gone. It reads
// what Stats reads, and nobody waits for it.
func (p *Pool) watch(limit time.Duration) {
	defer func() {
		if p.live.Add(-1) == 0 {
			p.lastOut() // it ends only when the pool is gone
		}
	}()
	tick := time.NewTicker(max(limit/2, time.Millisecond))
	defer tick.Stop()
	reported := map[*Worker]*stuck{}
	for {
		select {
		case <-p.unwatch:
			return
		case <-tick.C:
		}
		now := deadline.Now()
		for i := range p.crews {
			c := &p.crews[i]
			for k := range c.used.Load() {
				w := c.slots[k].Load()
				last := reported[w]
				if last == nil {
					last = new(stuck)
					reported[w] = last
				}
				outer := w.outer.Load() // before started: see helpLoops
				at := w.started.Load()
				told := &last.job
				if outer != 0 && at != outer {
					told = &last.piece
				}
				if at == 0 || w.announced.Load() || *told == at {
					continue
				}
				from := at
				if resumed := w.resumed.Load(); resumed != 0 {
					from = max(at, resumed)
				}
				if d := now.Sub(deadline.Instant(from)); d > limit {
					*told = at
					p.opt.OnStuck(w.kind.Load().name(), d)
				}
			}
		}
	}
}

// stuck is when began what a worker was last reported for. A job may help a loop within Yield, and go on: it is not
// reported again because a piece was meanwhile.
type stuck struct{ job, piece int64 }

// startWatch starts the watchdog if there is to be one.
func (p *Pool) startWatch() {
	if p.watched() {
		p.unwatch = make(chan struct{})
		p.live.Add(1) // Close waits for it, as for a worker
		go p.watch(p.opt.Watchdog)
	}
}

func (p *Pool) watched() bool { return p.opt.Watchdog > 0 && p.opt.OnStuck != nil }

// endWatch is called once, when the pool is gone.
func (p *Pool) endWatch() {
	if p.unwatch != nil {
		close(p.unwatch)
	}
}
