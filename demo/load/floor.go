package load

import "fmt"

// filled is an executor on a machine on which another program keeps every processor busy at the lowest priority
// there is.
type filled struct {
	Executor
	stop func()
}

// floor is the control that the frameslice mode is read beside: the same loop on the same kind of thread, with
// no jobs of its own, while the processors are filled by a program that does nothing at all. What is late there
// is the system's or the hypervisor's doing, and nothing that an executor which uses the whole machine could
// mend.
type floor struct {
	filled
	thread promptThread
}

func newFloor() *floor { return &floor{filled: *Fill(idle{}).(*filled)} }

// Begin begins a frame.
func (x *floor) Begin() { x.thread.take() }

// Close ends the other program.
func (x *floor) Close() {
	x.filled.Close()
	x.thread.giveBack()
}

// Fill starts a program beside x that keeps every CPU busy until Close. It panics if the system refuses to start
// it; Config.Check has seen that it is there. Linux.
func Fill(x Executor) Executor {
	stop, err := spin(cpus())
	if err != nil {
		panic(fmt.Sprintf("load: mode %s: %v", Floor, err))
	}
	return &filled{Executor: x, stop: stop}
}

// Close ends the other program too, and waits for its end.
func (x *filled) Close() {
	if x.stop != nil {
		x.stop()
		x.stop = nil
	}
	x.Executor.Close()
}
