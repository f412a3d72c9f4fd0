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
	for _, c := range p.closers.wake {
		select {
		case c <- struct{}{}:
		default:
		}
	}
}

// listen returns a channel that hint sends to, until ignore.
func (p *Pool) listen() chan struct{} {
	c := make(chan struct{}, 1)
	p.closers.Lock()
	defer p.closers.Unlock()
	p.closers.wake = append(p.closers.wake, c)
	return c
}

func (p *Pool) ignore(c chan struct{}) {
	p.closers.Lock()
	defer p.closers.Unlock()
	p.closers.wake = slices.DeleteFunc(p.closers.wake, func(x chan struct{}) bool { return x == c })
}
