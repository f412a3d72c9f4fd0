package workers

// maxWaiting is the greatest Options.MaxWaiting: a pool makes room for all places at once.
const maxWaiting = 1 << 30

// check panics if a field has a value that it cannot have: here, where the caller's name is on the stack.
func (o *Options) check() {
	switch {
	case o.Workers > MaxWorkers || o.Background > MaxWorkers || o.Bound > MaxWorkers:
		panic("workers: more than MaxWorkers")
	case o.Bound < 0:
		panic("workers: Options.Bound is negative")
	case o.Pin > PinCPU:
		panic("workers: invalid Options.Pin")
	case o.Park > ParkSyscall:
		panic("workers: invalid Options.Park")
	case o.Overflow > OverflowRun:
		panic("workers: invalid Options.Overflow")
	case o.MaxWaiting > maxWaiting:
		panic("workers: Options.MaxWaiting of more than 1<<30")
	}
}
