package autopsy

import (
	"reflect"
	"slices"
	"strings"

	"golang.org/x/exp/trace"

	"github.com/frameslice/frameslice/frame/record"
)

// first, last and foreign say which function of a stack is meant.
const (
	first   = iota // the innermost
	last           // the outermost
	foreign        // the innermost of the program: not of the standard library, and not of frameslice
)

// entry returns what a goroutine is called that runs a function.
func entry(function string) string {
	switch {
	case strings.HasPrefix(function, "runtime.") || strings.HasPrefix(function, "runtime/"):
		return "the Go runtime"
	case strings.HasPrefix(function, library+"workers."):
		return "a worker of the pool"
	case isLibrary(function):
		return "frameslice"
	}
	return short(function)
}

// short returns the name of a function without the path of its package, and of a function in another one the outer
// name.
func short(function string) string {
	return outer(function[strings.LastIndexByte(function, '/')+1:])
}

// outer returns the name without the number of a function in a function.
func outer(name string) string {
	for i := range name {
		if in, ok := strings.CutPrefix(name[i:], ".func"); ok && in != "" && in[0] >= '0' && in[0] <= '9' {
			return name[:i]
		}
	}
	return name
}

// function returns a function of a stack by its name.
func function(s trace.Stack, which int) string {
	name := ""
	for f := range s.Frames() {
		beside := isStandard(f.Func) || isLibrary(f.Func)
		if which == foreign && name != "" && beside {
			continue
		}
		if name = f.Func; which == first || which == foreign && !beside {
			break
		}
	}
	return name
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

// standard are the packages of the standard library in which goroutines block.
var standard = strings.Fields("runtime internal syscall os io bufio net sync time context vendor iter crypto " +
	"compress encoding reflect testing fmt log archive bytes database embed go html image maps mime slices sort " +
	"strings text")

// systemCalls is where programs outside the standard library make system calls.
const systemCalls = "golang.org/x/sys/"

func isStandard(function string) bool {
	end := strings.IndexAny(function, "/.")
	return end > 0 && slices.Contains(standard, function[:end]) || strings.HasPrefix(function, systemCalls)
}

// library begins the names of frameslice's own functions.
var library = strings.TrimSuffix(reflect.TypeFor[record.Record]().PkgPath(), "frame/record")

// parts are the folders of the library in which there are no programs.
var parts = []string{"deadline", "frame", "internal", "scheduler", "workers"}

func isLibrary(function string) bool {
	name, ok := strings.CutPrefix(function, library)
	end := strings.IndexAny(name, "/.")
	return ok && end > 0 && slices.Contains(parts, name[:end])
}
