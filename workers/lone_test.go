package workers

// lone returns a worker of a pool without goroutines.
func lone() *Worker {
	p := &Pool{}
	for i := range p.lanes {
		p.lanes[i].init()
	}
	c := &p.classes[ordinary]
	c.pool = p
	return &Worker{pool: p, class: c}
}
