package load

import (
	"context"
	"errors"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// Loop is what a Loader needs of a frame.Loop.
type Loop interface {
	Scheduler() *scheduler.Scheduler
	Host() *scheduler.Scheduler // see Options.OnHost
	Pool() *workers.Pool
	Frame() uint64 // the number of the frame in progress; called in tasks
}

// Options configure a Loader.
type Options struct {
	// Label names the decoding jobs and the commits, and is their kind for the estimates of their costs. The
	// default (empty) is the name of the decode function. What a Loader does beside them in tasks, some µs for a
	// request, is of a kind of its own, or those estimates would be wrong: the Label, if there is one, and " loader",
	// or else "loader".
	Label string

	// Decode is the priority of the jobs on the pool, Commit that of the tasks in the slice. The default
	// (zero) values are deadline.Normal.
	Decode, Commit deadline.Priority

	// Ahead is how many values may be decoded ahead of their commits at most, as each takes memory: those that wait
	// for them, and what the pool has for the loader, which will. Further decodes begin as commits do. A value
	// that some requests share is one, until the last of their commits begins. If commits differ in priority
	// (Request.SetPriority), those that are less urgent do not count, but all together are twice as many at most. A
	// negative value is no bound. The default (zero) value is 32, or twice as many as the pool has workers, if that is
	// more; where a frame commits more than half of that, as when each commit takes some 0.1 ms, it is twice as many
	// as frames have committed lately, but 8 times that first number at most, until nothing is ahead. So where values
	// may be large give a bound, which then holds whatever is committed.
	Ahead int

	// OnHost commits on the host's own goroutine, inside Loop.Slice (see frame.Loop.Host, which New then asks for:
	// after Wrap). The default (zero) value commits where the slice runs, which is the same but for PlaceShadow.
	OnHost bool

	// Attempts is how often a key is decoded at most. The default (zero) value is 1, as a negative one: no second
	// attempt.
	Attempts int

	// Retry, if not nil, says which errors are worth another attempt; it runs on the frame goroutine. If it
	// panics, there is none. The default (nil) is all but panics, Goexit, a closed pool, and context.Canceled.
	Retry func(error) bool

	// Backoff is the time before the second attempt, twice as long before each further one, at most
	// MaxBackoff. The default (zero) values, as negative ones, are 100 ms and 5 s.
	Backoff, MaxBackoff time.Duration
}

func (o Options) withDefaults(decode any) Options {
	for _, f := range []struct {
		name string
		p    deadline.Priority
	}{{"Decode", o.Decode}, {"Commit", o.Commit}} {
		if !f.p.Valid() {
			panic("load: Options." + f.name + " is an invalid " + f.p.String())
		}
	}
	if o.Label == "" {
		o.Label = "load"
		if f := runtime.FuncForPC(reflect.ValueOf(decode).Pointer()); f != nil {
			o.Label = f.Name()
		}
	}
	if o.Retry == nil {
		o.Retry = worthRetrying
	}
	if o.Backoff <= 0 {
		o.Backoff = 100 * time.Millisecond
	}
	if o.MaxBackoff <= 0 {
		o.MaxBackoff = 5 * time.Second
	}
	return o
}

func worthRetrying(err error) bool {
	var pe *workers.PanicError
	return !errors.As(err, &pe) && !errors.Is(err, workers.ErrGoexit) && !errors.Is(err, workers.ErrClosed) &&
		!errors.Is(err, context.Canceled)
}

// Loader loads what has keys, names of files for example. Requests for one key that is under way share one decode. If
// the last of them is canceled, so is the decode. Make a Loader with New. Any goroutine may call its methods.
//
// A request's commit is called exactly once, on the frame goroutine, with the value or the last error. A panic in
// decode is a *workers.PanicError. A request that was canceled has no commit: by Cancel, by its context, by a newer
// request of its Slot, or by the loop's Close. A value that nobody wants any more is dropped. A request whose commit
// panics or calls runtime.Goexit has failed: see Request.Result. The task of the commit has failed as well: see
// scheduler.Options.OnPanic.
type Loader[K comparable, T any] struct {
	l       Loop
	s       *scheduler.Scheduler
	o       Options
	name    string // of the tasks that do not commit
	decode  func(context.Context, K, *Meter) (T, error)
	count   counters
	errands sync.Pool
	flights map[K]*flight[K, T] // tasks only, as what follows
	held    heldFlights[K, T]   // those for which there was no room
	spent   *errand             // the one that ran last
	look    scheduler.Task      // whether there is room
	awaits  bool                // it is on its way
	seq     uint64              // flights so far

	places places
	ahead  [deadline.NumPriorities]int // flights that the pool has, or whose value waits, by their commits' priority
}

// New returns a Loader. decode runs on the pool; its context ends when nobody wants the result any more,
// with the cause scheduler.ErrCanceled, or when the loop closes. It may tell the Meter how far it is.
func New[K comparable, T any](
	l Loop, o Options, decode func(ctx context.Context, key K, m *Meter) (T, error),
) *Loader[K, T] {
	if l == nil {
		panic("load: New with a nil Loop")
	}
	if decode == nil {
		panic("load: New with a nil function")
	}
	return newLoader(l, o, decode, decode)
}

// newLoader is New for what the program calls decode.
func newLoader[K comparable, T any](
	l Loop, o Options, decode func(context.Context, K, *Meter) (T, error), named any,
) *Loader[K, T] {
	name := strings.TrimLeft(o.Label+" loader", " ")
	o = o.withDefaults(named)
	s := l.Scheduler()
	if o.OnHost {
		s = l.Host()
	}
	ld := &Loader[K, T]{l: l, s: s, o: o, name: name, decode: decode, flights: make(map[K]*flight[K, T])}
	ld.places = newPlaces(o.Ahead, l.Pool())
	ld.look = ld.task(ld.looks)
	return ld
}

// task returns a task of the loader's own.
func (ld *Loader[K, T]) task(f func()) scheduler.Task {
	return scheduler.Task{Label: ld.name, Priority: deadline.Immediate, Func: f}
}

// errand is such a task, used again and again, because it is larger than what it does.
type errand struct {
	task scheduler.Task
	f    func()
}

// post has f run in a task of the loader's own. Any goroutine.
func (ld *Loader[K, T]) post(f func()) {
	e, _ := ld.errands.Get().(*errand)
	if e == nil {
		e = new(errand)
		e.task = ld.task(func() { ld.run(e) })
	}
	e.f = f
	ld.s.Submit(&e.task)
}

// run runs an errand, which is free when the next one runs, and this one has ended.
func (ld *Loader[K, T]) run(e *errand) {
	if ld.spent != nil && ld.spent.task.State() != scheduler.Running { // it runs if we are in a Nest of its
		ld.errands.Put(ld.spent)
	}
	ld.spent = e
	f := e.f
	e.f = nil
	f()
}

// Load asks for the value of key, for commit. When ctx is done the request is canceled, and no commit begins any
// more; nil is no context. (A request is in no scheduler.Group: a scene that has one cancels both.) It does not block,
// but registering with a context that another goroutine is just canceling waits for that. It panics if commit is nil,
// or if key does not equal itself or cannot be compared.
func (ld *Loader[K, T]) Load(ctx context.Context, key K, commit func(T, error)) *Request {
	return ld.LoadInto(ctx, nil, key, commit)
}

// LoadInto is Load for a slot that shows one thing at a time: the slot's earlier request is canceled, so that
// a result which comes late does not replace a newer one. If both have the same key, they share the decode. A
// nil slot is none. Where requests come faster than decodes end (a path to a goal that moves) each cancels the one
// before and none is committed: Slot.Finish is for that.
func (ld *Loader[K, T]) LoadInto(ctx context.Context, slot *Slot, key K, commit func(T, error)) *Request {
	if commit == nil {
		panic("load: Load with a nil commit function")
	}
	if key != key { // NaN; and what cannot be a key panics here, and not in a task
		panic("load: Load of a key that does not equal itself")
	}
	r := &request[K, T]{ld: ld, key: key, commit: commit}
	r.life, r.count, r.in = ld.s.Context(), &ld.count, r
	r.wish.Store(uint32(urgencyOf(ld.o.Decode, ld.o.Commit)))
	r.task = scheduler.Task{Label: ld.o.Label, Priority: ld.o.Commit, Func: r.run}
	ld.count.total.Add(1)
	var old *Request
	switch {
	case slot == nil:
	case slot.Finish:
		r.slot = slot
		slot.latest.Store(&r.Request)
	default:
		if old = slot.latest.Swap(&r.Request); old != nil && !old.mark() {
			old = nil
		}
	}
	if ctx != nil && ctx.Done() != nil {
		r.done = ctx.Done()
		r.stop = context.AfterFunc(ctx, func() { r.Cancel() })
	}
	ld.post(r.begin)
	if old != nil {
		old.in.canceled() // after begin, so that a shared decode goes on
	}
	return &r.Request
}

// One loads one thing without a key: decode on the pool, commit in the slice. It is a Loader for one request.
func One[T any](
	ctx context.Context, l Loop, o Options,
	decode func(ctx context.Context, m *Meter) (T, error), commit func(T, error),
) *Request {
	if decode == nil {
		panic("load: One with a nil function")
	}
	if commit == nil { // before anything is decided for the loop
		panic("load: One with a nil commit function")
	}
	if l == nil {
		panic("load: One with a nil Loop")
	}
	o.Ahead = -1 // there is one
	one := func(ctx context.Context, _ struct{}, m *Meter) (T, error) { return decode(ctx, m) }
	ld := newLoader(l, o, one, decode)
	return ld.Load(ctx, struct{}{}, commit)
}
