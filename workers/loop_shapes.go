package workers

import (
	"slices"

	"github.com/frameslice/frameslice/internal/loops"
)

// A Looper runs loops: a *Pool, or within a job its *Worker.
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

// reduceParts is how many parts Reduce makes if nobody says how long they shall be.
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
	defer loops.Reraise("Reduce", &ended) // of combine
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

const (
	sortAlone = 4096 // elements that one goroutine sorts
	sortRuns  = 64   // runs at most
)

// Sort sorts s in ascending order by cmp, as slices.SortFunc does, with the help of workers. Equal elements come in any
// order, the same on every machine. After a panic s may have elements twice and lack others. It allocates a copy of s.
func Sort[T any](l Looper, s []T, cmp func(a, b T) int) { new(sorter[T]).sort(l, s, cmp) }

// A sorter does one merge sort. The slice is cut into 4, 16 or 64 runs by its length, which are sorted one by one. Then
// they are merged in pairs. Each merge is itself cut into parts: a binary search finds the place in either run at which
// a given place of the result begins (the merge path of Odeh, Green and others, 2012). So the last merge has as many
// parts as the first. An even number of rounds leaves the result in the slice.
type sorter[T any] struct {
	cmp      func(a, b T) int
	from, to []T // of the round
	runs     int
	width    int // runs of the slice that a run of this round is made of
	cuts     [sortRuns]int
}

func (o *sorter[T]) sort(l Looper, s []T, cmp func(a, b T) int) {
	if cmp == nil {
		panic("workers: Sort of a nil function")
	}
	mustLoop(l, "Sort")
	ended := false
	defer loops.Reraise("Sort", &ended)
	if len(s) <= sortAlone {
		slices.SortFunc(s, cmp)
		ended = true
		return
	}
	o.cmp = cmp
	o.from, o.to = s, make([]T, len(s))
	o.runs = 1
	for o.runs < sortRuns && len(s)/o.runs > sortAlone {
		o.runs *= 4
	}
	loopOn(l, "Sort", o.runs, 1, o.runs, o.sortSome)
	for o.width = 1; o.width < o.runs; o.width *= 2 {
		o.cut()
		loopOn(l, "Sort", o.runs, 1, o.runs, o.mergeSome)
		o.from, o.to = o.to, o.from
	}
	ended = true
}

// bound returns where run i begins.
func (o *sorter[T]) bound(i int) int {
	n := len(o.from)
	return n/o.runs*i + n%o.runs*i/o.runs
}

func (o *sorter[T]) sortSome(lo, hi int) {
	for i := lo; i < hi; i++ {
		a, b := o.bound(i), o.bound(i+1)
		slices.SortFunc(o.from[a:b], o.cmp)
	}
}

// pair returns the two runs whose merge part i belongs to: [lo, mid) and [mid, hi).
func (o *sorter[T]) pair(i int) (lo, mid, hi int) {
	first := i / (2 * o.width) * 2 * o.width
	return o.bound(first), o.bound(first + o.width), o.bound(first + 2*o.width)
}

// cut finds, for each part of the round, how many elements of its first run come before it. This is done
// here, and not by whoever merges the part, because the cuts must fit together even if cmp is no order: else
// elements would be lost.
func (o *sorter[T]) cut() {
	for i := range o.runs {
		lo, mid, hi := o.pair(i)
		at := o.bound(i)
		if at == lo {
			o.cuts[i] = 0
			continue
		}
		n := cutAt(o.from[lo:mid], o.from[mid:hi], at-lo, o.cmp)
		before := o.cuts[i-1]
		o.cuts[i] = min(max(n, before), before+at-o.bound(i-1))
	}
}

// cutAt returns how many elements of a are among the first n of the merge of a and b.
func cutAt[T any](a, b []T, n int, cmp func(a, b T) int) int {
	lo, hi := max(0, n-len(b)), min(n, len(a))
	for lo < hi {
		i := int(uint(lo+hi) >> 1)
		if cmp(b[n-i-1], a[i]) < 0 {
			hi = i
		} else {
			lo = i + 1
		}
	}
	return lo
}

func (o *sorter[T]) mergeSome(lo, hi int) {
	for i := lo; i < hi; i++ {
		o.mergePart(i)
	}
}

func (o *sorter[T]) mergePart(i int) {
	lo, mid, hi := o.pair(i)
	at, end := o.bound(i), o.bound(i+1)
	a0, a1 := lo+o.cuts[i], mid
	b1 := hi
	if end < hi {
		a1 = lo + o.cuts[i+1]
		b1 = mid + (end - lo) - o.cuts[i+1]
	}
	merge(o.to[at:end], o.from[a0:a1], o.from[mid+(at-lo)-o.cuts[i]:b1], o.cmp)
}

// merge merges a and b into dst, equal ones of a first. b may be the end of dst.
func merge[T any](dst, a, b []T, cmp func(a, b T) int) {
	k, i, j := 0, 0, 0
	for i < len(a) && j < len(b) {
		if cmp(b[j], a[i]) < 0 {
			dst[k] = b[j]
			j++
		} else {
			dst[k] = a[i]
			i++
		}
		k++
	}
	k += copy(dst[k:], a[i:])
	copy(dst[k:], b[j:])
}
