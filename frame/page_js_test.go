//go:build js

package frame

import (
	"runtime"
	"syscall/js"
	"testing"
	"time"

	"github.com/frameslice/frameslice/frame/record"
)

// pageOf gives the test a document, which Node has not, and returns what hides and shows it. at, if not nil, is the
// time of the document's refresh.
func pageOf(t *testing.T, at func() float64) (turn func(hidden bool)) {
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
	get := js.FuncOf(func(js.Value, []js.Value) any { return at() })
	if at != nil {
		timeline := js.Global().Get("Object").New()
		js.Global().Get("Object").Call("defineProperty", timeline, "currentTime", map[string]any{"get": get})
		document.Set("timeline", timeline)
	}
	js.Global().Set("document", document)
	t.Cleanup(func() {
		if len(listeners) > 0 {
			t.Errorf("%d listeners are left after Close", len(listeners))
		}
		js.Global().Delete("document")
		add.Release()
		remove.Release()
		get.Release()
	})
	return func(hidden bool) {
		document.Set("hidden", hidden)
		for _, l := range listeners {
			l.Invoke()
		}
	}
}

// The time for which a browser does not show the page is no late frame, whether frames come meanwhile or not, and
// however often the page is hidden, and within a frame, too.
func TestAHiddenPageIsARest(t *testing.T) {
	turn := pageOf(t, nil)
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
	l.Begin()
	turn(true) // within a frame, whose own sleeps a browser then makes longer
	time.Sleep(away)
	l.Slice()
	l.End()
	turn(false)
	frame()
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

// A page whose thread is busy begins frames late. The period and the intervals are those of the refreshes all the same.
func TestAPageGoesByItsRefreshes(t *testing.T) {
	const period = 16.5 // ms
	at, step := -1e6, period
	pageOf(t, func() float64 { return at })
	l := New(Options{Recorder: record.Options{WarmUp: -1}})
	defer l.Close()
	run := func(frames int) []record.Record {
		l.Recorder().Reset()
		for range frames {
			at += step
			l.Begin()
			l.Slice()
			l.End()
			runtime.Gosched()
		}
		return l.Recorder().Recent(make([]record.Record, frames))
	}
	for _, r := range run(300)[1:] {
		if d := r.Interval - 16500*time.Microsecond; d.Abs() > time.Microsecond {
			t.Fatalf("frame %d has an interval of %v", r.Number, r.Interval)
		}
	}
	if got := l.Stats().Interval; (got - 16500*time.Microsecond).Abs() > 10*time.Microsecond {
		t.Errorf("the learned period is %v", got)
	}
	// A host that draws by a timer: there the beginnings count.
	step = 0
	records := run(10)
	for i := 2; i < len(records); i++ {
		if r := &records[i]; r.Interval != r.Start.Sub(records[i-1].Start) {
			t.Errorf("frame %d without a refresh of its own has an interval of %v", r.Number, r.Interval)
		}
	}
}
