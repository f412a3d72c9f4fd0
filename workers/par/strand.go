package par

import (
	"reflect"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/atomic"
	"github.com/frameslice/frameslice/internal/costs"
	"github.com/frameslice/frameslice/internal/fault"
	"github.com/frameslice/frameslice/internal/words"
	"github.com/frameslice/frameslice/workers"
)

// A Strand runs functions one at a time, in the order of the calls of Go, on any worker: the saves of a file, the
// packets of a connection, the edits of a chunk. They need no lock then. Functions of different strands run at the same
// time. A strand without functions keeps no worker and needs no Close. Create a Strand with NewStrand.
//
// A function waits for those before it, whatever their priorities, so a function that waits for a later one of its
// strand hangs. A worker prefers the next function of the strand to other work in the same lane, because the function's
// data may still be in its cache. It takes one job in 16 from elsewhere, and other workers are free to take the rest.
// In Stats.Queued a strand counts at most once.
//
// Close of the pool also runs the functions that wait in a strand. If the pool drops the function whose turn it is, or
// does not take it, the functions behind are dropped with it. Neither Close's error nor Stats.Dropped counts those
// behind. That happens when Close gives up, when a function calls Close, and when Close begins during a call of Go.
// A strand whose functions were dropped in this way keeps those that come later until the Strand itself is garbage.
type Strand struct {
	pool taker
	run  func(w *workers.Worker) // the Func of all jobs of the strand, made once
	head atomic.Pointer[turn]    // nil: nobody has the turn; &held: nobody is behind; else the newest turn behind

	// The holder of the turn owns these.
	now   *turn // the holder
	ready *turn // turns that have been taken from head, the oldest first
}

// The protocol of a Strand. The turn to run belongs to one function, the holder. The others are behind: in the list
// head, the newest first, or in ready.
//
//	ST1  A call of Go swaps head: from nil to &held, and its function is the holder; or to its own turn, in front of
//	     the list that was there. Only the holder takes the list, and leaves &held, or swaps &held for nil, and so
//	     ends the turn. If a call of Go comes between the holder's look and that swap, the swap fails, and the holder
//	     looks again.
//	ST2  now is stored before the holder's job is submitted, and a job is submitted once. The job runs now, and then
//	     makes the oldest function behind the holder. To submit that function's job is the last step, after which the
//	     old holder does not touch the strand. The pass is deferred, so it also follows a panic and a Goexit.
//
// Claim: functions run one at a time, in the order of the swaps of ST1, and none is left behind unless the pool drops
// a holder. By ST1 head is not nil while there is a holder, so no call of Go makes a second one. By ST2 the holder
// changes only when its function has ended, and only the holder's job is in the pool. ready is filled when it is empty,
// so all in ready are older than those in head. The list is turned round, which keeps the order. A pass that finds
// ready and head empty ends the turn by ST1, and its swap fails if a function came meanwhile. ∎
//
// The holder passes the turn on before its job ends, so the pool is never quiet while functions are behind, and Close
// waits for them. Worker.Submit is the pass, because the pool accepts it also while Close drains. From a background
// worker it goes by a queue that no frame waits for.
//
// Rejected: a mutex. A background worker that loses its processor while it holds the mutex would keep the frame
// waiting. Rejected: a job that runs the whole list. It keeps all other jobs of its lane waiting, the fairness of W11
// does not reach into it, and all functions would have one priority and one name.
//
// strand_explore_test.go runs ST1 and ST2, also while the pool closes.

// A taker takes jobs: the Pool, or the Worker of a job.
type taker interface {
	Submit(j *workers.Job)
	Go(prio deadline.Priority, f func())
}

// held is the end of every list of turns. Only its address is used.
var held turn

// A turn is a function's place in a Strand.
type turn struct {
	job  workers.Job
	f    func()
	next *turn
}

// NewStrand returns a Strand for functions that p runs. It panics if p is nil. It allocates about 70 bytes.
func NewStrand(p *workers.Pool) *Strand {
	if p == nil {
		panic("par: NewStrand with a nil Pool")
	}
	s := &Strand{pool: p}
	s.run = func(w *workers.Worker) { s.runNow(w) }
	return s
}

// Go runs f after the functions that were passed to Go before, in the lane of the priority. It never blocks, and takes
// no lock. It allocates about 180 bytes. A function takes about 0.3 µs more than with Pool.Go, and 1 µs more on a pool
// without workers. Any goroutine may call Go, also the frame's.
//
// Statistics, predictions of cost and panics name f as they do with Pool.Go, because f's name is the Label of its job.
// If f panics, the strand continues, and the panic is raised again in a function of its own on the pool. So
// Options.OnPanic gets the panic with f's name and stack, or else the process ends. The next function may have begun
// by then. A pool that Close has given up raises nothing any more.
//
// After Close has ended f is dropped. If f waits for a file or a lock, it keeps a worker from other work, as with
// Pool.Go.
func (s *Strand) Go(prio deadline.Priority, f func()) {
	if f == nil {
		panic("par: Strand.Go of a nil function")
	}
	mustBeValid(prio, "Strand.Go")
	t := &turn{f: f}
	t.job.Label = nameOf(reflect.ValueOf(f).Pointer())
	t.job.Priority, t.job.Func = prio, s.run
	for {
		old := s.head.Load()
		if old == nil {
			if s.head.CompareAndSwap(nil, &held) { // ST1
				s.begin(t)
				return
			}
			continue
		}
		t.next = old
		if s.head.CompareAndSwap(old, t) { // ST1
			return
		}
	}
}

// begin submits the job of t, the holder of a strand that was idle. A closed pool refuses the job. Then t and all
// behind it are dropped, and the strand is idle again, so that it does not keep the functions that come later.
func (s *Strand) begin(t *turn) {
	s.now = t // ST2
	s.pool.Submit(&t.job)
	if t.job.Finished() && t.job.Err() == workers.ErrClosed {
		s.now = nil
		s.head.Store(nil)
	}
}

// runNow runs the holder's function and passes the turn on.
func (s *Strand) runNow(w taker) {
	t := s.now
	defer func() {
		// Nobody sees the error of the job, so the panic is raised again where OnPanic gets it.
		panicked := fault.Capture(t.job.Label, recover())
		s.pass(w)
		if panicked != nil {
			w.Go(t.job.Priority, func() { panic(panicked) })
		}
	}()
	t.f()
}

// pass makes the oldest function behind the holder, or ends the turn if there is none.
func (s *Strand) pass(w taker) {
	for s.ready == nil {
		if s.head.Load() == &held {
			s.now = nil // an idle strand keeps no function
			if s.head.CompareAndSwap(&held, nil) {
				return
			}
		}
		for t := s.head.Swap(&held); t != &held; {
			t.next, s.ready, t = s.ready, t, t.next
		}
	}
	t := s.ready
	s.now, s.ready, t.next = t, t.next, nil
	w.Submit(&t.job) // ST2; accepted also while Close drains the pool
}

// nameOf returns the name of the function with that code, as package workers shows it: without the folders.
func nameOf(code uintptr) string { return words.Short(costs.NameOf("", code)) }

// mustBeValid panics about a priority that is none.
func mustBeValid(prio deadline.Priority, who string) {
	if !prio.Valid() {
		panic("par: " + who + " with an invalid " + prio.String())
	}
}
