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
	reported := map[*Worker]int64{} // the start of the job that was reported
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
				at := w.started.Load()
				if at == 0 || w.announced.Load() || reported[w] == at {
					continue
				}
				from := at
				if resumed := w.resumed.Load(); resumed != 0 {
					from = max(at, resumed)
				}
				if d := now.Sub(deadline.Instant(from)); d > limit {
					reported[w] = at
					p.opt.OnStuck(w.kind.Load().name(), d)
				}
			}
		}
	}
}

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
