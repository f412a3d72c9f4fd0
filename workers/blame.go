package workers

import (
	"github.com/frameslice/frameslice/internal/carrier"
	"github.com/frameslice/frameslice/internal/fault"
)

// failed ends an item that panicked with v, or called Goexit if v is nil. It must be called by the deferred
// function that recovered.
func (p *Pool) failed(it item, v any) {
	if v != nil {
		p.panicked.Add(1)
		p.blame(it, fault.Capture(p.nameOf(it), v))
	} else if it.job() != nil {
		it.job().finish(ErrGoexit)
	}
}

// blame ends an item that panicked. OnPanic comes last, as it may not return, or may call Close.
func (p *Pool) blame(it item, pe *PanicError) {
	owned := false
	if j := it.job(); j != nil {
		switch j.exec.(type) { // before the end, after which j may be used again
		case *function:
		default:
			owned = true
		}
		j.finish(pe)
	}
	if !owned {
		p.unhandled(pe)
	}
}

// caught returns the panic of an item that ran on c. The item's name is looked for only now, as that takes longer than
// a brief job.
func (p *Pool) caught(c *carrier.Carrier, it item) *PanicError {
	if c.Own && c.Panic.Label == "" {
		c.Panic.Label = p.nameOf(it)
	}
	return c.Panic
}

// unhandled deals with a panic that has no owner.
func (p *Pool) unhandled(pe *PanicError) {
	if h := p.opt.OnPanic; h != nil {
		h(pe)
		return
	}
	// On a goroutine of its own, where nobody can recover it: as if the job had been a goroutine.
	go func() { panic(crash{pe}) }()
}

// crash is a PanicError whose text has the stack, because the process ends and prints nothing else of it.
type crash struct{ *PanicError }

func (c crash) Error() string { return c.PanicError.Error() + "\n\n" + string(c.Stack) }

// drop ends an item of the lane that will not run.
func (p *Pool) drop(it item, l *lane) {
	if it.job() == nil || it.job().claimFrom(l.class) {
		p.lose(it)
	}
}

// lose ends an item that has been claimed and will not run.
func (p *Pool) lose(it item) {
	p.dropped.Add(1)
	p.lost.Add(1)
	if it.job() != nil {
		it.job().finish(ErrClosed)
	}
}

// refuse ends j, which was to come into the lane, unless somebody has canceled j and submitted it to another pool.
func (p *Pool) refuse(j *Job, l *lane) {
	if j.claimFrom(l.class) {
		p.dropped.Add(1)
		j.finish(ErrClosed)
	}
}
