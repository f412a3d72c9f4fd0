package carrier

import "runtime"

// Within reports whether one of the calling goroutine's callers is a function whose full name, such as
// "example.org/module/pkg.(*T).method", is to the caller's liking. It takes 1 to 3 µs for a shallow stack: for
// paths that are about to block, or do more than that.
func Within(likes func(name string) bool) bool {
	var pcs [64]uintptr
	for skip := 3; ; skip += len(pcs) { // over runtime.Callers, Within and its caller
		n := runtime.Callers(skip, pcs[:])
		frames := runtime.CallersFrames(pcs[:n])
		for more := n > 0; more; {
			var f runtime.Frame
			f, more = frames.Next()
			if likes(f.Function) {
				return true
			}
		}
		if n < len(pcs) {
			return false
		}
	}
}
