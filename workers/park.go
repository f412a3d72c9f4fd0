package workers

import "github.com/frameslice/frameslice/internal/park"

// parking returns how workers sleep, where Auto depends on the class.
//
// An ordinary worker polls. With the system call the worker is woken onto the waker's processor and runs there first,
// which delays the frame, and the sleeper keeps its P until the runtime notices. A background worker uses the system
// call: a lowered thread does not displace the waker, and polling sends the wake-up through a thread of ordinary
// priority, which does.
//
// A worker with a thread of its own and a P of its own (Pin, RaiseProcs) uses the system call too. It does not where
// there are background workers, which are for programs with frames. On Linux 6.12 and newer the thread asks for short
// time slices (osthread.ShortSlice), so it runs before its waker. BenchmarkWake on two busy processors gives the µs
// until the job begins and what the waker pays:
//
//	                             begins, p50    p99          waker
//	Pin, RaiseProcs (syscall)    16-19          98-127       20-23
//	syscall alone                80-126         1621-3821    7-11
//	poll                         1759-1822      1886-2090    1.1-5.0
func (p *Pool) parking() park.Kind {
	switch {
	case p.virtual:
		return park.Chan // see bubble.go
	case p.opt.forced.park != park.Auto:
		return p.opt.forced.park
	case p.opt.Pin != 0 && p.opt.RaiseProcs && p.opt.Background == 0:
		return park.Syscall
	}
	return park.Auto
}
