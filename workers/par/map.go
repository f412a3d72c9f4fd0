package par

import (
	"slices"

	"github.com/frameslice/frameslice/workers"
)

// Map stores f of every element of src at its index in dst, with l.ParallelFor, and returns dst with the length of src.
// It grows a dst that is shorter; dst may be nil, or src itself. A panic of f is raised as ParallelFor raises it. Map
// allocates once, and dst if dst must grow. Any goroutine may call Map, as far as l allows.
func Map[T, U any](l workers.Looper, dst []U, src []T, f func(T) U) []U {
	if f == nil {
		panic("par: Map of a nil function")
	}
	mustLoop(l, "Map")
	if len(dst) < len(src) {
		dst = slices.Grow(dst, len(src)-len(dst))
	}
	to := dst[:len(src)]
	l.ParallelFor(len(src), 0, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			to[i] = f(src[i])
		}
	})
	return to
}

// reduceParts is how many parts Reduce makes, at most, if the grain is zero or less.
const reduceParts = 256

// Reduce cuts [0, n) into parts of grain elements, calls fold for each with l.ParallelFor, and combines the results
// from left to right on the calling goroutine. So the result depends on n and grain only, and not on the workers. A
// grain of zero or less means a 256th of n. For no elements the result is the zero A.
//
// A panic of fold is raised as ParallelFor raises it, and a panic of combine passes through. Reduce allocates the
// results of the parts. Any goroutine may call Reduce, as far as l allows.
func Reduce[A any](l workers.Looper, n, grain int, fold func(lo, hi int) A, combine func(a, b A) A) A {
	if fold == nil || combine == nil {
		panic("par: Reduce of a nil function")
	}
	mustLoop(l, "Reduce")
	var sum A
	if n <= 0 {
		return sum
	}
	if grain <= 0 {
		grain = (n-1)/reduceParts + 1
	}
	parts, size := make([]A, (n-1)/grain+1), grain
	l.ParallelFor(len(parts), 0, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			from := i * size
			parts[i] = fold(from, from+min(size, n-from))
		}
	})
	sum = parts[0]
	for _, a := range parts[1:] {
		sum = combine(sum, a)
	}
	return sum
}

// mustLoop panics if l is nil, also where the work is so little that no Looper is needed.
func mustLoop(l workers.Looper, who string) {
	if l == nil {
		panic("par: " + who + " with a nil Looper")
	}
}
