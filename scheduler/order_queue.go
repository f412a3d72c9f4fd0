package scheduler

import (
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// queue puts an item into the queue as if it were submitted at now.
func (s *Scheduler) queue(it *item, p deadline.Priority, now deadline.Instant, delay, timeout time.Duration) {
	it.where = inQueue
	s.q.Push(&it.node, p, now, delay, timeout)
}

// unlink takes an item out of the queue and the lists that hold it.
func (s *Scheduler) unlink(it *item) {
	if it.where == inQueue {
		s.unqueue(it)
	} else if take := s.takeOut[it.where]; take != nil {
		take(it)
	}
	it.where = nowhere
}

// takeOuts are the functions that take an item out of where it waits, by its place. A place without one, and the queue,
// need none. Each function is beside what fills its list.
type takeOuts [inOnce + 2*place(numPhases)]func(it *item)

// unqueue takes an item out of the queue, and forgets how often the item was passed over.
func (s *Scheduler) unqueue(it *item) {
	s.q.Remove(&it.node)
	if it.skips >= s.patience {
		s.unforce(it)
	}
	it.skips = 0
}

// unforce forgets that the item was passed over too often.
func (s *Scheduler) unforce(it *item) {
	for i, f := range s.forced {
		if f == it {
			last := len(s.forced) - 1
			copy(s.forced[i:], s.forced[i+1:])
			s.forced[last] = nil
			s.forced = s.forced[:last]
			break
		}
	}
	it.skips = 0
}
