package flow_test

import (
	"strings"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// Calls and Flushes between two slices are heard in the order in which they came: what runs at once, and later, is
// what would run had there been a slice between a call and a Flush. Runs that become due together are one, and so are
// calls in a row.
func TestCallsAndFlushesKeepTheirOrder(t *testing.T) {
	const wait = 10 * ms
	play := func(script string, slices bool) string {
		now := deadline.Instant(1)
		s := scheduler.New(scheduler.Options{Clock: func() deadline.Instant { return now }})
		defer s.Close()
		ran := map[string]bool{}
		all, kinds := pulses(wait, s, func(kind string) { ran[kind] = true })
		var log []string
		note := func(when string) {
			s.RunUntil(deadline.Deadline{})
			for _, kind := range kinds {
				if ran[kind] {
					log = append(log, when+" "+kind)
				}
			}
			clear(ran)
		}
		for i, c := range script {
			for _, p := range all {
				switch c {
				case 'c':
					p.Call()
				case 'f':
					p.(interface{ Flush() }).Flush()
				}
			}
			if c == '|' { // with what came before it in a slice of its own
				note("before")
			} else if slices && !strings.HasPrefix(script[i+1:], string(c)) {
				s.RunUntil(deadline.Deadline{})
			}
		}
		note("at once")
		now = now.Add(wait)
		note("then")
		now = now.Add(wait)
		note("in the end")
		return strings.Join(log, ", ")
	}
	for _, before := range []string{"", "c|", "cc|", "c|c|"} {
		for n := range 6 {
			for bits := range 1 << n {
				script := before
				for i := range n {
					script += string("cf"[bits>>i&1])
				}
				if got, want := play(script, false), play(script, true); got != want {
					t.Fatalf("%s in one slice: %s\nin many: %s", script, got, want)
				}
			}
		}
	}
}
