package workers

import (
	"context"
	"math"
	"reflect"
	"runtime"
	"sync/atomic"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/fault"
)

// A Scope is work that ends together: see Pool.Scope.
type Scope struct {
	pool   *Pool
	parent poolContext
	ctx    context.Context
	cancel context.CancelCauseFunc
	prio   deadline.Priority
	inside bool // the caller is known to be within a job of the pool
	low    bool // the caller is on the thread of a background worker

	left     atomic.Int64
	stack    atomic.Pointer[scopeJob]
	bell     chan struct{}
	first    atomic.Pointer[error]
	panicked atomic.Pointer[PanicError]
	open     bool // it is a Group's: RunUntil runs its jobs, too

	// With GroupOptions.AllErrors.
	all   bool
	count atomic.Int64 // functions that have been spawned
	errs  atomic.Pointer[scopeError]
}

// The protocol of a Scope, and of a Group, whose body ends with Wait. Each job is an ordinary job in a lane of the
// pool, and also in the scope's own stack. Only the scope's caller takes jobs from the stack. It claims a job like a
// worker, so the job's entry in the lane does no harm.
//
//	WS1  left counts the jobs that have not ended. It is raised before a job is visible, in the stack or in a lane,
//	     and lowered when the job has ended. All that the job spawned has been counted by then. So once the body has
//	     returned, zero means that no job is left and none will come.
//	WS2  The bell, one sticky token, is rung after a job is in the stack and after left has become zero. The caller
//	     looks at both again whenever it has taken the token, so it misses neither.
//	WS3  Only the caller ends the scope, by a compare-and-swap of left from zero to scopeEnded. A later Go finds a
//	     negative count and panics. The caller waits for the job of an earlier Go.
//
// Rejected: a scope as a loop in class.loops, because workers look there first, and a scope may be long. Rejected: a
// caller that runs any queued job, because a short wait then becomes as long as the longest job.

// scopeEnded is the value of Scope.left when Scope has returned.
const scopeEnded = math.MinInt64 / 2

// A scopeJob is one function of a Scope.
type scopeJob struct {
	job   Job
	scope *Scope
	f     func(ctx context.Context) error
	err   error
	next  *scopeJob
	at    int64 // its place among the spawned functions, if all errors are kept
}

// Scope calls body, and returns when body and everything that it spawned by Scope.Go have ended: nil, or the first
// error. The error cancels the context of the spawned functions, which is derived from ctx. When body has returned, the
// caller runs the functions that no worker has begun. So scopes may be nested to any depth, on any number of workers.
// No function may wait for another.
//
// Every spawned function is called, also after a panic or an error. A function that a closed pool drops has the error
// ErrClosed. The jobs have the priority UserBlocking, on a background worker Normal. A Scope takes some 5 µs and 14
// small allocations, and each job one more and 0.3 µs.
func (p *Pool) Scope(ctx context.Context, body func(s *Scope) error) error {
	s := &Scope{pool: p, prio: deadline.UserBlocking}
	if p.classes[background].used.Load() > 0 && p.onLowThread() {
		s.prio, s.low = deadline.Normal, true
	}
	return s.run(ctx, body)
}

// Go spawns f with the scope's context. It never blocks. Only the scope's body and functions may call it. It panics
// after Scope has returned.
func (s *Scope) Go(f func(ctx context.Context) error) {
	if f == nil {
		panic("workers: Scope.Go of a nil function")
	}
	if s.left.Add(1) <= 0 { // WS1
		s.left.Add(-1)
		if s.open {
			panic("workers: Go on a Group that has ended")
		}
		panic("workers: Go on a Scope that has ended")
	}
	p := s.pool
	j := &scopeJob{scope: s, f: f}
	j.job.Priority = s.prio
	j.job.exec = j
	if s.all {
		j.at = s.count.Add(1)
	}
	j.job.prepare(p)
	for {
		j.next = s.stack.Load()
		if s.stack.CompareAndSwap(j.next, j) {
			break
		}
	}
	lane := s.prio.Lane()
	if p.state.Load() == running && (s.open || p.classOf[lane].want.Load() > 0) {
		p.inject(lane, jobItem(&j.job), s.low)
	}
	s.ring() // WS2
}

func (s *Scope) ring() {
	select {
	case s.bell <- struct{}{}:
	default:
	}
}

func (s *Scope) run(ctx context.Context, body func(s *Scope) error) error {
	if body == nil {
		panic("workers: Scope of a nil function")
	}
	s.prepare(ctx)
	defer s.cancel(nil)
	if err := s.call(body); err != nil {
		s.fail(err)
	}
	s.join()
	return s.err()
}

