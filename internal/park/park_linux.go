package park

import (
	"encoding/binary"
	"os"

	"golang.org/x/sys/unix"
)

// New returns a parker of kind k, or of the nearest kind that there is, and that kind. A process that has run out of
// file descriptors gets Chan.
func New(k Kind, low bool) (Parker, Kind) {
	if k == Auto {
		k = Poll
		if low {
			k = Syscall
		}
	}
	switch k {
	case Poll:
		if fd, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK); err == nil {
			p := &pollParker{}
			p.file = os.NewFile(uintptr(fd), "frameslice-worker")
			p.open(fd)
			return p, Poll
		}
	case Syscall:
		if fd, err := unix.Eventfd(0, unix.EFD_CLOEXEC); err == nil {
			p := &syscallParker{}
			p.open(fd)
			return p, Syscall
		}
	}
	return newChan(), Chan
}

// An eventfd is a counter in the kernel: a write adds to it, a read waits until the counter is not zero, and clears it.
// So it is a sticky token, and a poster cannot be descheduled when it has half posted.
type eventfd struct {
	descriptor
	file *os.File // owns fd, or nil
	one  [8]byte
	buf  [8]byte
}

func (e *eventfd) open(fd int) {
	binary.NativeEndian.PutUint64(e.one[:], 1)
	e.descriptor.open(fd)
}

// Post is part of Parker.
func (e *eventfd) Post() {
	if e.pin() {
		e.write()
		e.endUse()
	}
}

// Close is part of Parker.
func (e *eventfd) Close() { e.endUse() }

// endUse ends a use of the file: the parker's own, or a Post's. The last one closes the file.
func (e *eventfd) endUse() {
	switch {
	case !e.unpin():
	case e.file != nil:
		_ = e.file.Close()
	default:
		_ = unix.Close(e.fd)
	}
}

func (e *eventfd) write() {
	// The only errors are a full counter, which is a token, and a signal, after which the call is made again.
	for {
		if _, err := unix.Write(e.fd, e.one[:]); err != unix.EINTR {
			return
		}
	}
}

// pollParker reads its eventfd through the runtime's network poller. The sleeper's P is free at once, and the thread
// that waits in epoll picks the worker up directly. It does not pass through runnext, where a thief takes it only after
// a pause that the timer slack stretches to 60 µs. There is such a thread while a P is idle, except for the case that
// sleep.Sleeper.Wait mends.
type pollParker struct{ eventfd }

func (p *pollParker) Wait() {
	// After an error the worker looks for work in vain: Wait may return without a token.
	_, _ = p.file.Read(p.buf[:])
}

// syscallParker reads its eventfd in a system call that blocks the thread.
type syscallParker struct{ eventfd }

func (p *syscallParker) Wait() { _, _ = unix.Read(p.fd, p.buf[:]) }
