package osthread

import (
	"math/bits"
	"runtime"

	"golang.org/x/sys/windows"
)

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
		return Lowest, nil
	}
	ok, _, err := set.Call(self, arg(threadPriorityLowest))
	if ok == 0 {
		return Ordinary, err
	}
	return Nice, nil
}

// arg widens a signed argument to a register.
func arg(n int) uintptr { return uintptr(n) }

// Lowered reads back the calling thread's Class.
func Lowered() (Class, error) {
	get := windows.NewLazySystemDLL("kernel32.dll").NewProc("GetThreadPriority")
	if err := get.Find(); err != nil {
		return Ordinary, err
	}
	r, _, _ := get.Call(uintptr(windows.CurrentThread()))
	switch int32(r) {
	case threadPriorityIdle:
		return Lowest, nil
	case threadPriorityLowest:
		return Nice, nil
	}
	return Ordinary, nil
}

// CPUs returns the numbers of the processors that the calling thread may use, in ascending order. They are of its
// processor group, which has at most 64.
func CPUs() ([]int, error) {
	// The call that reads the process's mask wants pointers in uintptrs. The call that sets the thread's mask returns
	// the former one. So the mask is set to one allowed processor, and set back.
	runtime.LockOSThread() // or the mask would be set back on another thread
	defer runtime.UnlockOSThread()
	for cpu := range maskBits {
		old, err := setMask(1 << cpu)
		if err != nil {
			continue
		}
		if _, err = setMask(old); err != nil {
			return nil, err
		}
		var cpus []int
		for i := range maskBits {
			if old>>i&1 != 0 {
				cpus = append(cpus, i)
			}
		}
		return cpus, nil
	}
	return nil, ErrUnsupported
}

// Pin restricts the calling thread to processors of its group, one at least.
func Pin(cpus ...int) error {
	var mask uintptr
	for _, cpu := range cpus {
		if cpu < 0 || cpu >= maskBits {
			return ErrUnsupported
		}
		mask |= 1 << cpu
	}
	_, err := setMask(mask)
	return err
}

// maskBits is how many processors an affinity mask has: 64, or 32 in a 32-bit process.
const maskBits = bits.UintSize

// setMask sets the calling thread's affinity mask and returns the former one.
func setMask(mask uintptr) (old uintptr, err error) {
	set := windows.NewLazySystemDLL("kernel32.dll").NewProc("SetThreadAffinityMask")
	if err := set.Find(); err != nil {
		return 0, err
	}
	old, _, err = set.Call(uintptr(windows.CurrentThread()), mask)
	if old == 0 {
		return 0, err
	}
	return old, nil
}

// Name is not supported here.
func Name(string) error { return ErrUnsupported }

// ID returns the calling thread's id.
func ID() int { return int(windows.GetCurrentThreadId()) }

// ReadUsage is not supported here.
func ReadUsage() (Usage, error) { return Usage{}, ErrUnsupported }

// first is not known here, and does not matter: to this system's tools the first thread of a process is like the
// others.
func first() bool { return false }
