package osthread

import "golang.org/x/sys/windows"

// Thread priorities of SetThreadPriority, relative to the process's class.
const (
	threadPriorityIdle   = -15
	threadPriorityLowest = -2
)

// Lower gives the calling thread the lowest priority that the system grants, and says which.
func Lower() (Class, error) {
	set := windows.NewLazySystemDLL("kernel32.dll").NewProc("SetThreadPriority")
	if err := set.Find(); err != nil {
		return Ordinary, err
	}
	self := uintptr(windows.CurrentThread())
	if ok, _, _ := set.Call(self, arg(threadPriorityIdle)); ok != 0 {
		return Batch, nil
	}
	ok, _, err := set.Call(self, arg(threadPriorityLowest))
	if ok == 0 {
		return Ordinary, err
	}
	return Nice, nil
}

// arg widens a signed argument to a register.
func arg(n int) uintptr { return uintptr(n) }

// Lowered reads back how the calling thread stands.
func Lowered() (Class, error) {
	get := windows.NewLazySystemDLL("kernel32.dll").NewProc("GetThreadPriority")
	if err := get.Find(); err != nil {
		return Ordinary, err
	}
	r, _, _ := get.Call(uintptr(windows.CurrentThread()))
	switch int32(r) {
	case threadPriorityIdle:
		return Batch, nil
	case threadPriorityLowest:
		return Nice, nil
	}
	return Ordinary, nil
}

// CPUs is not supported here.
func CPUs() ([]int, error) { return nil, ErrUnsupported }

// Pin is not supported here.
func Pin(int) error { return ErrUnsupported }

// Name is not supported here.
func Name(string) error { return ErrUnsupported }

// ID returns the calling thread's id.
func ID() int { return int(windows.GetCurrentThreadId()) }

// ReadUsage is not supported here.
func ReadUsage() (Usage, error) { return Usage{}, ErrUnsupported }

// first is not known here, and does not matter: the first thread of a process is like the others to this
// system's tools.
func first() bool { return false }
