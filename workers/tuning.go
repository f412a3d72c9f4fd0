package workers

import (
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/sleep"
)

// The numbers that tune the pool, and why they are what they are. Those of loops are in internal/loops, of
// late frames and other programs in internal/lowprio, and of the CPU quota in internal/quota.

// How often a goroutine looks before it sleeps. One look and the pause after it take about 15 to 100 ns.
//
//	who                                  looks                       until
//	a worker without work                spinning.Looks (20)         2 µs, half of what a wake-up costs the waker
//	the same within a frame              spinning.Hot at most        spinning.Most (200 µs), while that pays
//	Join, over a fork that was stolen    joinSpins (100)             1.5 µs

// spinning is for ordinary workers. Hot looks must take longer than Most: raise both together. Background workers do
// not spin.
var spinning = sleep.Spin{
	Looks: 20,
	Most:  200 * time.Microsecond,
	First: 50 * time.Microsecond,
	Torn:  100 * time.Microsecond,
	Pause: 64 * time.Millisecond,
	Hot:   5000,
}

// joinSpins is short: looking for 18 µs, as loops do, makes halves of 20 and 25 µs, and longer ones, no faster.
const joinSpins = 100

// Fairness between lanes and queues.
const (
	// floor is how many jobs of more urgent lanes a worker runs before it looks at the other lanes first, once (W9).
	// Before every floor-th loop that a frame waits for, a worker takes a job of its first lane, or of an overdue lane.
	floor = 15

	// fairness: of so many takes from a lane by one worker, one takes the oldest job from outside, and one the worker's
	// own oldest. So the n-th oldest job begins before fairness*n later jobs (W11).
	fairness = 16

	// Every robFirst-th look goes to the other workers' queues first, and the look after that to the jobs that
	// background workers have submitted. So these jobs do not wait while work comes from outside without a pause.
	// robFirst is a prime, so as not to go in step with the other numbers.
	robFirst = 61

	// ageEvery is how often a worker looks whether a lane is overdue, if its jobs are short: a look takes 0.1 µs.
	ageEvery = time.Millisecond
)

// Batches of brief jobs.
const (
	// batchMost is how many jobs a worker takes from outside at once: enough to share the cost of one claim.
	batchMost = 32

	// Before every robBatches-th batch a worker takes from other workers' batches. So a batch whose owner runs a long
	// job does not wait while jobs come from outside without a pause.
	robBatches = 4
)

// history is how many runs of a kind must be known before RunUntil runs such a job beside workers. Of a kind of which
// one run in 30 is long, all of so many are short once in 6000 times.
const history = 256

// noise is how many times longer than guessed a run may have been all the same: other programs, the hypervisor and the
// second thread of a core do that to jobs that always compute the same. Without noise, equal jobs of 2.2 ms ran in
// hardly any slice, because 3 in 100 seemed to take 4 to 9 ms. A third fewer jobs were done.
const noise = 5

// Limits.
const (
	// capFrom is the first lane whose jobs may not occupy all ordinary workers at once (W10). A pool of one worker has
	// no such cap, and background workers have none.
	capFrom = deadline.NumPriorities - 2 // Low and Idle

	// maxSpares is how many workers, of each class, may stand in at once for workers within Blocking. Spares included,
	// a class has at most maxWorkers.
	maxSpares = 8
)

// Times.
const (
	// worthMetering is the mean cost above which a background worker asks the system for a run's processor time. To ask
	// takes 1 µs.
	worthMetering = 200 * time.Microsecond

	// A meter looks at its thread again when its look is staleLook old. It does not ask why a run was long that took
	// less than shortRun. A background worker's run that gave the processor up for longWait in all has waited. A run
	// that is on another thread after less than goPreempts says nothing: Go's scheduler may have interrupted it.
	staleLook = time.Millisecond
	shortRun  = time.Millisecond
	longWait  = 2 * time.Millisecond

	goPreempts = 15 * time.Millisecond

	// lookEvery is how often the pool looks for jobs that wait: see class_waits.go. A look takes some µs. A wait of
	// raiseLooks looks brings a spare in, which takes as long as a frame of 16 ms. In lowerLooks looks there is one
	// beside which the frame goroutine does not run, even if its own work takes most of the frame.
	lookEvery  = 4 * time.Millisecond
	raiseLooks = 3
	lowerLooks = 5

	// longStretch is how long brief jobs may run one after the other, untimed, with the searches in between. It is
	// longer than 63 jobs of 1 µs or 15 of 20 µs, of some kinds in turn.
	longStretch = 2 * time.Millisecond

	// pumpedLately is how long after a call of RunUntil another call is expected: a few frames, even slow ones.
	pumpedLately = time.Second
)

// defaultIO is Options.IO. A browser opens up to 6 connections to a host, and 256 in all. A disk has a queue of 32.
const defaultIO = 64
