package fault

import (
	"bytes"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"
)

// ours is how the names of this module's functions begin. Where packages have names of their own each, as obfuscated
// ones have, it is how the names of this package's begin.
func ours() string { return strings.TrimSuffix(PackageOf(NameOf(Capture)), "internal/fault.") }

// trim takes out of a stack, as debug.Stack returned it to Capture, what stands above the function that panicked: how
// it was caught, the call of panic or of runtime.Goexit, and what the runtime calls to raise a panic of its own. That
// are some six entries which are the same in every stack, and who reads it wants the one after them. If what is at the
// top is anything else the stack is left as it is. It changes the slice.
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

// entry returns the name of the function that a stack begins with, and what follows that entry, which has two lines;
// or no name, if there is no such function.
func entry(stack []byte) (name string, rest []byte) {
	call, rest, _ := bytes.Cut(stack, []byte("\n"))
	place, rest, ok := bytes.Cut(rest, []byte("\n"))
	i := bytes.LastIndexByte(call, '(') // the one before may be of a receiver, (*T)
	if !ok || i <= 0 || len(place) == 0 || place[0] != '\t' || bytes.HasPrefix(call, []byte("created by ")) {
		return "", nil
	}
	return string(call[:i]), rest
}

// NameOf returns the name of a function, as stacks show it. A name that is asked for is right also in a fork, and where
// names are obfuscated.
func NameOf(function any) string {
	return runtime.FuncForPC(reflect.ValueOf(function).Pointer()).Name()
}

// PackageOf returns the package in the name of a function, with the dot after it.
func PackageOf(name string) string {
	last := strings.LastIndexByte(name, '/') + 1
	return name[:last+strings.IndexByte(name[last:], '.')+1]
}