func (s *Scope) prepare(ctx context.Context) {
	if ctx == nil {
		ctx = context.Background()
	}
	s.parent = poolContext{ctx, s.pool}
	s.ctx, s.cancel = context.WithCancelCause(&s.parent)
	s.bell = make(chan struct{}, 1)
}

// call calls the body. A panic in the body becomes the scope's. A Goexit goes on when all jobs have ended.
func (s *Scope) call(body func(s *Scope) error) error {
	ended := false
	defer func() {
		if ended {
			return
		}
		if v := recover(); v != nil {
			s.crash(fault.Capture("Scope", v))
			return
		}
		s.fail(ErrGoexit)
		s.join()
	}()
	err := body(s)
	ended = true
	return err
}

// crash keeps the first panic, which is raised even if there was an error before.
func (s *Scope) crash(pe *PanicError) {
	s.panicked.CompareAndSwap(nil, pe)
	s.fail(pe)
}

// fail keeps the first error.
func (s *Scope) fail(err error) {
	if s.first.CompareAndSwap(nil, &err) {
		s.cancel(err)
	}
}

// join runs the jobs that no worker has begun. When all jobs have ended it returns, or raises the first panic.
func (s *Scope) join() {
	s.help()
	s.raise()
}

func (s *Scope) raise() {
	if pe := s.panicked.Load(); pe != nil {
		panic(pe)
	}
}

func (s *Scope) help() {
	var h *visitor
	left, lane := 0, s.prio.Lane() // left: entries of jobs that ran here
	tell := func() {
		if left > 0 {
			s.pool.leftBehind(lane, left)
			left = 0
		}
	}
	defer func() {
		tell()
		s.exit(h)
	}()
	for {
		for j := s.stack.Swap(nil); j != nil; j = j.next {
			if h == nil {
				h = s.enter()
			}
			if j.claimOrSee() {
				if s.open || s.pool.classOf[lane].want.Load() > 0 { // else it has no entry: see Go
					if left++; left == 64 {
						tell()
					}
				}
				h.run(jobItem(&j.job), s.prio.Lane())
			}
		}
		if s.left.CompareAndSwap(0, scopeEnded) { // WS3
			return
		}
		if s.stack.Load() != nil {
			continue // what ran here has spawned more
		}
		tell()
		s.exit(h) // a sleeper runs nothing: a Close in a job that it waits for must not wait for it
		h = nil
		w := s.pool.workerHere()
		if w == nil || !w.suspendFor(context.Background(), nil, waitFor{scope: s}) {
			w.awaitToken(s.bell)
		}
	}
}

// enter prepares the calling goroutine to run jobs. Unless the goroutine is counted already, it is counted (C2) before
// it takes the first job.
func (s *Scope) enter() *visitor {
	p := s.pool
	if !s.inside {
		s.inside = p.inside()
	}
	if !s.inside {
		p.enter()
	}
	h := p.borrow()
	h.w.until = deadline.Deadline{}
	h.w.lowered = s.low || s.open && s.inside && p.onLowThread()
	if s.inside {
		h.w.host = p.workerHere()
	}
	return h
}

// exit undoes enter.
func (s *Scope) exit(h *visitor) {
	if h == nil {
		return
	}
	s.pool.giveBack(h)
	if !s.inside {
		s.pool.leave()
	}
}

// claimOrSee claims j, or returns false when another goroutine has. It waits while another goroutine only looks at j
// (J2).
func (j *scopeJob) claimOrSee() bool {
	for !j.job.claim() {
		if s := j.job.at(); s != queued && s != looking {
			return false
		}
		runtime.Gosched()
	}
	return true
}

func (j *scopeJob) of() any { return j.scope }

func (j *scopeJob) exec(*Worker) { j.err = j.f(j.scope.ctx) }

func (j *scopeJob) settle(err error) {
	s := j.scope
	j.f = nil
	pe, crashed := err.(*PanicError) // this job's panic; a PanicError that it returns is an error
	if err == nil {
		err = j.err
	}
	switch {
	case crashed:
		s.crash(pe)
	case err == nil:
	case s.all:
		s.keep(j.at, err)
	default:
		s.fail(err)
	}
	if s.left.Add(-1) == 0 {
		s.ring() // WS2
	}
}

func (j *scopeJob) entry() uintptr {
	if f := j.f; f != nil {
		return reflect.ValueOf(f).Pointer()
	}
	return 0
}
