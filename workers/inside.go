package workers

import "github.com/frameslice/frameslice/internal/where"

// inside reports whether the calling goroutine runs a job of this pool: whether it is one of its workers, or the
// carrier of one of its callers, or of a fork within either.
func (p *Pool) inside() bool { return where.In(p, where.Worker, where.Job) }

// withinJob reports whether the calling goroutine runs a job of some pool.
func withinJob() bool { return where.In(nil, where.Worker, where.Job) }
