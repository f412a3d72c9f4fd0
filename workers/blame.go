package workers

import (
	"sync/atomic"

	"github.com/frameslice/frameslice/internal/carrier"
	"github.com/frameslice/frameslice/internal/fault"
)

// failures ends the items that did not return, or that will not run, and counts them.
type failures struct {
	kinds   *kinds
	onPanic func(*PanicError) // Options.OnPanic

	panicked atomic.Uint64
	dropped  atomic.Uint64
	lost     atomic.Uint64 // how many of the dropped jobs had been accepted
}

// failed ends an item that panicked with v, or called Goexit if v is nil. It must be called by the deferred
// function that recovered.
func (f *failures) failed(it item, v any) {
	if v != nil {
		f.blame(it, fault.Capture(f.kinds.nameOf(it), v))
	} else if it.job() != nil {
		it.job().finish(ErrGoexit)
	}
}

// caught ends an item that panicked on c. The item's name is looked for only now, as that takes longer than a brief
// job.
func (f *failures) caught(c *carrier.Carrier, it item) {
	if c.Own && c.Panic.Label == "" {
		c.Panic.Label = f.kinds.nameOf(it)
	}
	f.blame(it, c.Panic)
}

// blame ends an item that panicked. OnPanic comes last, as it may not return, or may call Close.
func (f *failures) blame(it item, pe *PanicError) {
	f.panicked.Add(1)
	owned := false
	if j := it.job(); j != nil {
		_, bare := j.exec.(*function) // before the end, after which j may be used again
		owned = !bare
		j.finish(pe)
	}
	if !owned {
		f.unhandled(pe)
	}
}

// unhandled deals with a panic that has no owner.
func (f *failures) unhandled(pe *PanicError) {
	if f.onPanic != nil {
		f.onPanic(pe)
		return
	}
	// On a goroutine of its own, where nobody can recover it: as if the job had been a goroutine.
	go func() { panic(crash{pe}) }()
}

// crash is a PanicError whose text has the stack, because the process ends and prints nothing else of it.
type crash struct{ *PanicError }

func (c crash) Error() string { return c.PanicError.Error() + "\n\n" + string(c.Stack) }

// drop ends an item of the lane that will not run.
func (f *failures) drop(it item, l *lane) {
	if it.job() == nil || it.job().claimFrom(l.class) {
		f.lose(it)
	}
}

// lose ends an item that has been claimed and will not run.
func (f *failures) lose(it item) {
	f.countLost()
	if it.job() != nil {
		it.job().finish(ErrClosed)
	}
}

// countLost counts an item that had been accepted, and does not run to its end.
func (f *failures) countLost() {
	f.dropped.Add(1)
	f.lost.Add(1)
}

// refuse ends j, which is the caller's and has not been accepted.
func (f *failures) refuse(j *Job) {
	f.dropped.Add(1)
	j.finish(ErrClosed)
}
