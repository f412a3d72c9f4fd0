package workers

// Park chooses how a worker without work sleeps, and so how it is woken. The figures are for two virtual processors,
// with a waker that keeps running, as a frame does: what the wake costs the waker, and after how long the worker runs.
type Park uint8

const (
	// ParkAuto is the best that the platform has: ParkPoll on Linux, ParkChan elsewhere.
	ParkAuto Park = iota

	// ParkChan sleeps in a channel receive. It works everywhere, and within testing/synctest.
	ParkChan

	// ParkPoll sleeps in a read of an eventfd through the runtime's network poller. Linux only.
	ParkPoll

	// ParkSyscall sleeps in a system call that blocks the worker's thread: the fastest wake-up, but the sleeper keeps
	// its P until the runtime takes it away. Linux only.
	ParkSyscall
)

// String returns the name of the way in lower case.
func (k Park) String() string {
	switch k {
	case ParkAuto:
		return "auto"
	case ParkChan:
		return "channel"
	case ParkPoll:
		return "poll"
	case ParkSyscall:
		return "syscall"
	}
	return "invalid"
}

// A parker is one worker's bed: a binary semaphore with a sticky token (W4).
type parker interface {
	// wait returns at once if there is a token, or as soon as there is one, and takes it. It may return without one.
	// Only the worker calls it.
	wait()
	// post leaves a token, unless there is one. Any goroutine; it neither blocks nor allocates.
	post()
	// close gives back what the system lent. The worker is gone; a post may still be on its way.
	close()
}

// chanParker is the portable parker.
type chanParker struct{ token chan struct{} }

func newChanParker() parker { return chanParker{make(chan struct{}, 1)} }

func (p chanParker) wait() { <-p.token }

func (p chanParker) post() {
	select {
	case p.token <- struct{}{}:
	default:
	}
}

func (p chanParker) close() {}
