package workers

import (
	"strings"

	"github.com/frameslice/frameslice/internal/carrier"
)

// A mark says, in the stack of a goroutine that is no worker's, of which pool the job is that runs there: on the
// carrier of a caller, the goroutine of a sliced job, or the coroutine of a fork within either. So a job that asks
// whether it is one of this pool's (inside) is not taken for one because the pool happens to have a caller somewhere
// else, while it is another pool's.
//
// It is a call of mark, which calls, for each digit of the pool's number, the function with that digit, and at last the
// job: who asks walks up the stack, and reads the number back. So to leave a mark takes a few ns, and it is gone with
// the job, whatever that does; only asking is slow.
//
// Rejected: the goroutine's number in a list, because to learn that takes some 5 µs on a coroutine: Submit and Wait
// took 6.1 to 6.3 µs then, and take 1.1 to 1.5 with a mark, as they do without. (With one pool only the number was left
// out, and so it was missing when another pool came while a job ran.)
func (p *Pool) mark(w *Worker, f func(*Worker)) { digits(p.number, w, f) }

// digits calls f within the digits of n, the last one first, to the base of 4.
func digits(n uint32, w *Worker, f func(*Worker)) {
	switch n % 4 {
	case 0:
		digit0(n/4, w, f)
	case 1:
		digit1(n/4, w, f)
	case 2:
		digit2(n/4, w, f)
	default:
		digit3(n/4, w, f)
	}
}

// further is what a digit calls: the ones before it, or f.
func further(n uint32, w *Worker, f func(*Worker)) {
	if n > 0 {
		digits(n, w, f)
		return
	}
	f(w)
}

func digit0(n uint32, w *Worker, f func(*Worker)) { further(n, w, f) }

func digit1(n uint32, w *Worker, f func(*Worker)) { further(n, w, f) }

func digit2(n uint32, w *Worker, f func(*Worker)) { further(n, w, f) }

func digit3(n uint32, w *Worker, f func(*Worker)) { further(n, w, f) }

// marked returns the number in the innermost mark of the calling goroutine's stack, if it has one. It takes some 20 µs.
func marked() (n uint32, ok bool) {
	carrier.Within(func(name string) bool {
		switch name, _ = strings.CutPrefix(name, "github.com/frameslice/frameslice/workers."); name {
		case "digit0", "digit1", "digit2", "digit3":
			n = 4*n + uint32(name[len("digit")]-'0')
		case "(*Pool).mark":
			ok = true
		}
		return ok
	})
	return n, ok
}

// inside reports whether the calling goroutine runs a job of this pool: whether it is one of its workers, or
// the carrier of one of its callers. It takes some 20 µs.
func (p *Pool) inside() bool {
	if !withinJob() {
		return false
	}
	if p.lent.Load() > 0 {
		if n, ok := marked(); ok && n == p.number {
			return true
		}
	}
	return p.workerHere() != nil
}

// withinJob reports whether the calling goroutine runs a job of some pool.
func withinJob() bool {
	return onStack("workers.(*caller).carry", "workers.(*caller).report", "workers.(*sliced).main",
		"workers.(*Worker).serve", "workers.(*Worker).carryFork")
}

// onStack reports whether a function whose name ends in one of the suffixes is among the calling goroutine's
// callers.
func onStack(suffixes ...string) bool {
	return carrier.Within(func(name string) bool {
		for _, s := range suffixes {
			if strings.HasSuffix(name, s) {
				return true
			}
		}
		return false
	})
}
