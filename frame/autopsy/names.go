package autopsy

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"golang.org/x/exp/trace"

	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/internal/words"
)

// These are goroutines of the runtime. Only finalizers and cleanups run code of the program there.
const (
	runtimes   = "the Go runtime"
	finalizers = "finalizers and cleanups"
)

// entry returns what a goroutine is called with such a stack. One that another package has begun for the program, such
// as sync.WaitGroup.Go, is called as what has called that package, in the stack by.
func entry(s, by trace.Stack) string {
	name := ""
	for f := range s.Frames() {
		name = f.Func // the last is the outermost
	}
	switch {
	case strings.HasPrefix(name, "runtime.") || strings.HasPrefix(name, "runtime/"):
		switch name[len("runtime."):] {
		case "runFinalizers", "runfinq", "runCleanups":
			return finalizers
		}
		return runtimes
	case strings.HasPrefix(name, library+"workers."):
		return "a worker of the pool"
	case isLibrary(name):
		return "frameslice"
	case isStandard(name):
		if inner, outer := foreign(by); outer != "" {
			name = inner
		}
	}
	return short(name)
}

// short returns the name of a function without the path of its package, and of a function in another one the outer
// name.
func short(function string) string {
	if function == "" {
		return ""
	}
	return outer(words.Short(function))
}

// outer returns the name without the number of a function in a function.
func outer(name string) string {
	for i := range name {
		in, ok := strings.CutPrefix(name[i:], ".func")
		if ok && in != "" && in[0] >= '0' && in[0] <= '9' && !strings.HasSuffix(name[:i], ".init") {
			return name[:i] // that of a variable is init.func1, and has no outer function
		}
	}
	return name
}

// foreign returns the innermost and the outermost function of a stack that are neither of the standard library nor of
// frameslice. Without one, the first name is that of the innermost function.
func foreign(s trace.Stack) (inner, outer string) {
	for f := range s.Frames() {
		if isStandard(f.Func) || isLibrary(f.Func) {
			inner = cmp.Or(inner, f.Func)
			continue
		}
		if outer == "" {
			inner = f.Func
		}
		outer = f.Func
	}
	return inner, outer
}

// reasonOf returns the reason why a goroutine with such a stack waits, as the trace tells it of a wait that begins in
// the trace.
func reasonOf(s trace.Stack) string {
	for _, r := range [...]struct{ pkg, function, reason string }{
		{"time", "Sleep", "sleep"}, {"internal/poll", "pollWait", "network"},
		{"runtime", "chanrecv", "chan receive"}, {"runtime", "chansend", "chan send"},
		{"runtime", "selectgo", "select"},
		{"sync", "Cond", "Cond"}, {"sync", "", "sync"},
	} {
		if calls(s, r.pkg, r.function) {
			return r.reason
		}
	}
	return ""
}

// calls reports whether a stack has a function of a package, or of a type in the package.
func calls(s trace.Stack, pkg, typ string) bool {
	for f := range s.Frames() {
		if strings.HasPrefix(f.Func, pkg+".") && strings.Contains(f.Func, typ) {
			return true
		}
	}
	return false
}

// standard are the folders of the standard library.
var standard = strings.Fields("archive bufio bytes cmp compress container context crypto database debug embed " +
	"encoding errors expvar flag fmt go hash html image index internal io iter log maps math mime net os path plugin " +
	"reflect regexp runtime slices sort strconv strings structs sync syscall testing text time unicode unique unsafe " +
	"vendor weak")

// isStandard includes golang.org/x: sys makes system calls, and sync begins goroutines.
func isStandard(function string) bool {
	end := strings.IndexAny(function, "/.")
	return end > 0 && slices.Contains(standard, function[:end]) || strings.HasPrefix(function, "golang.org/x/")
}

// library begins the names of frameslice's own functions.
var library = strings.TrimSuffix(reflect.TypeFor[record.Record]().PkgPath(), "frame/record")

