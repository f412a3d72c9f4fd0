package workers

import "slices"

// Join calls every function, on the calling goroutine and on workers that have nothing else to do, and returns when all
// have returned. Functions should take 10 µs or more. It allocates once. To divide work again and again, use
// Worker.Fork.
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
