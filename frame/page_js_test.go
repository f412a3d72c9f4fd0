//go:build js

package frame

import (
	"syscall/js"
	"testing"
	"time"

	"github.com/frameslice/frameslice/frame/record"
)

// pageOf gives the test a document, which Node has not, and returns what hides and shows it.
func pageOf(t *testing.T) (turn func(hidden bool)) {
	t.Helper()
	var listeners []js.Value
	document := js.ValueOf(map[string]any{"hidden": false})
	add := js.FuncOf(func(_ js.Value, args []js.Value) any {
		listeners = append(listeners, args[1])
		return nil
	})
	remove := js.FuncOf(func(_ js.Value, args []js.Value) any {
		for i, l := range listeners {
			if l.Equal(args[1]) {
				listeners = append(listeners[:i], listeners[i+1:]...)
				break
			}
		}
		return nil
	})
	document.Set("addEventListener", add)
	document.Set("removeEventListener", remove)
	js.Global().Set("document", document)
	t.Cleanup(func() {
		if len(listeners) > 0 {
			t.Errorf("%d listeners are left after Close", len(listeners))
		}
		js.Global().Delete("document")
		add.Release()
		remove.Release()
	})
	return func(hidden bool) {
		document.Set("hidden", hidden)
		for _, l := range listeners {
			l.Invoke()
		}
	}
}

// The time for which a browser does not show the page is no late frame, whether frames come meanwhile or not, and
// however often the page is hidden.
func TestAHiddenPageIsARest(t *testing.T) {
	turn := pageOf(t)
	l := New(Options{Interval: 10 * time.Millisecond, Recorder: record.Options{WarmUp: -1}})
	defer l.Close()
	frame := func() {
		l.Begin()
		l.Slice()
		l.End()
	}
	const away = 100 * time.Millisecond
	for _, meanwhile := range []int{0, 1, 2} {
		frame()
		turn(true)
		for range meanwhile {
			time.Sleep(away)
			frame()
		}
		time.Sleep(away)
		turn(false)
		frame()
		turn(true)
		turn(false)
		frame()
	}
	s := l.Recorder().Snapshot()
	for i := range s.Records {
		if r := &s.Records[i]; r.Interval >= away {
			t.Errorf("frame %d after a hidden page has an interval of %v", r.Number, r.Interval)
		}
	}
	frame()
	time.Sleep(away)
	frame()
	s = l.Recorder().Snapshot()
	if last := s.Records[len(s.Records)-1]; last.Interval < away {
		t.Errorf("a late frame of a page that is shown has an interval of %v", last.Interval)
	}
}
