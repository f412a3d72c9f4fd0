package frame

import (
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// Background runs f on the pool, with the priority of the coroutine, and returns its result. The frame goes on
// meanwhile. If the coroutine's task is canceled before f starts, f does not start. A panic in f is the error. Call it
// in a coroutine.
func Background[T any](co *scheduler.Co, pool *workers.Pool, f func() (T, error)) (T, error) {
	if pool == nil {
		panic("frame: Background with a nil Pool")
	}
	if f == nil {
		panic("frame: Background with a nil function")
	}
	job := workers.Submit(pool, co.Priority(), f)
	defer job.Cancel() // for a coroutine that unwinds
	return scheduler.Await(co, job)
}
