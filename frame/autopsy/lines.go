package autopsy

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/exp/trace"
)

// A call is where a program calls the standard library, or an engine, and waits: what it calls, and from where, as
// "main.(*Game).Update game.go:275".
type call struct{ name, at string }

// callOf returns the outermost function below the program's own in a stack, and the innermost of the program. The
// functions of the runtime are no calls of the program's: it has operators and statements for them.
func callOf(s trace.Stack) (c call) {
	for f := range s.Frames() {
		if isProgram(f) {
			file := f.File[strings.LastIndexAny(f.File, `/\`)+1:]
			c.at = fmt.Sprintf("%s %s:%d", short(f.Func), file, f.Line)
			return c
		}
		if c.name = ""; !strings.HasPrefix(f.Func, "runtime.") {
			c.name = short(f.Func)
		}
	}
	return call{} // a goroutine of the engine's
}

// programs returns the names of the program's own functions in a stack, the outermost first.
func programs(s trace.Stack) (names []string) {
	for f := range s.Frames() {
		if isProgram(f) {
			names = append(names, short(f.Func))
		}
	}
	slices.Reverse(names)
	return names
}

// isProgram reports whether a function is the program's own: neither the standard library's, nor frameslice's, nor of a
// module that the program has downloaded, whose folder has the version in its name.
func isProgram(f trace.StackFrame) bool {
	return !isStandard(f.Func) && !isLibrary(f.Func) &&
		!strings.Contains(f.File, "@v") && !strings.Contains(f.File, "/vendor/")
}

// A look is one at the stack of the frame while it computes: in a region, by the number of the stack.
type look struct{ in, stack int32 }

// look counts the looks at the stack of the frame: those of a CPU profile, and those of the Go runtime, which looks
// where it has a goroutine that computes give way, every 10 ms.
func (p *replay) look(e *event) {
	preempted := e.kind == toState && e.to == trace.GoRunnable && p.texts.all[e.what] == "preempted"
	if e.kind != looked && !preempted || e.stack < 0 {
		return
	}
	g := p.carrier()
	if e.g != g || p.live[g].state != trace.GoRunning {
		return
	}
	in := p.place(g)
	if g != p.g && in < 0 {
		in = p.place(p.g)
	}
	for _, t := range p.all[min(p.next, len(p.all)):] {
		if t.from <= e.at && e.at <= t.to {
			t.looks[look{in, e.stack}]++
			return
		}
	}
}

// tell adds to each wait what the other goroutine did in most of that time, if it did not run itself, and where in the
// program the wait was. To work it adds where in the program most looks found the frame.
func (r *recording) tell(parts []Part, t *tally) {
	for i := range parts {
		p := &parts[i]
		if p.Kind == kindWork {
			p.At, p.Looks, p.Of = r.commonFunction(p.In, t.looks)
			continue
		}
		if p.Kind != kindBlocked && p.Kind != kindSyscall {
			continue
		}
		does, places := map[string]int64{}, map[call]int64{}
		for w, d := range t.further {
			in, further := "", ""
			if w.in >= 0 {
				in = shown(r.texts.all[w.in])
			}
			if w.further >= 0 {
				further = r.texts.all[w.further]
			}
			by := r.texts.all[w.by]
			if w.kind != p.Kind || in != p.In {
				continue
			}
			if by == p.By {
				does[further] += d
			}
			if w.stack >= 0 && (by == p.By || strings.Contains(p.By, by)) {
				places[callOf(r.stacks.all[w.stack])] += d
			}
		}
		at := heaviest(places, func(a, b call) int {
			return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.name, b.name))
		})
		p.Call, p.At = at.name, at.at
		p.By += heaviest(does, strings.Compare)
	}
}

// heaviest returns the key of the greatest weight, and of several the last.
func heaviest[K comparable](weights map[K]int64, compare func(a, b K) int) (most K) {
	for k, d := range weights {
		if d > weights[most] || d == weights[most] && compare(k, most) > 0 {
			most = k
		}
	}
	return most
}

// commonFunction returns the innermost function of the program in which more than half of the looks in a region found
// the frame, and in how many of how many.
func (r *recording) commonFunction(in string, looks map[look]int64) (function string, n, of int) {
	type path struct {
		functions []string // of the program, the outermost first
		n         int
	}
	var all []path
	for l, n := range looks {
		at := ""
		if l.in >= 0 {
			at = shown(r.texts.all[l.in])
		}
		if at == in {
			all = append(all, path{programs(r.stacks.all[l.stack]), int(n)})
			of += int(n)
		}
	}
	for depth := 0; ; depth++ {
		counts := map[string]int64{}
		for _, p := range all {
			if depth < len(p.functions) {
				counts[p.functions[depth]] += int64(p.n)
			}
		}
		most := heaviest(counts, strings.Compare)
		if most == "" || counts[most]*2 <= int64(of) {
			return function, n, of
		}
		function, n = most, int(counts[most])
		all = slices.DeleteFunc(all, func(p path) bool {
			return depth >= len(p.functions) || p.functions[depth] != most
		})
	}
}
