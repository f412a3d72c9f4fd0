package workers

import "math/bits"

// The ways a worker is woken, a method for each reason. A worker sleeps in internal/sleep, or over a stolen fork (F1).
// Goroutines that are not workers sleep on a latch (wait.go), or rest (rest.go).

// wakeForWork is called by a goroutine that has made a job visible: in a lane, in a deque or in a batch (W1). It wakes
// one sleeper, unless a worker of the class already searches.
func (c *class) wakeForWork() { c.sleep.Notify() }

// wakeForForks is called by the worker with the index thief, which has shared forks. It wakes a sleeper, and the
// joiners that sleep over a fork which this worker has stolen, or that do not know their thief yet (F2). The goroutine
// that takes the bit out of joining posts, so each sleep costs one post.
func (c *class) wakeForForks(thief int) {
	for m := c.joining.Load(); m != 0; m &= m - 1 {
		i := bits.TrailingZeros64(m)
		w := c.slots[i].Load()
		at := int(w.awaits.Load())
		if (at == thief || at == unknownThief) && c.joining.And(^(1<<i))&(1<<i) != 0 {
			c.post(w)
		}
	}
	c.wakeForWork()
}

// wakeJoiner is called by a goroutine that has ended the fork over which w sleeps (F3).
func (c *class) wakeJoiner(w *Worker) { c.post(w) }

// wakeForRoom is called by a worker that has left the capped lanes. It wakes a sleeper if a job waits there (H2).
func (c *class) wakeForRoom() {
	for lane := capFrom; lane < numLanes; lane++ {
		if l := &c.pool.lanes[lane]; l.class == c && l.hasFilled() {
			c.wakeForWork()
			return
		}
	}
}

// wakeInStead is called by a worker that leaves. It wakes a sleeper if any work is visible.
func (c *class) wakeInStead() {
	if c.visible(1) > 0 {
		c.wakeForWork()
	}
}

// wakeUnwanted wakes the workers with an index from first up to last, which may have to leave: if they sleep they leave
// now, else after their job (H3, E1).
func (c *class) wakeUnwanted(first, last int32) {
	for i := first; i < last; i++ {
		c.post(c.slots[i].Load())
	}
}

// wakeAll wakes every worker, because some may begin more now, or have to leave, or need not stay any more. It is not
// counted, because it also posts to workers that are awake, which costs nobody a wake-up.
func (c *class) wakeAll() { c.sleep.PostAll() }

// post wakes one certain worker.
func (c *class) post(w *Worker) {
	c.posts.Add(1)
	w.sleeper.Post()
}

// woken returns how many wake-ups there have been, those of wakeAll excepted.
func (c *class) woken() uint64 { return c.sleep.Woken() + c.posts.Load() }
