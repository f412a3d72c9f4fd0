// Package tracetest reads, in tests, the regions of an execution trace.
//
// Go's own tool reads it, which every toolchain has for its own format. The library therefore needs no module that
// reads traces, and its tests need none for the next version of Go.
package tracetest

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/trace"
	"strings"
	"sync"
	"testing"
)

// A Region is one region of a trace.
type Region struct {
	Type       string
	Goroutine  int64
	Begin, End int64   // End is 0 if the region had no end
	In         *Region // around it, on the same goroutine
	Log        string  // the last that was logged in it as "frameslice.frame"
}

// Run takes a trace of f, and returns the regions of types that begin with prefix, in the order in which they began.
// The test fails if the trace cannot be read: regions of a goroutine that do not nest are such a fault. Run skips the
// test if a trace is taken already, and where there is no Go to read it.
func Run(t testing.TB, prefix string, f func()) (all []*Region) {
	t.Helper()
	open := map[int64]*Region{}
	for _, e := range take(t, f) {
		switch e.kind {
		case "RegionBegin":
			r := &Region{Type: e.name, Goroutine: e.goroutine, Begin: e.at, In: open[e.goroutine]}
			open[e.goroutine] = r
			if strings.HasPrefix(r.Type, prefix) {
				all = append(all, r)
			}
		case "RegionEnd":
			if r := open[e.goroutine]; r != nil {
				r.End, open[e.goroutine] = e.at, r.In
			}
		case "Log":
			if r := open[e.goroutine]; e.name == "frameslice.frame" && r != nil {
				r.Log = e.message
			}
		}
	}
	return all
}

// Logs takes a trace of f, and returns how many logs of a category are in it.
func Logs(t testing.TB, category string, f func()) (n int) {
	t.Helper()
	for _, e := range take(t, f) {
		if e.kind == "Log" && e.name == category {
			n++
		}
	}
	return n
}

// An event is the begin or the end of a region, or a log.
type event struct {
	goroutine, at       int64
	kind, name, message string
}

// tool returns the path of the command "go tool trace". To ask for the path takes ten times longer than to read a short
// trace, so a test asks once. The command go test puts its own Go first in the PATH.
var tool = sync.OnceValues(func() (string, error) {
	path, err := exec.Command("go", "tool", "-n", "trace").Output()
	return strings.TrimSpace(string(path)), err
})

// take takes a trace of f.
func take(t testing.TB, f func()) (events []event) {
	t.Helper()
	if trace.IsEnabled() {
		t.Skip("go test -trace takes a trace, and there can be no other")
	}
	reader, err := tool()
	if err != nil {
		t.Skip("there is no Go to read the trace: ", err)
	}
	var taken bytes.Buffer
	if err := trace.Start(&taken); err != nil {
		t.Fatal(err)
	}
	func() {
		defer trace.Stop()
		f()
	}()
	file := filepath.Join(t.TempDir(), "trace")
	if err := os.WriteFile(file, taken.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	read := exec.Command(reader, "-d=parsed", file)
	var faults strings.Builder
	read.Stderr = &faults
	text, err := read.Output()
	if err != nil {
		t.Fatalf("the trace cannot be read: %v\n%s", err, &faults)
	}
	for line := range strings.Lines(string(text)) {
		var e event
		var m, p, task int64
		of, rest, _ := strings.Cut(line, " Time=")
		switch _, _ = fmt.Sscanf(of, "M=%d P=%d G=%d %s", &m, &p, &e.goroutine, &e.kind); e.kind {
		case "RegionBegin", "RegionEnd":
			_, err = fmt.Sscanf(rest, "%d Task=%d Type=%q", &e.at, &task, &e.name)
		case "Log":
			_, err = fmt.Sscanf(rest, "%d Task=%d Category=%q Message=%q", &e.at, &task, &e.name, &e.message)
		default:
			continue
		}
		if err != nil {
			t.Fatalf("%v in %q", err, line)
		}
		events = append(events, e)
	}
	return events
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
