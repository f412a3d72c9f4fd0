package frame

import (
	"context"
	"iter"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/carrier"
	"github.com/frameslice/frameslice/internal/fault"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// names are the names, in stacks, of the functions that matter here. The watchdog asks for them when a frame is stuck.
// No name stands in the source: a fork of the module, or an obfuscated build, has other names.
type names struct {
	anchors  map[string]string // functions that call a user's; the innermost one tells what holds the frame
	methods  []string          // how the wrappers of a game's methods begin, which are anchors, too
	packages []string          // that call a user's functions
	loop     string            // how the methods of a Loop begin
	shadow   string            // the goroutine of the slice in the shadow
	takes    string            // what waits for that
	next     string            // what resumes a coroutine
	pull     string            // what makes one
}

// namesHere finds the names. The anchors of other packages it finds by looking at who calls a function of its own.
func namesHere() names {
	n := names{anchors: map[string]string{fault.NameOf((*Loop).frame): heldByHost}}
	anchor := func(h string) {
		var pc [1]uintptr
		runtime.Callers(3, pc[:]) // over Callers, anchor and the function that is called
		f, _ := runtime.CallersFrames(pc[:]).Next()
		n.anchors[f.Function] = h
	}
	s := scheduler.New(scheduler.Options{})
	s.Post(deadline.Normal, func() { anchor(heldByTask) })
	s.Go(deadline.Normal, func(*scheduler.Co) { anchor(heldByTask) })
	s.Once(scheduler.BeforeUpdate, func() { anchor(heldByCallback) })
	s.BeginFrame(deadline.Now())
	s.RunPhase(scheduler.BeforeUpdate)
	s.RunUntil(deadline.In(time.Minute))
	s.Close()
	p := workers.New(workers.Options{Workers: -1})
	p.Go(deadline.Normal, func() { anchor(heldByJob) })
	p.RunUntil(deadline.In(time.Minute))
	_ = p.Close(context.Background())
	next, stop := iter.Pull(func(func(int) bool) {})
	stop()

	n.next = fault.NameOf(next)
	n.pull = n.next[:strings.LastIndexByte(n.next, '.')]
	n.shadow, n.takes = fault.NameOf((*shadow).run), fault.NameOf((*shadow).take)
	own := fault.PackageOf(n.shadow)
	n.loop = own + "(*" + reflect.TypeFor[Loop]().Name() + ")."
	for _, t := range []reflect.Type{
		reflect.TypeFor[wrapped[int]](), reflect.TypeFor[wrappedLayout[int]](),
		reflect.TypeFor[wrappedFinal[int, int, int]](), reflect.TypeFor[wrappedBoth[int, int, int]](),
	} {
		name, _, _ := strings.Cut(t.Name(), "[")
		n.methods = append(n.methods, own+"(*"+name+"[...]).")
	}
	for _, f := range []any{(*Loop).frame, scheduler.New, workers.New, (*carrier.Carrier).Run, fault.Capture} {
		n.packages = append(n.packages, fault.PackageOf(fault.NameOf(f)))
	}
	return n
}

// stuckIn reads the stacks. who is the frame goroutine as far as the watchdog knows. It is no method of the Loop, since
// it looks for the goroutines that are in such methods.
func stuckIn(l *Loop, age time.Duration, who carrier.Place) Stuck {
	s := Stuck{For: age, Holder: heldSomehow}
	var shadow carrier.Place
	if l.shadow != nil {
		shadow = carrier.Place(l.shadow.who.Load())
	}
	own := !l.gate.isBusy() // no call of the loop is under way: it is the frame's own work
	if own {
		s.Holder = heldByHost
	}
	n := namesHere()
	all := n.goroutines(dump())
	if !own {
		who = n.within(all, who)
	}
	held := n.chain(all, who, shadow)
	for i, g := range held {
		if i > 0 {
			s.Stack = append(s.Stack, '\n')
		}
		s.Stack = append(append(s.Stack, g.text...), '\n')
	}
	for i, g := range slices.Backward(held) {
		h, name := n.holder(g)
		if i == 0 && !(own && h == heldByHost) { // the frames may be in a task or a job of another loop's
			break
		}
		if h != heldSomehow {
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
// only goroutine that is in such a call, or none.
func (n names) within(all []stack, who carrier.Place) (in carrier.Place) {
	found := 0
	for _, g := range all {
		if !strings.Contains(g.text, n.loop) || strings.Contains(g.text, n.shadow+"(") {
			continue
		}
		if g.at.Same(who) {
			return who
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

// holder returns what the innermost anchor on the stack says, and the function that it called. If that function is the
// module's own, it returns the first function from there on that is not.
func (n names) holder(g stack) (holder, label string) {
	var calls []string // the innermost first
	for line := range strings.Lines(g.text) {
		if line[0] == '\t' || strings.HasPrefix(line, "goroutine ") || strings.HasPrefix(line, "created by ") {
			continue
		}
		name := nameIn(strings.TrimSpace(line))
		h, anchor := n.anchors[name]
		if !anchor && startsWith(name, n.methods) {
			h, anchor = heldByHost, true
		}
		if anchor {
			return n.calledBy(calls, h)
		}
		calls = append(calls, name)
	}
	return heldSomehow, ""
}

// calledBy is holder for an anchor that has called those functions.
func (n names) calledBy(calls []string, h string) (holder, label string) {
	for _, name := range slices.Backward(calls) {
		if !startsWith(name, n.packages) {
			return h, name
		}
	}
	if len(calls) == 0 {
		return h, ""
	}
	return h, calls[len(calls)-1]
}

// startsWith reports whether a name begins with one of the given texts.
func startsWith(name string, with []string) bool {
	return slices.ContainsFunc(with, func(w string) bool { return strings.HasPrefix(name, w) })
}

// nameIn returns a line of a stack without its arguments.
func nameIn(line string) string {
	if i := strings.LastIndexByte(line, '('); i > 0 {
		return line[:i]
	}
	return line
}
