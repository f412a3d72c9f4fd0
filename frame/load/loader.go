package load

import (
	"context"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/internal/fault"
	"github.com/frameslice/frameslice/scheduler"
)

// Options configure a Loader.
type Options struct {
	// Label names the work, in reports and for learned costs. The default (empty) is the name of the decode function,
	// for the tasks "commit of" the name.
	// Set different labels if Loaders share that function.
	Label string

	// Priority is the urgency of the decodes and commits. The default (zero) is deadline.Normal.
	Priority deadline.Priority

	// Ahead limits how many values are decoded ahead of their commits. The default (zero) is 32 or twice the number of
	// workers, whichever is more, and up to 8 times as much while commits are quick. Set less where values are large.
	// Negative is no limit.
	Ahead int

	// OnHost commits on the host's goroutine (Loop.Host), not where the slice runs. Set OnHost with frame.PlaceShadow
	// if a commit needs the host's thread. With PlaceAuto call New in the first Update: see frame.Loop.Host.
	OnHost bool

	// Attempts is how often a key is decoded before its requests fail. The default (zero) is 1. Set more for a network.
	// Pauses between attempts double, from 0.1 to 5 s. Panics, Goexit, a closed pool and context.Canceled are final.
	Attempts int

	// Fetches limits how many sources of NewFrom run at once. The default (zero) is 6, as browsers have it for a host.
	// Negative is no limit but that of all IO of the pool, workers.Options.IO.
	Fetches int
}

const (
	firstPause = 100 * time.Millisecond // before the second attempt
	mostPause  = 5 * time.Second        // before any attempt
)

// Loader loads values by key, such as files by name, and keeps none. Any goroutine may call its methods.
//
// A commit runs exactly once, on the frame goroutine, with the value or the last error. A panic of decode is a
// *workers.PanicError. If a commit panics or calls runtime.Goexit, its request has failed; scheduler.Options.OnPanic
// gets the panic.
//
// A canceled request has no commit. Its context, Request.Cancel and the loop's Close cancel a request.
type Loader[K comparable, T any] struct {
	l       *frame.Loop
	s       *scheduler.Scheduler
	life    life // of s
	o       Options
	decode  func(context.Context, *decoding[K, T]) (T, error)
	sources sources[K, T]
	count   counters
	decodes map[K]*decoding[K, T] // those that a request may join; tasks only, as all that follows

	held       heldDecodes
	inFlight   [deadline.NumPriorities]int // decodes that the pool has, or whose value waits for commits, by lane
	limit      limit                       // of inFlight
	retryHeld  scheduler.Task              // of retrySoon
	willRetry  bool                        // retryHeld is submitted
	commitKind string                      // the label of the tasks that commit
	loaderKind string                      // the label of the other tasks
}

// New returns a Loader that calls decode on l's pool. decode may report its progress to the Meter. Its context ends
// when nobody wants the value (the cause is scheduler.ErrCanceled), or when the loop closes. New panics if l or decode
// is nil, or Options.Priority is invalid.
func New[K comparable, T any](
	l *frame.Loop, o Options, decode func(ctx context.Context, key K, m *Meter) (T, error),
) *Loader[K, T] {
	if decode == nil && l != nil {
		panic("load: New with a nil function")
	}
	return newLoader(l, o, decode, fault.NameOf(decode))
}

// NewFrom returns a Loader with two stages. The source gets the bytes of a key, on a goroutine that may wait, and
// decode makes a value of the bytes, on l's pool. So a slow download keeps no decode back, and decodes keep no download
// back. At most Options.Fetches sources run at once. Options.Attempts counts for the source only: what cannot be
// decoded has failed. Pauses between attempts are shortened at random by up to a half, and an error with a method
// RetryAfter has the last word (see Source). NewFrom panics if l, source or decode is nil, or Options.Priority is
// invalid.
func NewFrom[K comparable, T any](
	l *frame.Loop, o Options, source Source[K], decode func(ctx context.Context, key K, bytes []byte) (T, error),
) *Loader[K, T] {
	switch {
	case l == nil:
		panic("load: NewFrom with a nil Loop")
	case source == nil:
		panic("load: NewFrom with a nil Source")
	case decode == nil:
		panic("load: NewFrom with a nil function")
	}
	ld := newLoader[K, T](l, o, nil, fault.NameOf(decode))
	ld.decode = func(ctx context.Context, d *decoding[K, T]) (T, error) { return decode(ctx, d.key, d.data) }
	ld.sources.init(source, o.Fetches)
	return ld
}

// newLoader is New with the name of the decode function.
func newLoader[K comparable, T any](
	l *frame.Loop, o Options, decode func(ctx context.Context, key K, m *Meter) (T, error), name string,
) *Loader[K, T] {
	if l == nil {
		panic("load: New with a nil Loop")
	}
	if !o.Priority.Valid() {
		panic("load: Options.Priority is an invalid " + o.Priority.String())
	}
	commits := o.Label
	if o.Label == "" {
		o.Label, commits = name, "commit of "+name
	}
	s := l.Scheduler()
	if o.OnHost {
		s = l.Host()
	}
	ld := &Loader[K, T]{l: l, s: s, o: o, commitKind: commits, loaderKind: o.Label + " loader"}
	ld.life = lifeOf{s.Context()}
	ld.decode = func(ctx context.Context, d *decoding[K, T]) (T, error) { return decode(ctx, d.key, d.meter) }
	ld.decodes = make(map[K]*decoding[K, T])
	ld.limit = newLimit(o.Ahead, l.Pool())
	ld.retryHeld = ld.task(ld.retry)
	return ld
}

// task returns a task of the loader's own. The label differs from that of the commits, which take longer.
func (ld *Loader[K, T]) task(f func()) scheduler.Task {
	return scheduler.Task{Label: ld.loaderKind, Priority: deadline.Immediate, Func: f}
}

// post runs f in a task of the loader's own. Any goroutine.
func (ld *Loader[K, T]) post(f func()) {
	t := ld.task(f)
	ld.s.Submit(&t)
}

// Load asks for the value of key and calls commit with it. When ctx (nil is context.Background) is done, the request is
// canceled. Load does not block. It panics if commit is nil, or if key does not equal itself (NaN) or cannot be
// compared.
func (ld *Loader[K, T]) Load(ctx context.Context, key K, commit func(T, error)) *Request {
	if commit == nil {
		panic("load: Load with a nil commit function")
	}
	if key != key { // a key that cannot be compared panics here, and not in a task
		panic("load: Load of a key that does not equal itself")
	}
	r := &request[K, T]{ld: ld, key: key, commit: commit, priority: ld.o.Priority}
	r.life, r.count, r.in = ld.life, &ld.count, r
	r.wish.Store(int32(r.priority))
	r.task = scheduler.Task{Label: ld.commitKind, Priority: r.priority, Func: r.run}
	ld.count.total.Add(1)
	if ctx != nil && ctx.Done() != nil {
		r.done = ctx.Done()
		r.stop = context.AfterFunc(ctx, func() { r.Cancel() })
	}
	ld.post(r.begin)
	return &r.Request
}
