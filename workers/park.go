package workers

import "github.com/frameslice/frameslice/internal/park"

// Park chooses how a worker without work sleeps, and so how it is woken.
//
// What a wake-up costs the one who wakes and keeps running, as a frame does, and after how long the worker
// begins, in µs at the median; BenchmarkWake on two virtual processors that other programs kept busy, five
// runs, the range of medians:
//
//	             ordinary worker            background worker
//	             waker       begins         waker       begins
//	ParkChan     0.7-2.1     240-1830       1.5-13      90-870
//	ParkPoll     2.2-4.3     430-1820       15-19       13-45
//	ParkSyscall  12-19       6.5-12         3.7-5.6     44-280
//	go f()       1.1-1.5     1320-1820
//
// (On idle processors the same three take about 65, 4 and 3 µs to begin.) Ordinary workers poll: with the
// system call the worker is woken onto the waker's processor and runs there first, which is quick for the
// worker and delays the frame, and a sleeper keeps its P until the runtime notices. Background workers use
// the system call: a lowered thread does not displace the waker, and polling sends the wake-up through a
// thread of ordinary priority, which does.
//
// An ordinary worker with a thread of its own (Pin) that sleeps in the system call asks the system, Linux 6.12 or
// newer, to let it go before who has woken it; and RaiseProcs gives the runtime a P more for each. The same benchmark
// on Linux 6.18, four runs, waker, and p50, p90 and p99 of when the worker begins, in µs:
//
//	                                waker      p50          p90          p99
//	Pin, ParkSyscall, RaiseProcs    20-23      16-19        43-71        98-127
//	Pin, ParkSyscall                19-21      14-16        67-77        316-2294
//	ParkSyscall                     7-11       80-126       637-822      1621-3821
//	ParkPoll                        1.1-5.0    1759-1822    1802-1834    1886-2090
//	go f()                          1.5-2.8    1759-1804    1802-1819    1821-2965
//
// So the first line is for work that is to begin soon, and for a waker that has time: the system mostly wakes the
// worker on its processor, and it goes on when the job has ended, or has been moved, up to some ms later. A frame that
// forks or submits and goes on wants ParkPoll; between BeginFrame and EndFrame workers are awake anyway. The slice is
// handed down to threads that a job itself has the system clone, as cgo and os/exec do.
//
// On Windows ParkAuto is ParkChan, and whoever has a Windows to measure on may find ParkSyscall the better one. Under
// Wine on the same processors, which had much else to do, four runs:
//
//	             ordinary worker            background worker
//	             waker       begins         waker       begins
//	ParkChan     5.7-18      63-2010        30-45       3120-7080
//	ParkSyscall  20-29       16-50          20-34       22-47
//
// and a goroutine that was started just after an ordinary worker had gone to sleep began after 3.8-7.9 ms with
// ParkSyscall, which keeps the P, and after 0.1-6.3 with ParkChan. That says little of Windows: the Go runtime wakes
// its threads by events there, and Wine's are messages to another process.
type Park uint8

const (
	// ParkAuto is the best that is known for the platform: on Linux ParkPoll for ordinary workers and ParkSyscall for
	// background ones, ParkChan elsewhere, and within a testing/synctest bubble.
	ParkAuto = Park(park.Auto)

	// ParkChan sleeps in a channel receive. It works everywhere, and is what all others are within a testing/synctest
	// bubble, as well as where the system has nothing else.
	ParkChan = Park(park.Chan)

	// ParkPoll sleeps in a read of an eventfd through the runtime's network poller: the sleeper's P is free
	// at once. While all Ps are busy the runtime polls every 10 ms only. Linux only.
	ParkPoll = Park(park.Poll)

	// ParkSyscall sleeps in a system call that blocks the worker's thread: on Linux in a read of an eventfd, on
	// Windows in WaitOnAddress. The sleeper's P is free when the runtime has noticed, after 20 µs to 10 ms. These
	// systems only.
	ParkSyscall = Park(park.Syscall)
)

// String returns the name of the way in lower case.
func (k Park) String() string { return park.Kind(k).String() }
