package osthread

import (
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// Read returns what the calling thread has used up. It takes some 3 µs.
func (m *Meter) Read() (Spent, error) {
	var s Spent
	var ru unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_THREAD, &ru); err != nil {
		return s, err
	}
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &ts); err != nil {
		return s, err
	}
	s.CPU, s.System = time.Duration(ts.Nano()), time.Duration(ru.Stime.Nano())
	s.Minor, s.Major, s.Forced = int64(ru.Minflt), int64(ru.Majflt), int64(ru.Nivcsw)
	if id := unix.Gettid(); id != m.thread {
		f, err := os.Open("/proc/thread-self/schedstat")
		if err != nil {
			return s, err
		}
		if m.file != nil {
			m.file.Close()
		}
		m.thread, m.file = id, f
	}
	n, err := m.file.ReadAt(m.text[:], 0)
	if err != nil && err != io.EOF {
		return s, err
	}
	field, value := 0, time.Duration(0)
	for _, c := range m.text[:n] { // time on a processor, time runnable without one, turns
		switch {
		case c >= '0' && c <= '9':
			value = value*10 + time.Duration(c-'0')
		case field == 1:
			s.Delay = value
			return s, nil
		default:
			field, value = field+1, 0
		}
	}
	return s, ErrUnsupported
}
