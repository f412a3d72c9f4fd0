package workers

import (
	"math"
	"slices"
)

// A Looper runs loops: a *Pool, or within a job its *Worker, whose loops are helped by workers of its own class.
type Looper interface {
	// ParallelFor is as that of Pool.
	ParallelFor(n, grain int, body func(lo, hi int))
}

// mustLoop panics if there is no Looper, also where the work is so little that none is needed.
func mustLoop(l Looper, who string) {
	if l == nil {
		panic("workers: " + who + " with a nil Looper")
	}
}

// loopOn is l.ParallelFor; if l is of this package, panics name who instead, and with a grain from one on a piece has
// at most top elements. A type with one of ours within may have a ParallelFor of its own, so it is not asked for more.
func loopOn(l Looper, who string, n, grain, top int, body func(lo, hi int)) {
	switch l := l.(type) {
	case *Pool:
		l.parallelFor(&l.crews[ordinary], who, n, grain, top, body)
	case *Worker:
		l.pool.parallelFor(l.loopCrew(), who, n, grain, top, body)
	default:
		l.ParallelFor(n, grain, body)
	}
}

// ParallelFor2D calls body for tiles that together make up [0, width) x [0, height), as ParallelFor does for
// pieces: on the calling goroutine and on workers that have nothing else to do, and measured. A tile is
// edge x edge elements, but for those at the far sides; an edge of zero or less means 32. Tiles are begun in
// the order of rows of tiles. It panics if there are more tiles than an int counts. Any goroutine; it
// allocates once.
func ParallelFor2D(l Looper, width, height, edge int, body func(x0, y0, x1, y1 int)) {
	if body == nil {
		panic("workers: ParallelFor2D of a nil function")
	}
	mustLoop(l, "ParallelFor2D")
	if width <= 0 || height <= 0 {
		return
	}
	if edge <= 0 {
		edge = 32
	}
	across, down := (width-1)/edge+1, (height-1)/edge+1
	if across > math.MaxInt/down {
		panic("workers: ParallelFor2D of too many tiles")
	}
	loopOn(l, "ParallelFor2D", across*down, 0, 0, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			x, y := i%across*edge, i/across*edge
			body(x, y, x+min(edge, width-x), y+min(edge, height-y))
		}
	})
}

// Map stores f of every element of src at its index in dst, which it grows if it is shorter, and returns dst
// with the length of src. dst may be nil, or src itself. See ParallelFor for who calls f, and for panics. It
// allocates once, and dst if it must grow.
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

// reduceParts is how many parts Reduce makes if nobody says how long they shall be.
const reduceParts = 256

// Reduce cuts [0, n) into parts of grain elements, the last one of what is left, calls fold for each, as
// ParallelFor does, and combines the results from left to right: combine(combine(part 0, part 1), part 2) and
// so on. So combine need not be commutative, nor quite associative, as the addition of floats is not: the
// result depends on n and grain, and neither on the number of workers nor on who was faster. A grain of zero
// or less means a 256th of n. If n is zero or less the result is the zero A. It allocates the parts and
// a closure.
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
	defer reraise("Reduce", &ended) // of combine
	sum = parts[0]
	for _, a := range parts[1:] {
		sum = combine(sum, a)
	}
	ended = true
	return sum
}
