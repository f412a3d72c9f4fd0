package record

import "github.com/frameslice/frameslice/workers"

// beside is what others have counted while frames were recorded: Go's runtime, and the pool that is watched.
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

// since returns what has come since before.
func (b *beside) since(before *beside) beside {
	return beside{b.runtime.since(&before.runtime), b.pool.since(before.pool)}
}

// plus returns both together.
func (b *beside) plus(o *beside) beside {
	return beside{b.runtime.plus(&o.runtime), b.pool.plus(o.pool)}
}
