package load

import (
	"github.com/frameslice/frameslice/demo/sim"
)

// An Executor runs jobs in one mode. It is the sim.Runner under the world. Only the Executor differs between the modes.
// Every method is called on the frame goroutine.
type Executor interface {
	sim.Runner

	// Begin starts a frame: what was finished is committed, what was carried over is handed out.
	Begin()
	// End follows the frame's own work. The frameslice mode has its slice there, and the inline mode its jobs.
	End()
	// Pending returns how many jobs were submitted and are not committed.
	Pending() int
	// Close discards what has not been started, and waits for what has. No goroutine is left then, and GOMAXPROCS is as
	// it was. Idempotent.
	Close()
}

// outstanding bounds the jobs that a naive executor has handed to its goroutines. Further jobs wait in a queue of the
// frame goroutine. The channel of results has room for all of them, so no job ever blocks on handing back.
const outstanding = 1 << 14

// Open starts the executor of a mode. The bound of the inline mode follows from c's load.
func Open(m Mode, c Config) Executor {
	c = c.WithDefaults()
	n := cpus()
	switch m {
	case Inline:
		return &inline{most: max(1, int(c.rate(n)*c.Interval.Seconds()+0.999))}
	case InlineBudget:
		return &inline{budget: c.Interval * 2 / 3}
	case Goroutines:
		return newGoroutines()
	case Workers:
		return newChannel(n)
	case Errgroup:
		return newFedGroup(n)
	}
	if p, ok := m.Preset(); ok {
		return newSliced(c, p)
	}
	return idle{}
}

// idle is for a loop without offered jobs. The world submits a few of its own, and they run at once.
type idle struct{ sim.Inline }

func (idle) Begin()       {}
func (idle) End()         {}
func (idle) Pending() int { return 0 }
func (idle) Close()       {}

// fifo is a queue that keeps its memory.
type fifo[T any] struct {
	items []T
	head  int
}

func (q *fifo[T]) len() int { return len(q.items) - q.head }

func (q *fifo[T]) push(v T) {
	if q.head > 0 && len(q.items) == cap(q.items) {
		n := copy(q.items, q.items[q.head:])
		clear(q.items[n:])
		q.items, q.head = q.items[:n], 0
	}
	q.items = append(q.items, v)
}

func (q *fifo[T]) front() T { return q.items[q.head] }

func (q *fifo[T]) pop() T {
	v := q.items[q.head]
	var zero T
	q.items[q.head] = zero
	q.head++
	if q.head == len(q.items) {
		q.items, q.head = q.items[:0], 0
	}
	return v
}
