//go:build js

package frame

import (
	"syscall/js"

	"github.com/frameslice/frameslice/deadline"
)

// inBrowser reports whether a page's thread runs the frames, and another process draws them: there is a document.
func inBrowser() bool { return js.Global().Get("document").Truthy() }

// page follows whether the browser shows the page. A browser calls for no frames in a page that it does not show, as
// behind another tab, so such a time is a rest and no late frame. There is one thread, and the browser has it between
// frames only: so the fields need no lock.
type page struct {
	changed js.Func
	hidden  deadline.Instant // since when it is hidden, or has been since the last frame; 0 if it has not
	back    bool             // it is shown again
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
}

// turn notes that the page is hidden from now on, or shown.
func (p *page) turn(hidden bool, now deadline.Instant) {
	if hidden && p.hidden == 0 {
		p.hidden = now
	}
	p.back = !hidden
}

// leave ends that.
func (p *page) leave() {
	if p.changed.Truthy() {
		js.Global().Get("document").Call("removeEventListener", "visibilitychange", p.changed)
		p.changed.Release()
		p.changed = js.Func{}
	}
}

// wasHidden makes the time for which the page was hidden since the last frame a rest: see Rest.
func (l *Loop) wasHidden() {
	p := &l.page
	if p.hidden == 0 {
		return
	}
	if l.last.rests == 0 {
		l.last.rests = max(p.hidden, l.last.ended)
	}
	l.last.slept = l.last.slept || l.last.valid
	l.last.valid = false
	if p.back {
		p.hidden, p.back = 0, false
	}
}
