// Package timeline keeps the latest runs of tasks and jobs, for a trace.
package timeline

import (
	"sync"
	"sync/atomic"

	"github.com/frameslice/frameslice/deadline"
)

// A Run is one run of a task on the frame goroutine, or of a job. A coroutine has a Run for each turn.
type Run struct {
	// Ready is when the work was submitted, or could continue; 0 if unknown.
	Ready, Begin, End deadline.Instant
	Label             string
	// ID is one number for all runs of a task, and one for a job until its memory is used again.
	ID uint64
	// Awaits is the ID of the job for which the run of a coroutine ended, or 0.
	Awaits   uint64
	Priority deadline.Priority
	Where    Where
	// Worker is the number of the worker among its kind.
	Worker uint8
}

// Where says where a Run was.
type Where uint8

const (
	Frame      Where = iota // a task of the frame goroutine
	Shadow                  // a task of the slice beside the host
	Worker                  // a job of an ordinary worker
	Background              // a job of a background worker
	Caller                  // a job of RunUntil, Wait and the like
	Runner                  // a job of a bridge.Runner, as in the slice
)

// A Log keeps the latest runs. Any goroutine adds and reads.
type Log struct {
	mu   sync.Mutex
	runs []Run
	n    uint64        // how many were added
	lost atomic.Uint64 // how many were not, because another goroutine had the lock
}

// New returns a log for so many runs, at least one.
func New(size int) *Log { return &Log{runs: make([]Run, max(size, 1))} }

// Add adds a run. It never waits: while a reader copies, the run is lost, and counted.
func (l *Log) Add(r Run) {
	if !l.mu.TryLock() {
		l.lost.Add(1)
		return
	}
	l.runs[l.n%uint64(len(l.runs))] = r
	l.n++
	l.mu.Unlock()
}

// Read appends all runs to dst, in order, and returns how many there were that are not kept.
func (l *Log) Read(dst []Run) (all []Run, dropped uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	size := uint64(len(l.runs))
	for i := l.n - min(l.n, size); i < l.n; i++ {
		dst = append(dst, l.runs[i%size])
	}
	return dst, l.n - min(l.n, size) + l.lost.Load()
}
