package workers

import (
	"context"
	"time"

	"github.com/frameslice/frameslice/internal/latch"
	"github.com/frameslice/frameslice/internal/park"
)

// Every goroutine that waits for a job, for a Group or for the end of a pool does so in await, on a latch. It runs what
// the wait needs and nobody has begun. Otherwise it sleeps, and while a job sleeps another worker takes its worker's
// place, as within Blocking. Joins are different: a joiner runs forks of its thief meanwhile (fork.go).

// await is l.Await, and lends the place of the caller's worker while the caller sleeps.
func await(
	ctx context.Context, p *Pool, l *latch.Latch, look func() (v latch.Verdict, changed park.Event),
) error {
	var spare loan
	var later time.Duration // see seed.go
	return l.Await(ctx, look, func() {
		spare = p.lendPlace(l)
		if p.dice != nil {
			later = p.dice.Later()
		}
	}, func() {
		if later > 0 {
			time.Sleep(later)
		}
		spare.TakeBack()
	})
}

// lendPlace lends the place of the worker on whose goroutine the caller is, if any, to a spare. The caller is about to
// sleep, on the latch l or, if l is nil, on something else. A
// Close in a job keeps the place: its worker has nothing to run that the Close does not run itself, and the end of the
// spare would wake the Close again and again. A job of SubmitWaiting may have a spare already: see waits.
func (p *Pool) lendPlace(l *latch.Latch) loan {
	if l == &p.closers || !withinJob() {
		return loan{}
	}
	if w := p.workerHere(); w != nil && w.waiting.Load() == 0 {
		return w.lend()
	}
	return loan{}
}
