package carrier

import (
	"iter"

	"github.com/frameslice/frameslice/internal/where"
)

// A Job is what a Coroutine does in a turn: an interface, because a function would be allocated.
type Job interface{ Do() }

// A Coroutine does a job in each of its turns. The job may yield, and continue in the next turn. A Coroutine must not
// be copied after Start.
type Coroutine struct {
	// At is the coroutine's record, in which its jobs run. Set Kind and Owner before Start.
	At where.Record

	job   Job
	next  func() (struct{}, bool)
	stop  func()
	yield func(struct{}) bool
}

// Start creates the coroutine, which calls job.Do in its first turn, and again in each turn after a return of Do. Do
// must not panic.
func (c *Coroutine) Start(job Job) {
	c.job = job
	c.next, c.stop = iter.Pull(c.main)
}

// Alive reports whether c was started, and has neither been stopped nor ended by a Goexit.
func (c *Coroutine) Alive() bool { return c.next != nil }

// Turn gives c a turn, and reports whether a Goexit of the job has ended c.
func (c *Coroutine) Turn() (exited bool) {
	defer func() {
		if v := recover(); v != nil {
			if c.Alive() {
				panic(v)
			}
			exited = true
		}
	}()
	c.next()
	return false
}

// Next is Turn for a caller that recovers: it panics if a Goexit has ended c, and then c is not Alive.
func (c *Coroutine) Next() { c.next() }

// Yield ends the job's turn and returns when its next turn begins: false if c is stopped instead. Only the job calls
// Yield.
func (c *Coroutine) Yield() bool { return c.yield(struct{}{}) }

// Stop ends c between two jobs. Start may follow.
func (c *Coroutine) Stop() {
	c.next = nil
	c.stop()
}

// main is the coroutine's goroutine.
//
// iter.Pull would raise a Goexit again in the resumer. So the outermost deferred function panics while the Goexit
// unwinds. iter.Pull recovers that panic, takes it for the coroutine's end, and raises it in the resumer, where Turn
// recovers it. The coroutine's goroutine ends as its Goexit demands, so nothing leaks.
//
// The deferred function nearest to the job cannot do this. It may have recovered a panic that was raised during a
// Goexit. Then nothing shows the Goexit, which continues afterwards.
func (c *Coroutine) main(yield func(struct{}) bool) {
	c.At.Enter()
	defer c.At.Leave()
	stopped := false
	defer func() {
		if !stopped {
			c.next = nil
			panic(c)
		}
	}()
	c.yield = yield
	for ok := true; ok; ok = yield(struct{}{}) {
		c.job.Do()
	}
	stopped = true
}
