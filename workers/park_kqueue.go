package workers

import "syscall"

// kqueueParker sleeps in kevent, in a queue of its own that has one event, which is the user's: EVFILT_USER. It is for
// macOS, FreeBSD and DragonFly (park_bsd.go), and compiled everywhere, because the tests of what is here use another
// kernel.
//
//	P4  The token is the event's mark in the kernel. A post sets it by a change with NOTE_TRIGGER and no flags, and
//	    makes the change again if a signal has come between.
//	P5  The event was added with EV_CLEAR, so that the kernel takes the mark in the same step in which it hands out
//	    the event. A wait sleeps until it gets the event, or an error that is no signal.
//
// So no mark is lost: only handing it out takes it, once for each wait, and the kernel looks for marks, and sleeps, in
// one step. A second post before that finds the mark and adds nothing, as it may (W4). ∎ No flags means in particular
// not EV_CLEAR again: in a change of an event that is there, FreeBSD and DragonFly take that as an order to wipe the
// mark, the one which the same change sets included. macOS does not.
type kqueueParker struct {
	descriptor
	sys kqueueCalls
}

// kqueueCalls are the system calls. The numbers that they take are the same on all three systems.
type kqueueCalls struct {
	// open is kqueue, with a number that is not passed on to other programs.
	open func() (kq int, err error)
	// change is kevent with one change of the one event there is, and no room for events: it does not wait.
	change func(kq int, flags uint16, notes uint32) error
	// take is kevent with room for one event and no change. It returns how many it has got: 1, or 0 if there is none
	// and it shall not sleep.
	take  func(kq int, sleep bool) (n int, err error)
	close func(kq int) error
}

const (
	evAdd       = 0x1
	evClear     = 0x20
	noteTrigger = 0x1000000
)

// newKqueueParker returns nil where there is no queue to be had, or where its event is not what it should be: some
// systems that know its number have none.
func newKqueueParker(sys kqueueCalls) *kqueueParker {
	kq, err := sys.open()
	if err != nil {
		return nil
	}
	if !sys.prepare(kq) {
		_ = sys.close(kq)
		return nil
	}
	p := &kqueueParker{sys: sys}
	p.open(kq)
	return p
}

// prepare adds the event, and reports whether a mark comes out, once.
func (c *kqueueCalls) prepare(kq int) bool {
	if c.tell(kq, evAdd|evClear, 0) != nil || c.tell(kq, 0, noteTrigger) != nil {
		return false
	}
	for want := 1; want >= 0; want-- {
		if n, err := c.take(kq, false); err != nil || n != want {
			return false
		}
	}
	return true
}

// tell makes a change. What is said of a call that a signal interrupts is that its changes have been made; but to make
// them again costs nothing.
func (c *kqueueCalls) tell(kq int, flags uint16, notes uint32) error {
	for {
		if err := c.change(kq, flags, notes); err != syscall.EINTR {
			return err
		}
	}
}

func (p *kqueueParker) wait() {
	for {
		// Any other error means that the worker looks for work in vain: waking without a token is allowed.
		if _, err := p.sys.take(p.fd, true); err != syscall.EINTR {
			return
		}
	}
}

func (p *kqueueParker) post() {
	if p.pin() {
		_ = p.sys.tell(p.fd, 0, noteTrigger) // there is no error that the event's being there does not exclude
		p.leave()
	}
}

func (p *kqueueParker) close() { p.leave() }

func (p *kqueueParker) leave() {
	if p.unpin() {
		_ = p.sys.close(p.fd)
	}
}
