package park

import (
	"sync/atomic"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// New returns a parker of kind k, or of the nearest kind that there is, and that kind.
func New(k Kind, _ bool) (Parker, Kind) {
	if k == Syscall {
		dll := windows.NewLazySystemDLL("api-ms-win-core-synch-l1-2-0.dll")
		sleep, wake := dll.NewProc("WaitOnAddress"), dll.NewProc("WakeByAddressSingle")
		if sleep.Find() == nil && wake.Find() == nil {
			return &addressParker{sleep: sleep.Addr(), wake: wake.Addr()}, Syscall
		}
	}
	return newChan(), Chan
}

// addressParker sleeps on its token's address, in a system call that blocks the thread. The system has lent nothing, so
// there is nothing to give back. A post after the worker has gone only changes the parker's own word.
//
//	P1  A post stores the token, and then wakes, even if there was a token before. The goroutine that left that token
//	    may have been descheduled before it woke anybody, and others do not wait for it.
//	P2  A wait takes the token by a swap. It sleeps only if there is no token at the moment at which the system
//	    enqueues it: the system compares, and enqueues, in one step.
//
// So nobody sleeps beside a token that a post has left. If the sleeper was enqueued before the token came, the wake-up
// that follows finds the sleeper. Otherwise the comparison has found the token. ∎ A sleeper that is woken too late, or
// for no reason, finds no token, and sleeps again.
type addressParker struct {
	token atomic.Uint32 // 0 or 1
	none  uint32        // always 0: what token is compared with

	sleep, wake uintptr // the system's functions
}

const (
	tokenBytes = 4
	noTimeout  = 0xffffffff
)

func (p *addressParker) Wait() {
	for p.token.Swap(0) == 0 {
		// The call can only fail by a timeout, and there is none.
		_, _, _ = syscall.SyscallN(p.sleep, uintptr(unsafe.Pointer(&p.token)), uintptr(unsafe.Pointer(&p.none)),
			tokenBytes, noTimeout)
	}
}

func (p *addressParker) Post() {
	p.token.Store(1)
	_, _, _ = syscall.SyscallN(p.wake, uintptr(unsafe.Pointer(&p.token)))
}

func (p *addressParker) Close() {}
