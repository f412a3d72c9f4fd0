package frame

import (
	"fmt"
	"iter"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/carrier"
	"github.com/frameslice/frameslice/internal/fault"
)

// Stuck returns the report of Options.OnStuck on a frame that has been under way for d or longer, or "" if there is
// none. Between two frames the host's own work is no part of a frame. Any goroutine. The report has stacks, for which
// the program stands still for some milliseconds.
func (l *Loop) Stuck(d time.Duration) (report string) {
	since := l.watch.since.Load()
	age := deadline.Now().Sub(deadline.Instant(since))
	if since == 0 || age < d {
		return ""
	}
	return stuckIn(l, age, carrier.Place(l.watch.who.Load()))
}

// stuckIn reads the stacks and returns the report of a frame that does not end. The report has a line, the stack of the
// frame goroutine, and the stacks of the goroutines that it waits for, in order. The last one hangs. who is the frame
// goroutine as far as the watchdog knows.
func stuckIn(l *Loop, age time.Duration, who carrier.Place) string {
	var shadow carrier.Place
	if l.shadow != nil {
		shadow = carrier.Place(l.shadow.who.Load())
	}
	n := namesHere()
	all := n.goroutines(dump())
	in := "in the host's own work"
	if l.gate.isBusy() {
		in = "in a call of the loop"
		who = n.within(all, who)
	}
	text := fmt.Sprintf("frame: a frame has not ended for %v, %s: the last of these goroutines hangs",
		age.Round(time.Millisecond), in)
	for _, g := range n.chain(all, who, shadow) {
		text += "\n\n" + g.text
	}
	return text + "\n"
}

// names are the names, in stacks, of the functions that matter here. The watchdog asks for them when a frame is stuck.
// No name stands in the source: a fork of the module, or an obfuscated build, has other names.
type names struct {
	loop   string // how the methods of a Loop begin
	shadow string // the goroutine of the slice in the shadow
	takes  string // the method that waits for that goroutine
	next   string // the function that resumes a coroutine
	pull   string // the function that makes a coroutine
}

// namesHere finds the names.
func namesHere() names {
	next, stop := iter.Pull(func(func(int) bool) {})
	stop()
	n := names{next: fault.NameOf(next), shadow: fault.NameOf((*shadow).run), takes: fault.NameOf((*shadow).take)}
	n.pull = n.next[:strings.LastIndexByte(n.next, '.')]
	n.loop = fault.PackageOf(n.shadow) + "(*" + reflect.TypeFor[Loop]().Name() + ")."
	return n
}

// dump returns the stacks of all goroutines.
func dump() string {
	for size := 64 << 10; ; size *= 4 {
		buf := make([]byte, size)
		if n := runtime.Stack(buf, true); n < size || size >= maxDump {
			return string(buf[:n])
		}
	}
}

// stack is one goroutine's.
type stack struct {
	text  string
	at    carrier.Place
	maker uint64 // the number of the goroutine that made this coroutine; 0 if this is none
	away  bool   // it is suspended, or has resumed another one
	waits bool   // it has resumed another one
}

// goroutines divides a dump.
func (n names) goroutines(dump string) (all []stack) {
	for text := range strings.SplitSeq(strings.TrimSpace(dump), "\n\n") {
		head, body, _ := strings.Cut(text, "\n")
		_, state, _ := strings.Cut(head, "[")
		g := stack{text: text, at: carrier.Of([]byte(head)), away: strings.HasPrefix(state, "coroutine")}
		g.waits = g.away && strings.HasPrefix(body, n.next+"(")
		if _, by, ok := strings.Cut(body, "created by "+n.pull+" in "); ok {
			g.maker = carrier.Of([]byte(by)).Number()
		}
		all = append(all, g)
	}
	return all
}

// within returns who, if that goroutine is in a call of a loop. Otherwise the frames have moved, and it returns the
// only goroutine that is in such a call, or none. The goroutine that asks does not count.
func (n names) within(all []stack, who carrier.Place) (in carrier.Place) {
	found, here := 0, carrier.Here()
	for _, g := range all {
		if !strings.Contains(g.text, n.loop) || strings.Contains(g.text, n.shadow+"(") {
			continue
		}
		if g.at.Same(who) {
			return who
		}
		if g.at.Same(here) {
			continue
		}
		in = g.at
		found++
	}
	if found > 1 {
		return 0
	}
	return in
}

// chain returns the frame goroutine's stack, and then the stacks of the goroutines that it waits for, in order.
func (n names) chain(all []stack, who, shadow carrier.Place) (held []stack) {
	find := func(p carrier.Place) *stack {
		if i := slices.IndexFunc(all, func(g stack) bool { return g.at.Same(p) }); i >= 0 && p != 0 {
			return &all[i]
		}
		return nil
	}
	g := find(who)
	for g != nil && len(held) < maxChain {
		held = append(held, *g)
		switch {
		case strings.Contains(g.text, n.takes+"("):
			g, shadow = find(shadow), 0
		case g.waits:
			g = resumed(all, g.at)
		default:
			g = nil
		}
	}
	return held
}

// resumed returns the coroutine that a goroutine has resumed: the one that it has made and that is not suspended. If
// another goroutine has made the coroutine, it must be the only one that is not suspended.
func resumed(all []stack, by carrier.Place) *stack {
	var one *stack
	others := 0
	for i := range all {
		switch g := &all[i]; {
		case g.maker == 0 || g.away && !g.waits || g.at.Same(by):
		case g.maker == by.Number():
			return g
		case !g.away:
			one = g
			others++
		}
	}
	if others > 1 {
		return nil
	}
	return one
}
