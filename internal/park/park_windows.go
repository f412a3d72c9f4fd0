package park

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"

	"github.com/frameslice/frameslice/internal/atomic"
)

// New returns a parker of kind k, or of the nearest kind that there is, and that kind.
func New(k Kind, _ bool) (Parker, Kind) {
	if k == Syscall {
		dll := windows.NewLazySystemDLL("api-ms-win-core-synch-l1-2-0.dll")
		wait, wake := dll.NewProc("WaitOnAddress"), dll.NewProc("WakeByAddressSingle")
		if wait.Find() == nil && wake.Find() == nil {
			return &addressParker{system: &addresses{wait.Addr(), wake.Addr()}}, Syscall
		}
	}
	return newChan(), Chan
}

// addresses are the system's functions.
type addresses struct{ waitOnAddress, wakeByAddress uintptr }

const (
	wordBytes = 4
	noTimeout = 0xffffffff
)

func (a *addresses) sleep(word, none *atomic.Uint32) {
	// The call can only fail by a timeout, and there is none.
	_, _, _ = syscall.SyscallN(a.waitOnAddress, uintptr(unsafe.Pointer(word)), uintptr(unsafe.Pointer(none)),
		wordBytes, noTimeout)
}

func (a *addresses) wake(word *atomic.Uint32) {
	_, _, _ = syscall.SyscallN(a.wakeByAddress, uintptr(unsafe.Pointer(word)))
}
