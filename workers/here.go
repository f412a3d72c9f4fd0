package workers

import "github.com/frameslice/frameslice/internal/where"

// home returns the worker on whose goroutine, or on a coroutine of it, w's job runs: w itself, or nil.
func (w *Worker) home() *Worker {
	if w.crew != nil {
		return w
	}
	return w.host
}

// workerHere returns the worker of this pool on whose goroutine the caller runs, or on a coroutine of it, or nil.
// It takes some nanoseconds for each worker.
func (p *Pool) workerHere() *Worker {
	if p.crews[ordinary].used.Load()+p.crews[background].used.Load() == 0 {
		return nil
	}
	id := where.ID()
	for i := range p.crews {
		c := &p.crews[i]
		for k := range c.used.Load() {
			if w := c.slots[k].Load(); w != nil && w.goid.Load() == id {
				return w
			}
		}
	}
	return nil
}
