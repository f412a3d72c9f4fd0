//go:build js

package frame

import (
	"syscall/js"
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// inBrowser reports whether a page's thread runs the frames, and another process draws them: there is a document.
func inBrowser() bool { return js.Global().Get("document").Truthy() }

// page follows whether the browser shows the page. A browser calls for no frames in a page that it does not show, such
// as a page behind another tab. So that time is a rest and no late frame. There is one thread, and the browser has it
// only between frames. So the fields need no lock.
type page struct {
	changed js.Func
	hidden  deadline.Instant // since when it is hidden, or has been since the last frame; 0 if it has not
	back    bool             // it is shown again

	timeline js.Value         // of the document: its time is that of the refresh
	origin   deadline.Instant // when that time was 0
	stamp    deadline.Instant // the last frame's refresh
	without  int              // how many more frames do not ask for their refresh
}

// watch begins to listen, where there is a page.
func (p *page) watch() {
	document := js.Global().Get("document")
	if !document.Truthy() {
		return
	}
	p.changed = js.FuncOf(func(js.Value, []js.Value) any {
		p.turn(document.Get("hidden").Bool(), deadline.Now())
		return nil
	})
	document.Call("addEventListener", "visibilitychange", p.changed)
	if clock := js.Global().Get("performance"); clock.Truthy() {
		p.timeline = document.Get("timeline")
		p.origin = deadline.Now().Add(-milliseconds(clock.Call("now")))
	}
}

func milliseconds(v js.Value) time.Duration {
	return time.Duration(v.Float() * float64(time.Millisecond))
}

// withoutStamp is for how many frames the loop does not ask for refreshes after two frames had the same one. The first
// two frames of a program have the same one.
const withoutStamp = 8

// refresh returns the time of the refresh for which the browser has called, for a frame that begins now. A frame begins
// late if the page's thread was busy at the refresh, as with the slice of the frame before. So under a backlog the
// frames begin as far apart as the slices are long. A period that is learned from them grows, and the slices grow with
// the period. On a display of 60 Hz it rose to 17.8 ms within two seconds.
//
// Two frames with one refresh show a host that does not draw when the browser calls. Then refresh returns now.
func (p *page) refresh(now deadline.Instant) deadline.Instant {
	if !p.timeline.Truthy() {
		return now
	}
	ms := p.timeline.Get("currentTime")
	if ms.Type() != js.TypeNumber {
		return now
	}
	at := min(p.origin.Add(milliseconds(ms)), now)
	if at == p.stamp {
		p.without = withoutStamp
	}
	p.stamp = at
	if p.without > 0 {
		p.without--
		return now
	}
	return at
}

// turn notes that the page is hidden from now on, or shown.
func (p *page) turn(hidden bool, now deadline.Instant) {
	if hidden && p.hidden == 0 {
		p.hidden = now
	}
	p.back = !hidden
}

// unlisten stops listening.
func (p *page) unlisten() {
	if p.changed.Truthy() {
		js.Global().Get("document").Call("removeEventListener", "visibilitychange", p.changed)
		p.changed.Release()
		p.changed = js.Func{}
	}
}

// wasHidden returns since when the page was hidden, if that was so in the time since the last frame, and 0 otherwise.
func (p *page) wasHidden() (since deadline.Instant) {
	since = p.hidden
	if p.back {
		p.hidden, p.back = 0, false
	}
	return since
}
