package live

import (
	"context"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/scheduler"
)

const (
	patience   = time.Second // how long a request waits for the frame goroutine
	coroutines = 128         // how many are listed at most: the frame goroutine takes some 2 µs for each
)

// An answer is what only the frame goroutine may read.
type answer struct {
	stats          frame.Stats
	shadow         bool
	tasks, delayed [deadline.NumPriorities]int
	cause          string // scheduler.Stats.HostCause
	late           uint64
	coroutines     []scheduler.Coroutine
	alive          int // coroutines
}

// ask has the frame goroutine answer after the drawing of the next frame, when no slice runs. It returns nil and the
// reason if there is no answer.
//
// Each request has a callback and an answer of its own, so a callback that runs after the request has given up writes
// nothing that anybody reads.
func ask(ctx context.Context, l *frame.Loop) (_ *answer, why string) {
	select {
	case <-l.Done():
		return nil, "the loop is closed"
	default:
	}
	if l.Placement() == frame.PlaceAuto { // asking for the host's scheduler would decide it
		return nil, "no frame has begun"
	}
	a := &answer{coroutines: make([]scheduler.Coroutine, coroutines)}
	answered := make(chan struct{})
	one := l.Host().Once(scheduler.AfterDraw, func() {
		a.read(l)
		close(answered)
	})
	late := time.NewTimer(patience)
	defer late.Stop()
	select {
	case <-answered:
		return a, ""
	case <-l.Done():
		return nil, "the loop is closed"
	case <-ctx.Done():
		why = "the request was given up"
	case <-late.C:
		why = "the frame goroutine has not answered within " + patience.String()
	}
	one.Cancel()
	return nil, why
}

// read is the callback. Frame goroutine.
func (a *answer) read(l *frame.Loop) {
	a.stats, a.shadow = l.Stats(), l.Placement() == frame.PlaceShadow
	rest := a.coroutines
	for _, s := range both(l) {
		stats := s.Stats()
		for i := range stats.Ready {
			a.tasks[i] += stats.Ready[i]
			a.delayed[i] += stats.Delayed[i]
		}
		if stats.HostLate > a.late {
			a.cause, a.late = stats.HostCause, stats.HostLate
		}
		n := s.Coroutines(rest)
		a.alive += n
		rest = rest[min(n, len(rest)):]
	}
	a.coroutines = a.coroutines[:len(a.coroutines)-len(rest)]
}

// both returns the loop's scheduler, and the host's if that is another one.
func both(l *frame.Loop) []*scheduler.Scheduler {
	own, host := l.Scheduler(), l.Host()
	if own == host {
		return []*scheduler.Scheduler{own}
	}
	return []*scheduler.Scheduler{own, host}
}
