package frametest

import (
	"bytes"
	"os"
	"runtime"
	"strconv"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/quota"
)

// A witness reads the kernel's accounts of the frame's thread. A second thread watches whether the process runs at all.
type witness struct {
	schedstat *os.File // of the thread; nil if the kernel does not keep it
	throttle  *quota.Throttle
	buf       [512]byte
	stop      atomic.Bool
	done      chan struct{}
	pauses    []pause // the second thread's, until done is closed
}

// open begins. The caller is locked to the frame's thread.
func (w *witness) open() {
	w.schedstat, _ = os.Open("/proc/thread-self/schedstat")
	w.throttle = quota.OpenThrottle()
	w.done = make(chan struct{})
	go w.watch()
}

// close ends the second thread.
func (w *witness) close() {
	if w.stop.Swap(true) {
		return
	}
	<-w.done
	w.throttle.Close()
	w.schedstat.Close() // a nil file is no fault
}

// watch beats until close.
func (w *witness) watch() {
	defer close(w.done)
	runtime.LockOSThread() // and the thread ends with the goroutine
	last, used := deadline.Now(), processCPU()
	for !w.stop.Load() {
		sleep := unix.NsecToTimespec(int64(beatEvery))
		if unix.Nanosleep(&sleep, nil) != nil { // a signal has ended the sleep early
			continue
		}
		now, cpu := deadline.Now(), processCPU()
		if p, ok := pauseBetween(last, now, cpu-used); ok {
			w.pauses = append(w.pauses, p)
		}
		last, used = now, cpu
	}
}

// read takes some three microseconds.
func (w *witness) read() reading {
	r := reading{cpu: clock(unix.CLOCK_THREAD_CPUTIME_ID), process: processCPU()}
	r.delay = w.delay()
	r.throttled = w.throttle.Read()
	r.at = deadline.Now()
	return r
}

// delay is how long the thread could have run and had no processor. It takes a microsecond.
func (w *witness) delay() time.Duration {
	if w.schedstat == nil {
		return 0
	}
	_, rest, _ := bytes.Cut(w.text(w.schedstat), []byte(" ")) // running, waiting, how often
	waiting, _, _ := bytes.Cut(rest, []byte(" "))
	n, _ := strconv.ParseInt(string(waiting), 10, 64)
	return time.Duration(n)
}

// text reads a file from its beginning.
func (w *witness) text(f *os.File) []byte {
	n, _ := unix.Pread(int(f.Fd()), w.buf[:], 0)
	return w.buf[:max(n, 0)]
}

// judge ends the watch and marks the frames in which the process stood still.
func (w *witness) judge(frames []sample, began deadline.Instant, target time.Duration) {
	w.close()
	notePauses(frames, began, w.pauses, target)
}

// processCPU returns the processor time of all threads, or -1.
func processCPU() time.Duration { return clock(unix.CLOCK_PROCESS_CPUTIME_ID) }

func clock(id int32) time.Duration {
	var ts unix.Timespec
	if unix.ClockGettime(id, &ts) != nil {
		return -1
	}
	return time.Duration(ts.Nano())
}
