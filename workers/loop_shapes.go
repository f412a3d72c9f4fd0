package workers

import (
	"slices"

	"github.com/frameslice/frameslice/internal/loops"
	"github.com/frameslice/frameslice/internal/mergesort"
)

// A Looper runs loops: a *Pool, or within a job its *Worker.
type Looper interface {
	// ParallelFor is like Pool.ParallelFor.
	ParallelFor(n, grain int, body func(lo, hi int))
}

// mustLoop panics if l is nil, also where the work is so little that no Looper is needed.
func mustLoop(l Looper, who string) {
	if l == nil {
		panic("workers: " + who + " with a nil Looper")
	}
}

// loopOn is l.ParallelFor. If l is a *Pool or *Worker, panics name who instead, and with a grain of one or more a piece
// has at most top elements. A type that embeds one of them may have a ParallelFor of its own, so loopOn calls that.
func loopOn(l Looper, who string, n, grain, top int, body func(lo, hi int)) {
	switch l := l.(type) {
	case *Pool:
		l.parallelFor(&l.classes[ordinary], who, n, grain, top, body)
	case *Worker:
		l.pool.parallelFor(l.loopClass(), who, n, grain, top, body)
	default:
		l.ParallelFor(n, grain, body)
	}
}

// Map stores f of every element of src at its index in dst, with ParallelFor, and returns dst with the length of src.
// It grows a dst that is shorter; dst may be nil, or src itself. It allocates once, and dst if dst must grow.
func Map[T, U any](l Looper, dst []U, src []T, f func(T) U) []U {
	if f == nil {
		panic("workers: Map of a nil function")
	}
	mustLoop(l, "Map")
	if len(dst) < len(src) {
		dst = slices.Grow(dst, len(src)-len(dst))
	}
	dst = dst[:len(src)]
	loopOn(l, "Map", len(src), 0, 0, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			dst[i] = f(src[i])
		}
	})
	return dst
}

// reduceParts is how many parts Reduce makes, at most, if the grain is zero or less.
const reduceParts = 256

// Reduce cuts [0, n) into parts of grain elements, calls fold for each with ParallelFor, and combines the results from
// left to right. So the result depends on n and grain only. A grain of zero or less means a 256th of n. For no elements
// the result is the zero A. It allocates the parts.
func Reduce[A any](l Looper, n, grain int, fold func(lo, hi int) A, combine func(a, b A) A) A {
	if fold == nil || combine == nil {
		panic("workers: Reduce of a nil function")
	}
	mustLoop(l, "Reduce")
	var sum A
	if n <= 0 {
		return sum
	}
	if grain <= 0 {
		grain = (n-1)/reduceParts + 1
	}
	parts := make([]A, (n-1)/grain+1)
	loopOn(l, "Reduce", len(parts), 0, 0, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			from := i * grain
			parts[i] = fold(from, from+min(grain, n-from))
		}
	})
	ended := false
	defer loops.Reraise("Reduce", &ended) // a panic of combine
	sum = parts[0]
	for _, a := range parts[1:] {
		sum = combine(sum, a)
	}
	ended = true
	return sum
}

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

// Sort sorts s in ascending order by cmp, as slices.SortFunc does, with the help of workers. Equal elements come in any
// order, the same on every machine. After a panic s may have elements twice and lack others. It allocates a copy of s.
func Sort[T any](l Looper, s []T, cmp func(a, b T) int) {
	if cmp == nil {
		panic("workers: Sort of a nil function")
	}
	mustLoop(l, "Sort")
	ended := false
	defer loops.Reraise("Sort", &ended)
	mergesort.Sort(s, cmp, func(n int, body func(lo, hi int)) { loopOn(l, "Sort", n, 1, n, body) })
	ended = true
}
