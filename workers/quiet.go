package workers

import "slices"

// enter counts a goroutine that is not a worker, before it takes a job to run. It calls leave when the job has ended.
func (p *Pool) enter() {
	p.guests.Add(1)
	p.restless.Add(awoke)
}

func (p *Pool) leave() {
	p.guests.Add(-1)
	p.settle()
}

// settle undoes restless.Add(awoke).
func (p *Pool) settle() {
	p.restless.Add(^uint64(0))
	if p.state.Load() != running {
		p.hint()
	}
}

// hint wakes every goroutine that waits in Close, because some can do what others cannot.
func (p *Pool) hint() {
	p.closers.Lock()
	defer p.closers.Unlock()
	for _, b := range p.closers.wake {
		b.ring()
	}
}

// listen returns a bell that hint rings, until ignore.
func (p *Pool) listen() bell {
	b := newBell()
	p.closers.Lock()
	defer p.closers.Unlock()
	p.closers.wake = append(p.closers.wake, b)
	return b
}

func (p *Pool) ignore(b bell) {
	p.closers.Lock()
	defer p.closers.Unlock()
	p.closers.wake = slices.DeleteFunc(p.closers.wake, func(x bell) bool { return x == b })
}

// A bell wakes a goroutine that is not a worker, or not at work. It keeps one token, so a goroutine that is not waiting
// yet does not miss it.
type bell chan struct{}

func newBell() bell { return make(bell, 1) }

func (b bell) ring() {
	select {
	case b <- struct{}{}:
	default:
	}
}
