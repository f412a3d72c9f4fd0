package load

import (
	"context"
	"math"
	"slices"

	"github.com/frameslice/frameslice/deadline"
)

// A View is what one place of a program wants from a Cache: the tiles around a camera, the pictures of a level. Any
// goroutine may call its methods.
type View[K comparable, T any] struct {
	c     *Cache[K, T]
	wants map[K]*want
	near  []K // of the latest Show
	soon  []K
	next  int // in near and then soon: no key before it is missing
	turn  uint64
	stop  func() bool
	ended bool
	left  []gone[K] // for forgetEarlier
}

// A want is a key that a View wants.
type want struct {
	turn  uint64 // of Show
	shown bool   // near, or only announced
	rank  int    // among near and then soon
}

// A gone is a key that a View does not want any more.
type gone[K comparable] struct {
	key K
	*want
}

// View returns a View without keys. It ends with ctx (nil is context.Background) and with Close.
func (c *Cache[K, T]) View(ctx context.Context) *View[K, T] {
	v := &View[K, T]{c: c, wants: map[K]*want{}}
	c.mu.Lock()
	defer c.mu.Unlock()
	if v.ended = c.closed || ctx != nil && ctx.Err() != nil; v.ended {
		return v
	}
	c.views = append(c.views, v)
	if ctx != nil && ctx.Done() != nil {
		v.stop = context.AfterFunc(ctx, v.Close)
	}
	return v
}

// Show says what the View wants from now on: near is in sight, the most important first, and soon is likely to come.
// Both may have a key, and then near counts. Show takes the place of the Show before. Missing values are loaded in
// that order, those of soon at deadline.Idle. Loads of keys that are in neither end, and a decode sees that by its
// context. The last keys that do not fit into the budget are not loaded, and so the memory has a bound: see
// CacheStats.Full. Call Show in each frame: if both are as they were, it only compares them.
func (v *View[K, T]) Show(near, soon []K) {
	c := v.c
	if notSelf := func(key K) bool { return key != key }; slices.ContainsFunc(near, notSelf) ||
		slices.ContainsFunc(soon, notSelf) {
		panic("load: View.Show of a key that does not equal itself")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if v.ended || slices.Equal(v.near, near) && slices.Equal(v.soon, soon) {
		return
	}
	v.near, v.soon = append(v.near[:0], near...), append(v.soon[:0], soon...)
	v.turn++
	v.next = 0
	for i, key := range v.near {
		v.want(key, true, i)
	}
	for i, key := range v.soon {
		v.want(key, false, len(near)+i)
	}
	v.forgetEarlier()
	c.fill()
}

// want notes that the View wants the key. The first place in a Show counts.
func (v *View[K, T]) want(key K, shown bool, rank int) {
	w, e := v.wants[key], v.c.entries[key]
	if w == nil {
		w = &want{}
		v.wants[key] = w
	} else if w.turn == v.turn {
		return
	} else if e != nil && w.shown != shown {
		e.count(w.shown, -1)
	}
	if e != nil && (w.turn == 0 || w.shown != shown) {
		e.count(shown, 1)
	}
	w.turn, w.shown, w.rank = v.turn, shown, rank
	if e != nil {
		v.c.settle(e)
	}
}

// forgetEarlier forgets the keys of earlier Shows, the least important first. So of values that leave together, this
// one is evicted first.
func (v *View[K, T]) forgetEarlier() {
	for key, w := range v.wants {
		if w.turn != v.turn {
			v.left = append(v.left, gone[K]{key, w})
		}
	}
	slices.SortFunc(v.left, func(a, b gone[K]) int { return b.rank - a.rank })
	for _, g := range v.left {
		delete(v.wants, g.key)
		if e := v.c.entries[g.key]; e != nil {
			e.count(g.shown, -1)
			v.c.settle(e)
		}
	}
	clear(v.left)
	v.left = v.left[:0]
}

// count counts the Views that show an entry, or that have announced it.
func (e *entry[K, T]) count(shown bool, n int) {
	if shown {
		e.shown += n
	} else {
		e.soon += n
	}
}

// settle puts an entry where it belongs after the Views that want it have changed. An entry that nobody wants, and that
// is not kept, ends.
func (c *Cache[K, T]) settle(e *entry[K, T]) {
	if wanted := e.shown+e.soon > 0; e.state == Pending {
		switch {
		case !wanted && e.request.Cancel():
			c.gaveUp(e)
			delete(c.entries, e.key)
		case e.shown > 0:
			e.request.SetPriority(c.ld.o.Priority)
		case e.soon > 0:
			e.request.SetPriority(deadline.Idle)
		}
		return
	} else if e.state == Failed || e.state == Canceled {
		if !wanted {
			delete(c.entries, e.key)
		}
		return
	}
	in := &c.idle
	switch {
	case e.shown > 0:
		in = nil
	case e.soon > 0:
		in = &c.soon
	}
	if in != e.in {
		c.leaveList(e)
		if e.in = in; in != nil {
			e.place = in.PushFront(e)
		}
	}
}

func (c *Cache[K, T]) leaveList(e *entry[K, T]) {
	if e.in != nil {
		e.in.Remove(e.place)
		e.in = nil
	}
}

// missing returns the first key of the View that is neither kept nor under way, and has not failed.
func (v *View[K, T]) missing(shown bool) (key K, ok bool) {
	of := len(v.near)
	if !shown {
		of += len(v.soon)
	}
	for ; v.next < of; v.next++ {
		if v.next < len(v.near) {
			key = v.near[v.next]
		} else {
			key = v.soon[v.next-len(v.near)]
		}
		if e := v.c.entries[key]; e == nil || e.state == Canceled {
			return key, true
		}
	}
	return key, false
}

// rank returns the first rank of a key in any View.
func (c *Cache[K, T]) rank(key K) int {
	first := math.MaxInt
	for _, v := range c.views {
		if w := v.wants[key]; w != nil {
			first = min(first, w.rank)
		}
	}
	return first
}

// next returns the key to load next: of what is shown, in the order of the Views, and then of what is
// announced. The Views take turns.
func (c *Cache[K, T]) next() (key K, shown, ok bool) {
	for _, shown := range []bool{true, false} {
		for i := range c.views {
			at := (c.turn + i) % len(c.views)
			if key, ok := c.views[at].missing(shown); ok {
				c.turn = at + 1
				return key, shown, true
			}
		}
	}
	return key, false, false
}

// Progress counts the keys that the View shows, and how many of them are kept and have failed. Announced ones do not
// count.
func (v *View[K, T]) Progress() (p Progress) {
	v.c.mu.Lock()
	defer v.c.mu.Unlock()
	for key, w := range v.wants {
		if !w.shown {
			continue
		}
		p.Total++
		if e := v.c.entries[key]; e != nil && e.state == Loaded {
			p.Loaded++
		} else if e != nil && e.state == Failed {
			p.Failed++
		}
	}
	return p
}

// Close ends the View: it wants nothing more. A second Close does nothing.
func (v *View[K, T]) Close() {
	c := v.c
	c.mu.Lock()
	defer c.mu.Unlock()
	if v.ended {
		return
	}
	v.ended = true
	if v.stop != nil {
		v.stop()
	}
	v.turn++
	v.forgetEarlier()
	c.views = slices.DeleteFunc(c.views, func(o *View[K, T]) bool { return o == v })
	c.fill()
}
