//go:build darwin || dragonfly || freebsd

package workers

import "golang.org/x/sys/unix"

// The numbers of park_kqueue.go are this system's, or this does not compile.
const _ = -uint((unix.EV_ADD ^ evAdd) | (unix.EV_CLEAR ^ evClear) | (unix.NOTE_TRIGGER ^ noteTrigger))

// newParker returns a parker of the kind asked for, or the nearest that there is, and which it is. A process that has
// run out of file descriptors, or of queues, gets channels.
func newParker(k Park, _ bool) (parker, Park) {
	if k == ParkSyscall {
		sys := kqueueCalls{open: openKqueue, change: changeEvent, take: takeEvent, close: unix.Close}
		if p := newKqueueParker(sys); p != nil {
			return p, ParkSyscall
		}
	}
	return newChanParker(), ParkChan
}

// openKqueue needs no lock against forks: a child does not inherit queues. It is exec alone that would pass one on.
func openKqueue() (int, error) {
	kq, err := unix.Kqueue()
	if err == nil {
		unix.CloseOnExec(kq)
	}
	return kq, err
}

func changeEvent(kq int, flags uint16, notes uint32) error {
	_, err := unix.Kevent(kq, []unix.Kevent_t{{Filter: unix.EVFILT_USER, Flags: flags, Fflags: notes}}, nil, nil)
	return err
}

func takeEvent(kq int, sleep bool) (int, error) {
	var (
		room  [1]unix.Kevent_t
		limit *unix.Timespec // nil is for ever
	)
	if !sleep {
		limit = new(unix.Timespec)
	}
	return unix.Kevent(kq, nil, room[:], limit)
}
