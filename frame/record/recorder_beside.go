package record

import "github.com/frameslice/frameslice/workers"

// beside is what others count while frames are recorded: Go's runtime, and the pool that is watched.
type beside struct {
	runtime runtimeStats
	pool    PoolReport // the zero value without a pool
}

func readBeside(p *workers.Pool) beside { return beside{readRuntime(), readPool(p)} }

// begin takes note of what there is now.
func (b *beside) begin(p *workers.Pool) {
	*b = readBeside(p)
	b.runtime.readAllocs() // once more: readRuntime allocates
}

// since returns the counts that have come since before.
func (b *beside) since(before *beside) beside {
	p := b.pool
	sum(&p, &before.pool, -1)
	if p.Workers+p.Background == 0 { // the pool has closed
		p.Workers, p.Background = before.pool.Workers, before.pool.Background
	}
	return beside{b.runtime.combine(&before.runtime, -1), p}
}

// plus returns both together, of two turns of one loop for example.
func (b *beside) plus(o *beside) beside {
	p := b.pool
	sum(&p, &o.pool, 1)
	p.Workers, p.Background = max(p.Workers, o.pool.Workers), max(p.Background, o.pool.Background)
	return beside{b.runtime.combine(&o.runtime, 1), p}
}
