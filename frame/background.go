package frame

import (
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// Background runs f on the pool, with the coroutine's priority, and returns its result. The frame goes on meanwhile. If
// the task is canceled first, f does not start. A panic in f is the error.
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
