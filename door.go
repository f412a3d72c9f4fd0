package frameslice

import (
	"context"
	"io"
	"runtime"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/load"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// A Loop gives every frame a slice of time in which tasks run. It has a scheduler, a pool and a recorder. Any goroutine
// may call Post, After, Every, Each, Go, NewGroup and ParallelFor. Its methods are in the reference of the type:
//
//	go doc github.com/frameslice/frameslice/frame Loop
type Loop = frame.Loop

// New returns a loop with the settings of the preset. Close it.
func New(p Preset) *Loop { return frame.New(p.Options()) }

// NewWith is New for settings of your own: those of Preset.Options, changed.
func NewWith(o frame.Options) *Loop { return frame.New(o) }

// A Preset chooses the settings of a Loop by one word. None needs privileges.
type Preset uint8

const (
	// Balanced leaves one processor to the frame: there is one worker less than GOMAXPROCS, and jobs that fit run in
	// the slice, too. Take Balanced unless there is more work than fits. On two processors and with 1.3 times as much
	// work as fits it missed 0.13 % of the frames and did 506 jobs a second. There errgroup missed 21 % and did 617.
	// Where it has workers it raises GOMAXPROCS by one until Close, so that sound does not wait for jobs.
	Balanced Preset = iota

	// MaxThroughput puts a worker of the lowest OS priority on every processor, and collects garbage between frames.
	// Take MaxThroughput if there is more work than fits beside the game. In that run it missed no frame and did 698
	// jobs a second. It raises GOMAXPROCS and GOGC until Close. Beside two programs that spin it missed 3.6 % of the
	// frames in one run, and 7.7 % in another, in which it stood still once for half a second. Balanced missed from 4
	// to 6 %.
	MaxThroughput

	// Testing is for tests in a testing/synctest bubble: the loop uses the bubble's virtual time. A panic of a task
	// comes out of Slice. All frames count, from the first one on and however late. No watchdog prints.
	Testing
)

// Options returns the preset's settings, to be changed and passed to NewWith. Options panics if p is not a Preset.
func (p Preset) Options() frame.Options {
	switch p {
	case Balanced:
		return frame.Options{Workers: workers.Options{RaiseProcs: true}}
	case MaxThroughput:
		return frame.Options{
			Workers:         workers.Options{Background: -1, RaiseProcs: true},
			WorkersOnly:     runtime.NumCPU() > 1, // on one processor only the slice runs urgent jobs
			GCBetweenFrames: true,
		}
	case Testing:
		return frame.Options{
			Interval:  time.Second / 60,
			Scheduler: scheduler.Options{Rethrow: true, OnPanic: func(*scheduler.PanicError) {}}, // prints nothing
			JumpAfter: -1,
			OnStuck:   func(string) {},
			Recorder:  record.Options{WarmUp: -1},
		}
	}
	panic("frameslice: not a Preset")
}

// Priority is the urgency of a task, a job or a load.
type Priority = deadline.Priority

// The priorities, from the most urgent one. Work of a priority is overdue after the time in deadline.Timeouts.
const (
	Immediate    = deadline.Immediate    // before all else, such as the answer to a key
	UserBlocking = deadline.UserBlocking // the player waits for it
	Normal       = deadline.Normal       // the zero value
	Low          = deadline.Low          // soon
	Idle         = deadline.Idle         // when there is nothing else to do
)

// A Co is the argument of a coroutine (Loop.Go): Yield, NextFrame, Sleep and Wait suspend the coroutine.
type Co = scheduler.Co

// A Task is a unit of work on the frame goroutine. Cancel it, wait for it, or ask Why it has not run.
type Task = scheduler.Task

// A Handle names a posted function, to cancel it.
type Handle = scheduler.Handle

// A Group is a set of tasks that end together, such as those of a scene. Its methods:
//
//	go doc github.com/frameslice/frameslice/scheduler Group
type Group = scheduler.Group

// The phases of a frame, at which callbacks run: see Loop.Each.
const (
	BeforeUpdate = scheduler.BeforeUpdate
	BeforeDraw   = scheduler.BeforeDraw
	AfterDraw    = scheduler.AfterDraw
)

// A Future is the result of a function that runs elsewhere: see Submit and SubmitIO.
type Future[T any] = workers.Future[T]

// Submit runs f on the loop's pool, beside the frames. Any goroutine; never blocks. A coroutine waits by Await. A panic
// in f is the error. f's context ends with Future.Cancel and with the loop's Close, or that of a shared pool.
func Submit[T any](l *Loop, p Priority, f func(ctx context.Context) (T, error)) *Future[T] {
	if l == nil {
		panic("frameslice: Submit with a nil Loop")
	}
	return workers.Submit(l.Pool(), p, f)
}

// Await suspends the coroutine until the future (or a Request of a load) has ended, and returns its result. Frames go
// on meanwhile.
func Await[T any](co *Co, a scheduler.Awaitable[T]) (T, error) { return scheduler.Await(co, a) }

// Background is Submit and Await in one: f runs beside the frames, with the coroutine's priority, and the coroutine
// continues with its result, in the first slice after f has ended. If the task, its group or the loop ends first, f
// does not start, or its context ends. A panic in f is the error.
func Background[T any](co *Co, l *Loop, f func(ctx context.Context) (T, error)) (T, error) {
	if l == nil {
		panic("frameslice: Background with a nil Loop")
	}
	if f == nil {
		panic("frameslice: Background with a nil function")
	}
	job := workers.Submit(l.Pool(), co.Priority(), f)
	defer job.Cancel() // for a coroutine that unwinds
	return scheduler.Await(co, job)
}

// Blocking calls fn, which is going to wait, in a function of Submit, Background or a workers.Group with that context.
// Another worker takes the place of the function's worker meanwhile. Take Blocking for a short wait in a computation,
// such as a lock or a small file, and IO for work that only waits. Without a worker to replace, Blocking calls fn.
func Blocking(ctx context.Context, fn func()) { workers.Blocking(ctx, fn) }

// IO runs f, which waits for something, on a goroutine of its own, and the coroutine continues with its result: for a
// download, a slow disk, another process. f takes no worker and no slice, so no job and no frame waits behind it. At
// most 64 run at once (workers.Options.IO), and others begin in their order. f's context ends with the task, its group
// or the loop. A panic in f is the error. For work that computes take Background.
func IO[T any](co *Co, l *Loop, f func(ctx context.Context) (T, error)) (T, error) {
	if f == nil {
		panic("frameslice: IO with a nil function")
	}
	if l == nil {
		panic("frameslice: IO with a nil Loop")
	}
	co.Priority() // panics outside of the coroutine, before f begins
	io := SubmitIO(l, f)
	defer io.Cancel() // for a coroutine that unwinds
	return scheduler.Await(co, io)
}

// SubmitIO is IO without the wait: the Future has the result. Any goroutine; never blocks. f's context ends with
// Future.Cancel and with the loop's Close, or that of a shared pool.
func SubmitIO[T any](l *Loop, f func(ctx context.Context) (T, error)) *Future[T] {
	if l == nil {
		panic("frameslice: SubmitIO with a nil Loop")
	}
	return workers.SubmitIO(l.Pool(), f)
}

// A Loader decodes values by key on the pool, such as pictures by file name, and commits them on the frame goroutine.
type Loader[K comparable, T any] = load.Loader[K, T]

// NewLoader returns a Loader that calls decode on the loop's pool. decode may report its progress to the Meter. The
// context of a decode ends when nobody wants the value any more, or when the loop closes. With LoadOptions.OnHost call
// NewLoader in the first Update. NewLoader panics if l or decode is nil, or LoadOptions.Priority is invalid.
func NewLoader[K comparable, T any](
	l *Loop, o LoadOptions, decode func(ctx context.Context, key K, m *Meter) (T, error),
) *Loader[K, T] {
	return load.New(l, o, decode)
}

// NewLoaderFrom returns a Loader with two stages. source gets the bytes of a key, and may wait. decode makes a value of
// them on the loop's pool. Package frame/load/fetch has sources for HTTP and files. At most LoadOptions.Fetches sources
// run at once. LoadOptions.Attempts counts for the source. Otherwise it is NewLoader.
func NewLoaderFrom[K comparable, T any](
	l *Loop, o LoadOptions, source load.Source[K], decode func(ctx context.Context, key K, bytes []byte) (T, error),
) *Loader[K, T] {
	return load.NewFrom(l, o, source, decode)
}

// Pieces returns a reader of bytes for a decode function, with the function's context. image.Decode of such a reader
// makes no late frame where slices decode, as in a browser, though it is longer than a frame. See load.Pieces.
func Pieces(ctx context.Context, bytes []byte) io.Reader { return load.Pieces(ctx, bytes) }

// LoadOptions configure a Loader. The zero value is ready.
type LoadOptions = load.Options

// A Cache keeps the values of a Loader up to a budget, and loads what its Views show. Its methods:
//
//	go doc github.com/frameslice/frameslice/frame/load Cache
type Cache[K comparable, T any] = load.Cache[K, T]

// CacheOptions configure a Cache: its budget, the size of a value, and what to do with values that come and leave.
type CacheOptions[K comparable, T any] = load.CacheOptions[K, T]

// NewCache returns a cache for the values of ld. It panics if ld is nil, or the budget is negative.
func NewCache[K comparable, T any](ld *Loader[K, T], o CacheOptions[K, T]) *Cache[K, T] {
	return load.NewCache(ld, o)
}

// A View is what one place of a program wants from a Cache: the tiles around a camera, the pictures of a level.
type View[K comparable, T any] = load.View[K, T]

// A Request is one load under way: cancel it, await it, or ask for its State.
type Request = load.Request

// Progress counts requests by State: those of a Loader, or of an AllOf.
type Progress = load.Progress

// A Meter takes the progress that a decode reports.
type Meter = load.Meter

// AllOf joins requests for a coroutine: Await(co, AllOf(requests...)) returns when all of them have ended. AllOf panics
// if a request is nil.
func AllOf(requests ...*Request) scheduler.Awaitable[Progress] { return load.AllOf(requests...) }

// Report describes the frames of a run: times, missed frames and their causes. Its Save writes text, JSON, CSV and
// more.
type Report = record.Report

// Loading is the mark for the frames of a loading screen: call Loop.Mark(Loading) in each, on the frame goroutine. If
// the host is late by itself, work has half of the time in such frames, instead of an eighth.
const Loading = record.Loading

// ErrCanceled is the error of a task that was cancelled, and of a task that the loop's Close has dropped. A cancelled
// job has an error of package workers. errors.Is(err, context.Canceled) holds for both.
var ErrCanceled = scheduler.ErrCanceled

// ErrStop ends Loop.Run without an error when the function of a frame returns it.
var ErrStop = frame.ErrStop
