package live

import (
	"context"
	"sync"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/scheduler"
)

const (
	patience   = time.Second // how long a request waits for the frame goroutine
	coroutines = 128         // how many are listed at most: the frame goroutine takes about 2 µs for each
)

// An answer is what only the frame goroutine may read.
type answer struct {
	stats          frame.Stats
	shadow         bool
	tasks, delayed [deadline.NumPriorities]int
	coroutines     []scheduler.Coroutine
	alive          int // coroutines
}

// A question is what the requests of one frame ask the frame goroutine together. The callback has an answer of its own
// for each question, so a callback that runs after all requests have given up writes nothing that anybody reads.
type question struct {
	answer   answer
	answered chan struct{} // closed when answer may be read, by any goroutine; nobody writes it any more
	callback scheduler.Handle
	waiting  int // requests; asker.mu

	state, metrics rendered
}

// rendered is the text of an answer, which the first request makes for all.
type rendered struct {
	sync.Once
	text []byte
	err  error
}

// An asker has the frame goroutine of a loop answer requests, once a frame at most.
type asker struct {
	loop *frame.Loop // nil: there is a Recorder alone

	mu   sync.Mutex // the frame goroutine never takes it
	open *question  // the latest one, if it has no answer yet
}

// ask returns what the frame goroutine answers after the drawing of the next frame, when no slice runs. It returns nil
// and the reason if there is no answer.
func (a *asker) ask(ctx context.Context) (_ *question, why string) {
	if a.loop == nil {
		return nil, "a recorder without a loop"
	}
	select {
	case <-a.loop.Done():
		return nil, "the loop is closed"
	default:
	}
	if a.loop.Placement() == frame.PlaceAuto { // asking for the host's scheduler would decide it
		return nil, "no frame has begun"
	}
	q := a.join()
	late := time.NewTimer(patience)
	defer late.Stop()
	select {
	case <-q.answered:
		return q, ""
	case <-a.loop.Done():
		return nil, "the loop is closed"
	case <-ctx.Done():
		why = "the request was given up"
	case <-late.C:
		why = "the frame goroutine has not answered within " + patience.String()
	}
	a.leave(q)
	return nil, why
}

// join returns the question that waits for its answer, or a new one.
func (a *asker) join() *question {
	a.mu.Lock()
	defer a.mu.Unlock()
	if q := a.open; q != nil {
		select {
		case <-q.answered:
		default:
			q.waiting++
			return q
		}
	}
	q := &question{answered: make(chan struct{}), waiting: 1}
	q.answer.coroutines = make([]scheduler.Coroutine, coroutines)
	q.callback = a.loop.Host().Once(scheduler.AfterDraw, func() {
		q.answer.read(a.loop)
		close(q.answered)
	})
	a.open = q
	return q
}

// leave gives up a question. The last request to do so cancels the callback.
func (a *asker) leave(q *question) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if q.waiting--; q.waiting == 0 {
		q.callback.Cancel()
		if a.open == q {
			a.open = nil
		}
	}
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
