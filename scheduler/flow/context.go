package flow

import (
	"context"

	"github.com/frameslice/frameslice/scheduler"
)

// AwaitContext is [scheduler.Await] until ctx is done; then it returns context.Cause(ctx). If a has finished already,
// AwaitContext returns the result even if ctx is done. The end of ctx does not stop a. A nil ctx never ends.
// AwaitContext allocates. A deadline of ctx ignores the Clock of scheduler.Options.
func AwaitContext[T any](ctx context.Context, co *scheduler.Co, a scheduler.Awaitable[T]) (T, error) {
	mustAwait("AwaitContext", a)
	if ctx == nil {
		return scheduler.Await(co, a)
	}
	end := &contextEnd{ctx: ctx, stop: func() bool { return true }}
	first := AsCompleted[interface{ Notify(f func()) }](a, end)
	defer func() { end.stop() }()
	if i, _ := scheduler.Await(co, first); i == 0 {
		return a.Result()
	}
	var zero T
	return zero, context.Cause(ctx)
}

// contextEnd is the end of a context, as something to wait for.
type contextEnd struct {
	ctx  context.Context
	stop func() bool
}

func (e *contextEnd) Notify(f func()) {
	if e.ctx.Err() != nil {
		f() // not by a goroutine of the context, which may take its time
		return
	}
	e.stop = context.AfterFunc(e.ctx, f)
}