// parts are the folders of the library in which there are no programs.
var parts = []string{"deadline", "frame", "internal", "scheduler", "workers"}

func isLibrary(function string) bool {
	if strings.HasPrefix(function, strings.TrimSuffix(library, "/")+".") {
		return true
	}
	name, ok := strings.CutPrefix(function, library)
	end := strings.IndexAny(name, "/.")
	return ok && end > 0 && slices.Contains(parts, name[:end])
}

// who returns what a goroutine in a region is called: by the region, or by its function.
func (p *replay) who(g, in int32) int32 {
	switch {
	case p.gs[g].gc:
		return p.texts.number("the garbage collection")
	case in >= 0:
		return in
	case p.gs[g].name != "" && g != p.g && p.gs[g].name == p.gs[p.g].name:
		return p.texts.number("a goroutine of " + p.gs[g].name) // that of the frame has the same name
	case p.gs[g].name != "":
		return p.texts.number(p.gs[g].name)
	}
	return p.texts.number("another goroutine")
}

// caller returns what called the system, or C.
func (p *replay) caller(l *live) string {
	if l.stack < 0 {
		return ""
	}
	inner, _ := foreign(p.stacks.all[l.stack])
	return short(inner)
}

// cause returns the system call that a goroutine makes, or what else it waits for.
func (p *replay) cause(l *live) int32 {
	if l.cause < 0 && l.state == trace.GoSyscall {
		l.cause = p.texts.number(p.caller(l))
	} else if l.cause < 0 {
		l.cause = p.texts.number(p.blocked(l))
	}
	return l.cause
}

// further says what the goroutine does that ends a wait. It is -1 while that goroutine runs.
func (p *replay) further(l *live) int32 {
	if l.by < 0 {
		return -1
	}
	next := &p.live[l.by]
	if next.further >= 0 {
		return next.further
	}
	switch next.state {
	case trace.GoSyscall:
		does := " (which was in a system call or cgo"
		if by := p.texts.all[p.cause(next)]; by != "" {
			does += " by " + by
		}
		next.further = p.texts.number(does + ")")
	case trace.GoRunnable:
		if who := p.holders(); who != "" {
			return p.texts.number(" (which waited for a processor: " + who + ")")
		}
	case trace.GoWaiting:
		does := ""
		if cause := p.texts.all[p.cause(next)]; p.texts.all[next.why] == "sleep" {
			does = " (which slept)"
		} else if cause != "" {
			does = " (which waited for " + cause + ")"
		}
		next.further = p.texts.number(does)
	}
	return next.further
}

// blocked says for what a goroutine waits, and for which goroutine; or nothing, if the trace does not tell.
func (p *replay) blocked(l *live) string {
	other := ""
	if l.by >= 0 {
		other = shown(p.texts.all[p.who(l.by, l.in)])
	}
	of := func(what, link string) string {
		if other == "" {
			return what
		}
		return what + link + other
	}
	within := func(pkg, typ string) bool { return l.stack >= 0 && calls(p.stacks.all[l.stack], pkg, typ) }
	switch why := p.texts.all[l.why]; {
	case strings.Contains(why, "Cond"):
		return of("a condition", " of ")
	case why == "network" && within("net", ""):
		return "the network"
	case why == "network":
		return "a file or a pipe"
	case why == "sync" && within("sync", "WaitGroup"):
		return of("a wait group", " of ")
	case why == "sync":
		return of("a lock", " held by ")
	case l.by == byNobody && (strings.HasPrefix(why, "chan ") || why == "select"):
		return "a channel of a timer"
	case strings.HasPrefix(why, "chan "), why == "select":
		return of("a channel", " of ")
	case why == "sleep":
		return "a sleep of its own"
	case why == "wait until GC ends", strings.Contains(why, "Gosched") && within("runtime", "GC"):
		return "a garbage collection that it asked for"
	case strings.HasPrefix(why, "GC "):
		return "the garbage collection"
	case strings.Contains(why, "Gosched"):
		return why
	}
	return other
}
