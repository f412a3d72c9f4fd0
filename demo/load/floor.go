package load

import "fmt"

// filled is an executor on a machine on which another program keeps every processor busy at the lowest priority
// there is.
type filled struct {
	Executor
	stop func()
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
