package scheduler

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/frameslice/frameslice/internal/fault"
)

// Stack is where work was submitted: the callers of Post, Go, Submit and the like, if Options.Stacks says to
// keep them. It is a small value; two of them are equal if the work came from the same place. The zero Stack is
// unknown.
type Stack struct{ site *site }

// Known reports whether the place is known.
func (k Stack) Known() bool { return k.site != nil }

// Frames returns the callers, the innermost first: without those in this package, and in flow and frame, and of
// what was submitted within a task only those within the task. Any goroutine. It takes some µs and allocates.
func (k Stack) Frames() []runtime.Frame {
	if k.site == nil {
		return nil
	}
	own := fault.PackageOf(fault.NameOf(New))
	// Between the caller and the scheduler.
	ours := []string{own, strings.TrimSuffix(own, ".") + "/flow.", strings.TrimSuffix(own, "scheduler.") + "frame."}
	var all []runtime.Frame
	frames := runtime.CallersFrames(k.site.pcs)
	for more := true; more && len(all) < k.site.most; {
		var f runtime.Frame
		f, more = frames.Next()
		switch {
		case !slices.Contains(ours, fault.PackageOf(f.Function)):
			all = append(all, f)
		case len(all) > 0:
			more = false
		}
	}
	begins := fault.PackageOf(fault.NameOf(runtime.Goexit)) // where a goroutine does
	for len(all) > 0 && fault.PackageOf(all[len(all)-1].Function) == begins {
		all = all[:len(all)-1]
	}
	return all
}

// String returns the callers as in the stack of a panic: two lines each, the function and the place. It is
// empty if the place is unknown.
func (k Stack) String() string {
	var b strings.Builder
	for _, f := range k.Frames() {
		fmt.Fprintf(&b, "%s\n\t%s:%d\n", f.Function, f.File, f.Line)
	}
	return b.String()
}

// site is a stack. It never changes.
type site struct {
	pcs  []uintptr
	most int // callers to show
}

// sites is the table of all stacks that were seen. Work knows its own by its number there.
//
// S31. A slot is written once, by a compare-and-swap from nil. A stack is looked for from the slot of its hash
// on, up to the first empty slot, and goes there; who loses that slot to another goroutine looks at what that
// put in. So a stack is in the table once: all slots before its own were full, and not with it, when it was
// put in, and they never change. A number means the same stack for ever.
type sites struct {
	depth int
	slots [siteSlots]atomic.Pointer[site]
}

const (
	siteSlots = 4096 // a power of two
	siteProbe = 64   // slots that are looked at: with more stacks than there is room for, some stay unknown
	ourDepth  = 6    // callers in the packages that Frames leaves out, at most
	maxDepth  = 32
)

func newSites(depth int) *sites {
	if depth <= 0 {
		return nil
	}
	return &sites{depth: min(depth, maxDepth) + ourDepth}
}

// here returns the number of the calling goroutine's stack, its caller's caller innermost; 0 if there is no
// room. Any goroutine.
func (t *sites) here() uint32 {
	var buf [maxDepth + ourDepth]uintptr
	pcs := buf[:runtime.Callers(3, buf[:t.depth])]
	hash := uint64(14695981039346656037)
	for _, pc := range pcs {
		hash = (hash ^ uint64(pc)) * 1099511628211
	}
	var fresh *site
	for i := range uint64(siteProbe) {
		n := (hash>>32 + i) % siteSlots
		slot := &t.slots[n]
		old := slot.Load()
		if old == nil {
			if fresh == nil {
				fresh = &site{slices.Clone(pcs), t.depth - ourDepth}
			}
			if slot.CompareAndSwap(nil, fresh) {
				return uint32(n + 1)
			}
			old = slot.Load()
		}
		if slices.Equal(old.pcs, pcs) {
			return uint32(n + 1)
		}
	}
	return 0
}

// stack returns the stack of a number.
func (t *sites) stack(n uint32) Stack {
	if t == nil || n == 0 {
		return Stack{}
	}
	return Stack{t.slots[n-1].Load()}
}

// stackOf returns where an item's present life was submitted. Frame goroutine.
func (s *Scheduler) stackOf(it *item) Stack {
	if s.sites == nil {
		return Stack{}
	}
	return s.sites.stack(it.life)
}

// Submitted returns where the task was last submitted; unknown before, and without Options.Stacks. Any
// goroutine.
func (t *Task) Submitted() Stack {
	s := t.s.Load()
	if s == nil {
		return Stack{}
	}
	return s.sites.stack(t.sentSite.Load())
}

// submittedAt returns pe with where its work was submitted at the end of its stack. It does not change pe, which
// may be somebody else's.
func submittedAt(pe *PanicError, k Stack) *PanicError {
	if !k.Known() {
		return pe
	}
	q := *pe
	q.Stack = slices.Concat(q.Stack, []byte("\nsubmitted by:\n"+k.String()))
	return &q
}
