package load

import (
	"cmp"
	"container/list"
	"context"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// fill submits the task that fills the cache, unless there is one: LC5.
func (c *Cache[K, T]) fill() {
	if !c.posted {
		c.posted = true
		c.ld.s.Submit(&scheduler.Task{Label: c.ld.loaderKind, Priority: c.ld.o.Priority, Step: c.step})
	}
}

// step evicts one value, or begins one load, and reports whether there may be more to do.
func (c *Cache[K, T]) step() (more bool) {
	c.mu.Lock()
	if e, ok := c.leaving(); ok {
		c.mu.Unlock()
		c.evict(e)
		return true
	}
	defer c.mu.Unlock()
	if c.begin() {
		return true
	}
	if len(c.over) > 0 {
		return true
	}
	c.posted = false
	return false
}

// evict calls Evict. If Evict panics or calls runtime.Goexit, the task ends with it, and another one continues.
func (c *Cache[K, T]) evict(e evicted[K, T]) {
	if c.o.Evict == nil {
		return
	}
	returned := false
	defer func() {
		if !returned {
			c.mu.Lock()
			c.posted = false
			c.fill()
			c.mu.Unlock()
		}
	}()
	c.o.Evict(e.key, e.value)
	returned = true
}

// leaving returns a value that Evict is to get now, if there is one.
func (c *Cache[K, T]) leaving() (e evicted[K, T], ok bool) {
	if len(c.over) == 0 && c.kept > c.o.Budget && c.values > 1 { // LC2
		c.drop(-1)
	}
	if c.closed {
		for _, e := range c.entries {
			if e.state == Loaded {
				c.remove(e)
				break
			}
		}
	}
	n := len(c.over)
	if n == 0 {
		return e, false
	}
	e, c.over[n-1] = c.over[n-1], e
	c.over = c.over[:n-1]
	c.out -= e.size
	return e, true
}

// begin begins the load that the Views want most, or makes room for it. It returns false if there is no such load, and
// no room.
func (c *Cache[K, T]) begin() bool {
	c.stats.Full = false
	if c.closed {
		return false
	}
	key, shown, ok := c.next()
	if !ok {
		return false
	}
	e := c.entries[key]
	size := c.sizeOf(e)
	after := -1
	if !shown {
		after = c.rank(key)
	}
	switch {
	case c.loading >= c.most:
		return shown && c.giveWay()
	case c.fits(size):
	case c.drop(after), shown && c.giveWay():
		return true // Evict comes first
	default:
		c.stats.Full = shown
		return false
	}
	if e == nil {
		e = &entry[K, T]{key: key}
		c.entries[key] = e
		for _, v := range c.views {
			if w := v.wants[key]; w != nil {
				e.count(w.shown, 1)
			}
		}
	}
	e.state, e.size = Pending, size
	c.loading++
	c.claimed += size
	e.request = c.ld.Load(context.Background(), key, func(value T, err error) { c.loaded(e, value, err) })
	if !shown {
		e.request.SetPriority(deadline.Idle)
	}
	return true
}

// sizeOf returns what a key is taken for that is about to be loaded: LC2. e is its entry, or nil.
func (c *Cache[K, T]) sizeOf(e *entry[K, T]) int64 {
	switch {
	case e != nil && e.size > 0:
		return e.size
	case c.o.Size == nil:
		return 1
	}
	quarter := max(1, c.o.Budget/4)
	return cmp.Or(min(c.guess, quarter), quarter)
}

// fits reports whether one more value fits, when none is on its way to Evict. One value always does.
func (c *Cache[K, T]) fits(size int64) bool {
	return c.kept+c.claimed+size <= c.o.Budget || c.values+c.loading == 0
}

// giveWay ends the request of the announced key of the last rank, and reports whether there was one.
func (c *Cache[K, T]) giveWay() bool {
	var last *entry[K, T]
	rank := -1
	for _, e := range c.entries {
		if e.state != Pending || e.shown > 0 {
			continue
		}
		if r := c.rank(e.key); r > rank {
			last, rank = e, r
		}
	}
	if last == nil || !last.request.Cancel() {
		return false
	}
	c.gaveUp(last)
	delete(c.entries, last.key)
	c.restart()
	return true
}

// gaveUp takes a request that has ended without a commit out of the account.
func (c *Cache[K, T]) gaveUp(e *entry[K, T]) {
	c.loading--
	c.claimed -= e.size
}

// restart has all Views look for missing keys from the first one on.
func (c *Cache[K, T]) restart() {
	for _, v := range c.views {
		v.next = 0
	}
}

// drop takes a value out of the map, and reports whether there was one: of those that no View wants the one that was
// used least recently, and otherwise the announced one of the last rank, if that is after the given one (LC3).
func (c *Cache[K, T]) drop(after int) bool {
	var last *entry[K, T]
	if p := c.idle.Back(); p != nil {
		last = p.Value.(*entry[K, T])
	} else {
		for p := c.soon.Back(); p != nil; p = p.Prev() {
			e := p.Value.(*entry[K, T])
			if r := c.rank(e.key); r > after {
				last, after = e, r
			}
		}
	}
	if last == nil {
		return false
	}
	c.stats.Evicted++
	c.remove(last)
	return true
}

// remove takes a kept value out of the map, for Evict. If a View wants its key, the entry stays, and has its size.
func (c *Cache[K, T]) remove(e *entry[K, T]) {
	c.leaveList(e)
	c.values--
	c.kept -= e.size
	c.out += e.size
	c.over = append(c.over, evicted[K, T]{e.key, e.value, e.size})
	if e.shown+e.soon == 0 {
		delete(c.entries, e.key)
		return
	}
	var none T
	e.value, e.state = none, Canceled
	c.restart() // it is to come back when there is room
}

// loaded is the commit of a load.
func (c *Cache[K, T]) loaded(e *entry[K, T], value T, err error) {
	size, made, kept := int64(1), false, false
	defer func() { // also if Commit or Size panics
		c.mu.Lock()
		defer c.mu.Unlock()
		c.gaveUp(e)
		e.request, e.state, e.size = nil, Failed, 0
		if made && !kept {
			c.over = append(c.over, evicted[K, T]{key: e.key, value: value})
		}
		if kept {
			e.state, e.value, e.size = Loaded, value, size
			c.values++
			c.kept += size
			c.guess = max(1, c.kept/int64(c.values))
			c.stats.Peak = max(c.stats.Peak, c.kept+c.out)
		}
		if c.settle(e); kept && e.shown > 0 && c.shown() > max(size, c.o.Budget) { // LC2
			c.remove(e)
		}
		c.fill()
	}()
	if err != nil {
		if c.o.Failed != nil {
			c.o.Failed(e.key, err)
		}
		return
	}
	if c.o.Commit != nil {
		value = c.o.Commit(e.key, value)
	}
	made = true
	if c.o.Size != nil {
		size = max(1, c.o.Size(e.key, value))
	}
	kept = true
}

// shown returns the sizes of all values that a View shows, or the sizes of all if they are within the budget.
func (c *Cache[K, T]) shown() int64 {
	size := c.kept
	if size <= c.o.Budget {
		return size
	}
	for _, in := range []*list.List{&c.idle, &c.soon} {
		for p := in.Front(); p != nil; p = p.Next() {
			size -= p.Value.(*entry[K, T]).size
		}
	}
	return size
}
