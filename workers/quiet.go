package workers

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
func (p *Pool) hint() { p.closers.wakeSleepers() }
