package flow

import (
	"io"
	"reflect"

	"github.com/frameslice/frameslice/internal/atomic"
	"github.com/frameslice/frameslice/scheduler"
)

// AsCompleted returns an Awaitable that gives the indices of as in the order in which they end, one for each Await:
// whatever ends first, each as it comes, or all. After the last index, and if there are none, Await returns -1 and
// io.EOF. A scheduler.AwaitTimeout that takes too long loses no index.
//
//	next := flow.AsCompleted(paths...)
//	for range paths {
//		i, _ := scheduler.Await(co, next)
//		path, err := paths[i].Result()
//	}
//
// The elements may have different types: AsCompleted[interface{ Notify(func()) }](future, request). One coroutine at a
// time may wait; another one panics. To wait for all in the order of the arguments, await one after another.
// AsCompleted panics if an element is nil.
func AsCompleted[A interface{ Notify(f func()) }](as ...A) scheduler.Awaitable[int] {
	for _, a := range as {
		mustAwait("AsCompleted", a)
	}
	c := &completions{total: len(as), after: make([]uint32, len(as)), ready: make([]int, 0, len(as))}
	for i, a := range as {
		a.Notify(func() { c.ended(i) })
	}
	return c
}

func mustAwait(verb string, a any) {
	if v := reflect.ValueOf(a); !v.IsValid() {
		panic("flow: " + verb + " of nil")
	} else if v.Kind() == reflect.Pointer && v.IsNil() {
		panic("flow: " + verb + " of a nil " + v.Type().String())
	}
}

// completions is what AsCompleted returns.
//
//	AC1  last is the list of indices that ended and were not read, the newest first, and how many have ended. An end
//	     changes both in one step.
//	AC2  A Notify stores its waiter, with the number of indices that were taken before, and then looks at last. An
//	     end looks at the waiter after AC1's step, and takes it only if more have ended than its number. So a waiter
//	     that is called has an index to take, also if the end is late and the waiter belongs to the next wait.
//	AC3  A waiter is called by the goroutine whose compare-and-swap took it away.
//
// Claim: no wait sleeps while an index is there. The end came before the look of Notify, which then sees the index; or
// it came after, and sees the waiter, whose number is smaller. ∎ An end that sees an older waiter fails its swap, if
// that waiter has gone meanwhile, and looks again.
//
// completed_explore_test.go runs AC1 to AC3.
type completions struct {
	total  int
	last   atomic.Uint64 // ended<<32 | 1 + the newest index that was not read, or 0
	after  []uint32      // the next element of the list
	waiter atomic.Pointer[completionWaiter]

	// The coroutine that waits owns these.
	ready []int // read from last, the newest first
	taken int
}

type completionWaiter struct {
	f     func()
	taken int
}

// ended is called when element i has ended.
func (c *completions) ended(i int) {
	var n uint64
	for {
		old := c.last.Load()
		n = old>>32 + 1
		c.after[i] = uint32(old)
		if c.last.CompareAndSwap(old, n<<32|uint64(i+1)) { // AC1
			break
		}
	}
	for {
		w := c.waiter.Load()
		if w == nil || uint64(w.taken) >= n { // AC2
			return
		}
		if c.waiter.CompareAndSwap(w, nil) { // AC3
			w.f()
			return
		}
	}
}

// Notify calls f when an index can be taken, or all have been. A waiter before it has given up: its task was canceled,
// or it took too long.
func (c *completions) Notify(f func()) {
	if f == nil {
		panic("flow: AsCompleted: Notify of a nil function")
	}
	w := &completionWaiter{f: f, taken: c.taken}
	if old := c.waiter.Swap(w); old != nil {
		old.f() // if it still waits after all, its Result panics
	}
	if (c.taken == c.total || len(c.ready) > 0 || uint32(c.last.Load()) != 0) && c.waiter.CompareAndSwap(w, nil) {
		f()
	}
}

// Result takes the next index.
func (c *completions) Result() (int, error) {
	if c.taken == c.total {
		return -1, io.EOF
	}
	if len(c.ready) == 0 {
		for {
			old := c.last.Load()
			if uint32(old) == 0 {
				panic("flow: AsCompleted is awaited by two, or Result was called before an end")
			}
			if !c.last.CompareAndSwap(old, old>>32<<32) {
				continue
			}
			for k := uint32(old); k != 0; k = c.after[k-1] {
				c.ready = append(c.ready, int(k-1))
			}
			break
		}
	}
	n := len(c.ready) - 1
	i := c.ready[n]
	c.ready = c.ready[:n]
	c.taken++
	return i, nil
}
