package frame

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/frameslice/frameslice/internal/carrier"
)

// What a frame hangs in is read from a dump of all stacks, which takes as long as there are goroutines, once.

// maxDump is the most bytes of stacks that are looked at: some ten thousand goroutines.
const maxDump = 16 << 20

// anchors are the functions that call those of others. The innermost one on the stack tells who holds the frame.
var anchors = []struct {
	in     string // how its line begins, less where the module lies
	holder Holder
}{
	{"scheduler.(*Scheduler).runPlain(", HeldByTask},
	{"scheduler.(*Scheduler).runIdle(", HeldByTask},
	{"scheduler.(*coroutine).guarded(", HeldByTask},
	{"scheduler.(*Scheduler).runCallbacks(", HeldByCallback},
	{"workers.(*Worker).invoke(", HeldByJob},
	{"frame.(*Loop).frame(", HeldByHost},
	{"frame.(*wrapped[...]).", HeldByHost},
	{"frame.(*wrappedLayout[...]).", HeldByHost},
	{"frame.(*wrappedFinal[...]).", HeldByHost},
	{"frame.(*wrappedBoth[...]).", HeldByHost},
}

// ours is how the names of functions of the module begin.
const ours = "github.com/frameslice/frameslice/"

// stuck reads the stacks.
func (w *watchdog) stuck(age time.Duration) Stuck {
	s := Stuck{For: age}
	var shadow carrier.Place
	if w.l.shadow != nil {
		shadow = carrier.Place(w.l.shadow.who.Load())
	}
	own := !w.l.gate.isBusy() // no call of the loop is under way: it is the frame's own work
	if own {
		s.Holder = HeldByHost
	}
	all := goroutines(dump())
	who := carrier.Place(w.who.Load())
	if !own {
		who = within(all, who)
	}
	held := chain(all, who, shadow)
	for i, g := range held {
		if i > 0 {
			s.Stack = append(s.Stack, '\n')
		}
		s.Stack = append(append(s.Stack, g.text...), '\n')
	}
	for i, g := range slices.Backward(held) {
		h, name := g.holder()
		if i == 0 && !(own && h == HeldByHost) { // the frames may be in a task or a job of another loop's
			break
		}
		if h != HeldSomehow {
			s.Holder, s.Label = h, name
			break
		}
	}
	return s
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
	maker uint64 // the number of the goroutine that made the coroutine which this is; 0 if it is none
	away  bool   // it is suspended, or has resumed another one
	waits bool   // it has resumed another one
}

// goroutines divides a dump.
func goroutines(dump string) (all []stack) {
	for text := range strings.SplitSeq(strings.TrimSpace(dump), "\n\n") {
		head, body, _ := strings.Cut(text, "\n")
		_, state, _ := strings.Cut(head, "[")
		g := stack{text: text, at: carrier.Of([]byte(head)), away: strings.HasPrefix(state, "coroutine")}
		g.waits = g.away && strings.HasPrefix(body, "iter.Pull[...].func2(")
		if i := strings.LastIndex(body, "created by iter.Pull[...] in goroutine "); i >= 0 {
			_, _ = fmt.Sscanf(body[i:], "created by iter.Pull[...] in goroutine %d", &g.maker)
		}
		all = append(all, g)
	}
	return all
}

// within returns who, if that is in a call of a loop; else the only one that is, as the frames have moved to another
// goroutine since, or nobody.
func within(all []stack, who carrier.Place) (in carrier.Place) {
	n := 0
	for _, g := range all {
		if !strings.Contains(g.text, ours+"frame.(*Loop).") || strings.Contains(g.text, ours+"frame.(*shadow).run") {
			continue
		}
		if g.at.Same(who) {
			return who
		}
		in = g.at
		n++
	}
	if n > 1 {
		return 0
	}
	return in
}

// chain returns the frame goroutine's stack and those of the goroutines that it waits for, one for the other.
func chain(all []stack, who, shadow carrier.Place) (held []stack) {
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
		case strings.Contains(g.text, ours+"frame.(*shadow).take("):
			g, shadow = find(shadow), 0
		case g.waits:
			g = resumed(all, g.at)
		default:
			g = nil
		}
	}
	return held
}

// maxChain is the most stacks that are shown: a Nest in a task, and iterators of the task's own, make it longer.
const maxChain = 16

// resumed returns the coroutine that a goroutine has resumed: of those that it has made the one that is not suspended.
// If another goroutine has made it, it is the only such one that runs.
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

// holder returns what the innermost anchor on the stack says, and the function that it called; or the first one from
// there on that is not the module's own, which its helpers are for.
func (g stack) holder() (Holder, string) {
	var names []string // of functions, the innermost first
	for line := range strings.Lines(g.text) {
		if line[0] == '\t' || strings.HasPrefix(line, "goroutine ") || strings.HasPrefix(line, "created by ") {
			continue
		}
		line = strings.TrimSpace(line)
		for _, a := range anchors {
			if rest, ok := strings.CutPrefix(line, ours); ok && strings.HasPrefix(rest, a.in) {
				return calledBy(names, a.holder)
			}
		}
		names = append(names, line)
	}
	return HeldSomehow, ""
}

// calledBy is holder for an anchor that is under those functions.
func calledBy(names []string, h Holder) (Holder, string) {
	for _, n := range slices.Backward(names) {
		if !isOurs(n) {
			return h, nameIn(n)
		}
	}
	if len(names) == 0 {
		return h, ""
	}
	return h, nameIn(names[len(names)-1])
}

// isOurs reports whether a function belongs to the packages that call others' functions.
func isOurs(line string) bool {
	rest, ok := strings.CutPrefix(line, ours)
	if !ok {
		return false
	}
	pkg, _, _ := strings.Cut(rest, ".")
	return pkg == "scheduler" || pkg == "workers" || pkg == "frame" || strings.HasPrefix(pkg, "internal/")
}

// nameIn returns a line of a stack less its arguments.
func nameIn(line string) string {
	if i := strings.LastIndexByte(line, '('); i > 0 {
		return line[:i]
	}
	return line
}
