package fault

import (
	"bytes"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"
)

// ours is how the names of this module's functions begin. In an obfuscated program, whose packages have no common
// prefix, it is how the names of this package's functions begin.
func ours() string { return strings.TrimSuffix(PackageOf(NameOf(Capture)), "internal/fault.") }

// trim removes from a stack, as debug.Stack returned it to Capture, the entries above the function that panicked: how
// the panic was caught, the call of panic or of runtime.Goexit, and what the runtime calls to raise a panic of its own.
// These some six entries are the same in every stack, and a reader wants the entry after them. If the top is anything
// else, the stack is left as it is. trim changes the slice.
func trim(stack []byte) []byte {
	head := bytes.IndexByte(stack, '\n') + 1 // goroutine 1 [running]:
	rest := stack[head:]
	name, rest := entry(rest)
	if name != NameOf(debug.Stack) {
		return stack
	}
	own := ours()
	for name, rest = entry(rest); strings.HasPrefix(name, own); name, rest = entry(rest) {
	}
	exit := NameOf(runtime.Goexit)
	if name != "panic" && name != exit {
		return stack
	}
	for {
		name, after := entry(rest)
		if name == "" {
			return stack
		}
		if !strings.HasPrefix(name, PackageOf(exit)) {
			return append(stack[:head], rest...)
		}
		rest = after
	}
}

// entry returns the function's name in the first entry of a stack, which has two lines, and the rest of the stack.
// Without such an entry the name is empty.
func entry(stack []byte) (name string, rest []byte) {
	call, rest, _ := bytes.Cut(stack, []byte("\n"))
	place, rest, ok := bytes.Cut(rest, []byte("\n"))
	i := bytes.LastIndexByte(call, '(') // an earlier one may be of a receiver, (*T)
	if !ok || i <= 0 || len(place) == 0 || place[0] != '\t' || bytes.HasPrefix(call, []byte("created by ")) {
		return "", nil
	}
	return string(call[:i]), rest
}

// NameOf returns the name of a function, as stacks show it. Unlike a name in a string, it is right in a fork, too, and
// where names are obfuscated.
func NameOf(function any) string {
	return runtime.FuncForPC(reflect.ValueOf(function).Pointer()).Name()
}

// PackageOf returns the package in the name of a function, with the dot after it.
func PackageOf(name string) string {
	last := strings.LastIndexByte(name, '/') + 1
	return name[:last+strings.IndexByte(name[last:], '.')+1]
}
