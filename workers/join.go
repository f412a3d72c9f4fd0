package workers

import "slices"

// Join calls every function, on the calling goroutine and on workers that have nothing else to do, and returns when all
// have returned. After a panic no further function is begun, and Join panics with the first *PanicError. It takes the
// caller a wake-up, so the functions had better take 10 µs or more. To divide work again and again Worker.Fork and
// Worker.Join take 3 ns. Any goroutine; it allocates once, and its caller the list of functions.
func Join(l Looper, fs ...func()) {
	if slices.ContainsFunc(fs, func(f func()) bool { return f == nil }) {
		panic("workers: Join of a nil function")
	}
	mustLoop(l, "Join")
	loopOn(l, "Join", len(fs), 1, 1, func(lo, hi int) {
		for _, f := range fs[lo:hi] {
			f()
		}
	})
}
