// Package mergesort sorts a slice with the help of other goroutines.
package mergesort

import "slices"

const (
	alone    = 4096 // elements that one goroutine sorts
	mostRuns = 64   // runs at most
)

// Sort sorts s in ascending order by cmp, as slices.SortFunc does. It has the pieces of each round run by loop: a call
// of loop(n, body) calls body for ranges that together make up [0, n), and returns when all calls have.
func Sort[T any](s []T, cmp func(a, b T) int, loop func(n int, body func(lo, hi int))) {
	if len(s) <= alone {
		slices.SortFunc(s, cmp)
		return
	}
	o := &sorter[T]{cmp: cmp, from: s, to: make([]T, len(s)), runs: 1}
	for o.runs < mostRuns && len(s)/o.runs > alone {
		o.runs *= 4
	}
	loop(o.runs, o.sortSome)
	for o.width = 1; o.width < o.runs; o.width *= 2 {
		o.cut()
		loop(o.runs, o.mergeSome)
		o.from, o.to = o.to, o.from
	}
}

// A sorter does one merge sort. The slice is cut into 4, 16 or 64 runs by its length, which are sorted one by one. Then
// they are merged in pairs. Each merge is itself cut into parts: a binary search finds how much of either run comes
// before a given place of the result (the merge path of Odeh, Green and others, 2012). So the last merge has as many
// parts as the first. An even number of rounds leaves the result in the slice.
type sorter[T any] struct {
	cmp      func(a, b T) int
	from, to []T // of the round
	runs     int
	width    int // runs of the slice that a run of this round is made of
	cuts     [mostRuns]int
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

// cut finds, for each part of the round, how many elements of the first of its two runs come before the part. One
// goroutine finds all cuts, because they must fit together even if cmp is no order: else elements would be lost.
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
