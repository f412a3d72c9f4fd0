// Package tracetest reads, in tests, the regions of an execution trace.
package tracetest

import (
	"bytes"
	"io"
	"runtime/trace"
	"strings"
	"testing"

	xtrace "golang.org/x/exp/trace"
)

// A Region is one region of a trace.
type Region struct {
	Type       string
	Goroutine  xtrace.GoID
	Begin, End xtrace.Time // End is 0 if the region had no end
	In         *Region     // around it, on the same goroutine
	Log        string      // the last that was logged in it as "frameslice.frame"
}

// Run takes a trace of f, and returns the regions of types that begin with prefix, in the order in which they began.
// The test fails if the trace cannot be read: regions of a goroutine that do not nest are such a fault. Run skips the
// test if a trace is taken already.
func Run(t testing.TB, prefix string, f func()) []*Region {
	t.Helper()
	return read(t, prefix, take(t, f))
}

// Logs takes a trace of f, and returns how many logs of a category are in it.
func Logs(t testing.TB, category string, f func()) (n int) {
	t.Helper()
	events := take(t, f)
	for {
		e, err := events.ReadEvent()
		if err == io.EOF {
			return n
		}
		if err != nil {
			t.Fatalf("the trace cannot be read: %v", err)
		}
		if e.Kind() == xtrace.EventLog && e.Log().Category == category {
			n++
		}
	}
}

// take takes a trace of f.
func take(t testing.TB, f func()) *xtrace.Reader {
	t.Helper()
	if trace.IsEnabled() {
		t.Skip("go test -trace takes a trace, and there can be no other")
	}
	var b bytes.Buffer
	if err := trace.Start(&b); err != nil {
		t.Fatal(err)
	}
	func() {
		defer trace.Stop()
		f()
	}()
	events, err := xtrace.NewReader(&b)
	if err != nil {
		t.Fatalf("the trace cannot be read: %v", err)
	}
	return events
}

func read(t testing.TB, prefix string, events *xtrace.Reader) []*Region {
	t.Helper()
	var all []*Region
	open := map[xtrace.GoID]*Region{}
	for {
		e, err := events.ReadEvent()
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatalf("the trace cannot be read: %v", err)
		}
		g := e.Goroutine()
		switch e.Kind() {
		case xtrace.EventRegionBegin:
			r := &Region{Type: e.Region().Type, Goroutine: g, Begin: e.Time(), In: open[g]}
			open[g] = r
			if strings.HasPrefix(r.Type, prefix) {
				all = append(all, r)
			}
		case xtrace.EventRegionEnd:
			if r := open[g]; r != nil {
				r.End, open[g] = e.Time(), r.In
			}
		case xtrace.EventLog:
			if l := e.Log(); l.Category == "frameslice.frame" && open[g] != nil {
				open[g].Log = l.Message
			}
		}
	}
}

// Types returns the types of the regions, each with the types around it: "outer > inner".
func Types(all []*Region) []string {
	types := make([]string, len(all))
	for i, r := range all {
		types[i] = r.Type
		for o := r.In; o != nil; o = o.In {
			types[i] = o.Type + " > " + types[i]
		}
	}
	return types
}
