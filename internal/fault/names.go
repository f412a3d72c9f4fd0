package fault

import (
	"reflect"
	"runtime"
	"strings"
)

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
