package frame

import (
	"github.com/frameslice/frameslice/internal/atomic"
	"github.com/frameslice/frameslice/internal/carrier"
	"github.com/frameslice/frameslice/internal/where"
)

// home is the place of the frames' goroutine: a carrier.Place, as of the first slice or the last Run. A coroutine may
// only be resumed, and unwound, under the thread lock under which it was made. So the first slice settles the place
// before any coroutine is made.
type home struct{ at atomic.Uint64 }

// place returns the place, or 0 before the first slice.
func (h *home) place() carrier.Place { return carrier.Place(h.at.Load()) }

// placeKnown reports whether the place is known.
func (h *home) placeKnown() bool { return h.at.Load() != 0 }

// settlePlace notes the calling goroutine, before the first coroutine is made. A Run may change it.
func (h *home) settlePlace(run bool) {
	if p := h.place(); p == 0 || run && !p.Locked() {
		h.at.Store(uint64(carrier.Here()))
	}
}

// elsewhere reports whether the calling goroutine runs a task or a job beside the frame goroutine. A job of another
// loop's pool may run this loop's frames. It takes some ns.
func (h *home) elsewhere() bool {
	if !withinTask() {
		return false
	}
	p := h.place()
	return p != 0 && !p.Same(carrier.Here())
}

// withinTask reports whether the calling goroutine runs a task or a job of any loop.
func withinTask() bool { return where.In(nil, where.Task, where.Job, where.Worker) }
