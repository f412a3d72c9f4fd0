// Package park lets a goroutine sleep until another one wakes it.
//
//	p, kind := park.New(park.Poll, false)
//	go func() {
//		for !done() {
//			p.Wait()
//		}
//		p.Close()
//	}()
//	p.Post() // any goroutine
//
// A Parker is a binary semaphore with a sticky token: a Post that comes before the Wait ends that Wait at once. The
// kinds differ in how the sleeper waits, and so in the cost of a wake-up. P1 and P2, of the kind that sleeps on an
// address, are in address.go. P3, of the kinds that have a file, is in descriptor.go.
//
// Rejected: on Windows, an event with automatic reset. An event is a token in the kernel as an eventfd is, but has a
// handle that must be closed, and always calls the system. Under Wine a post costs 43 to 113 µs, and with an address 20
// to 29. Rejected on Windows, too: a pipe through the runtime's poller. A worker woken by a pipe began after 168 µs,
// and by a channel after 30.
package park

// Kind says how a Parker sleeps.
type Kind uint8

const (
	Auto    Kind = iota // the best that is known for the platform
	Chan                // in a channel receive
	Poll                // in a read through the runtime's network poller: Linux
	Syscall             // in a system call that blocks the thread: Linux and Windows
)

// String returns the name of the kind in lower case.
func (k Kind) String() string {
	switch k {
	case Auto:
		return "auto"
	case Chan:
		return "channel"
	case Poll:
		return "poll"
	case Syscall:
		return "syscall"
	}
	return "invalid"
}

// A Parker is a binary semaphore with a sticky token.
type Parker interface {
	// Wait returns at once if there is a token, or as soon as there is one, and takes the token. Wait may also return
	// without a token. One goroutine calls it.
	Wait()
	// Post leaves a token, unless there is one. Any goroutine may call it. Post neither blocks nor allocates.
	Post()
	// Close gives back what the system lent. Nobody waits any more, but a Post may still be on its way.
	Close()
}

// chanParker is the portable Parker.
type chanParker struct{ Token }

func newChan() Parker { return chanParker{NewToken()} }

func (p chanParker) Close() {}
