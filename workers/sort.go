package workers

import "slices"

const (
	sortAlone = 4096 // elements that one goroutine sorts
	sortRuns  = 64   // runs at most
	insertion = 12   // elements that are sorted by insertion
)

// A Sorter sorts slices in parallel and keeps its scratch, one buffer of the length of the longest slice so far, so
// that sorting every frame allocates nothing. The zero Sorter is ready. It is for one goroutine
// at a time. What was sorted last stays reachable through the scratch.
//
// It is a merge sort. The slice is cut into 4, 16 or 64 runs by its length, which are sorted one by one; then
// they are merged in pairs. Each merge is itself cut into parts, by a binary search for the place in either
// run at which a given place of the result begins (the merge path of Odeh, Green and others, 2012), so that
// the last merge has as many parts as the first. An even number of rounds leaves the result in the slice.
type Sorter[T any] struct {
	scratch  []T
	cmp      func(a, b T) int
	stable   bool
	from, to []T // of the round
	runs     int
	width    int // runs of the slice that a run of this round is made of
	cuts     [sortRuns]int
	sortFn   func(lo, hi int) // sortSome and mergeSome, made once
	mergeFn  func(lo, hi int)
}

// Sort sorts s in ascending order by cmp, as slices.SortFunc does: equal elements may come in any order,
// which is the same on every machine. It takes the caller and as many workers as have nothing else to do, as
// ParallelFor does. If cmp is no order, the elements come in some order; if it panics, so does Sort, with a
// *PanicError, and s may then have elements twice and lack others.
func (o *Sorter[T]) Sort(l Looper, s []T, cmp func(a, b T) int) {
	o.stable = false
	o.sort(l, s, cmp)
}

// SortStable is Sort, and leaves equal elements in the order in which they were, as slices.SortStableFunc
// does.
func (o *Sorter[T]) SortStable(l Looper, s []T, cmp func(a, b T) int) {
	o.stable = true
	o.sort(l, s, cmp)
}

// Sort is Sorter.Sort with a scratch that is made for it.
func Sort[T any](l Looper, s []T, cmp func(a, b T) int) { new(Sorter[T]).Sort(l, s, cmp) }

// SortStable is Sorter.SortStable with a scratch that is made for it.
func SortStable[T any](l Looper, s []T, cmp func(a, b T) int) { new(Sorter[T]).SortStable(l, s, cmp) }

func (o *Sorter[T]) sort(l Looper, s []T, cmp func(a, b T) int) {
	if cmp == nil {
		panic("workers: Sort of a nil function")
	}
	mustLoop(l, "Sort")
	ended := false
	defer reraise("Sort", &ended)
	defer func() { o.from, o.to, o.cmp = nil, nil, nil }()
	if len(s) <= sortAlone && !o.stable {
		slices.SortFunc(s, cmp)
		ended = true
		return
	}
	if cap(o.scratch) < len(s) {
		o.scratch = make([]T, len(s))
	}
	if o.sortFn == nil {
		o.sortFn, o.mergeFn = o.sortSome, o.mergeSome
	}
	o.cmp = cmp
	o.from, o.to = s, o.scratch[:len(s)]
	o.runs = 1
	for o.runs < sortRuns && len(s)/o.runs > sortAlone {
		o.runs *= 4
	}
	loopOn(l, "Sort", o.runs, 1, o.runs, o.sortFn)
	for o.width = 1; o.width < o.runs; o.width *= 2 {
		o.cut()
		loopOn(l, "Sort", o.runs, 1, o.runs, o.mergeFn)
		o.from, o.to = o.to, o.from
	}
	ended = true
}

// bound returns where run i begins.
func (o *Sorter[T]) bound(i int) int {
	n := len(o.from)
	return n/o.runs*i + n%o.runs*i/o.runs
}

func (o *Sorter[T]) sortSome(lo, hi int) {
	for i := lo; i < hi; i++ {
		a, b := o.bound(i), o.bound(i+1)
		if o.stable {
			stableSort(o.from[a:b], o.to[a:b], o.cmp)
		} else {
			slices.SortFunc(o.from[a:b], o.cmp)
		}
	}
}

// pair returns the two runs whose merge part i belongs to: [lo, mid) and [mid, hi).
func (o *Sorter[T]) pair(i int) (lo, mid, hi int) {
	first := i / (2 * o.width) * 2 * o.width
	return o.bound(first), o.bound(first + o.width), o.bound(first + 2*o.width)
}

// cut finds, for each part of the round, how many elements of its first run come before it. This is done
// here, and not by whoever merges the part, because the cuts must fit together even if cmp is no order: else
// elements would be lost.
func (o *Sorter[T]) cut() {
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

func (o *Sorter[T]) mergeSome(lo, hi int) {
	for i := lo; i < hi; i++ {
		o.mergePart(i)
	}
}

func (o *Sorter[T]) mergePart(i int) {
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

// stableSort sorts s with the help of a scratch of at least half its length.
func stableSort[T any](s, scratch []T, cmp func(a, b T) int) {
	if len(s) <= insertion {
		for i := 1; i < len(s); i++ {
			x, k := s[i], i
			for ; k > 0 && cmp(x, s[k-1]) < 0; k-- {
				s[k] = s[k-1]
			}
			s[k] = x
		}
		return
	}
	mid := len(s) / 2
	stableSort(s[:mid], scratch, cmp)
	stableSort(s[mid:], scratch, cmp)
	if cmp(s[mid], s[mid-1]) >= 0 {
		return
	}
	copy(scratch[:mid], s[:mid])
	merge(s, scratch[:mid], s[mid:], cmp)
}
