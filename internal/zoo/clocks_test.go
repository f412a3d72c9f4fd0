package zoo_test

import (
	"sync"
	"time"
)

const ms = time.Millisecond

// A clock is the time of a play. compute needs a processor, and wait does not: that is the GPU, the display or a timer.
type clock interface {
	now() time.Duration
	compute(d time.Duration)
	wait(d time.Duration)
}

// sum is the clock of a play on one goroutine: time is a sum.
type sum struct{ t time.Duration }

func (c *sum) now() time.Duration      { return c.t }
func (c *sum) compute(d time.Duration) { c.t += max(d, 0) }
func (c *sum) wait(d time.Duration)    { c.t += max(d, 0) }

// bubble is the clock of a testing/synctest bubble, in which there is a processor for every goroutine.
type bubble struct{ begun time.Time }

func (c bubble) now() time.Duration      { return time.Since(c.begun) }
func (c bubble) compute(d time.Duration) { c.wait(d) }
func (c bubble) wait(d time.Duration) {
	if d > 0 {
		time.Sleep(d)
	}
}

// processors is a bubble with few processors. Goroutines get them in the order in which they ask, and keep them for at
// most 10 ms while others wait, as with Go's scheduler.
type processors struct {
	bubble
	mu    sync.Mutex
	free  int
	queue []chan struct{}
}

const quantum = 10 * ms

func (c *processors) compute(d time.Duration) {
	for d > 0 {
		c.acquire()
		part := min(d, quantum)
		c.wait(part)
		d -= part
		c.release()
	}
}

func (c *processors) acquire() {
	c.mu.Lock()
	if c.free > 0 {
		c.free--
		c.mu.Unlock()
		return
	}
	turn := make(chan struct{})
	c.queue = append(c.queue, turn)
	c.mu.Unlock()
	<-turn
}

func (c *processors) release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.queue) == 0 {
		c.free++
		return
	}
	close(c.queue[0])
	c.queue = c.queue[1:]
}
