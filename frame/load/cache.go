package load

import (
	"cmp"
	"container/list"
	"context"
	"sync"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// CacheOptions configure a Cache. The zero value keeps a thousand values.
type CacheOptions[K comparable, T any] struct {
	// Budget is how much the values of a cache may take together, in the unit of Size. The default (zero) is 64 MiB
	// with a Size, and 1,000 values without.
	Budget int64

	// Size returns how much a value takes, such as its bytes. The default (nil) is 1 for each value. Less than 1 counts
	// as 1.
	Size func(key K, value T) int64

	// Commit makes of what was decoded what is kept, such as a texture. It runs on the frame goroutine, in a slice. The
	// default (nil) keeps what was decoded.
	Commit func(key K, value T) T

	// Evict gets each value that leaves the cache. There a texture may be freed. It runs on the frame goroutine, in a
	// slice, one value in a run. The default (nil) is nothing.
	Evict func(key K, value T)

	// Failed gets the last error of each key that could not be loaded. A load that ended because no View wants it has
	// not failed. The key is tried again when no View has shown it
	// for a moment, and one shows it again. It runs on the frame goroutine, in a slice. The default (nil) is nothing.
	Failed func(key K, err error)
}

const (
	defaultBytes  = 64 << 20
	defaultValues = 1000
)

// A Cache keeps the values of a Loader up to a budget, and loads what its Views show. A value that no View shows stays
// until its room is needed: the one that was used least recently goes first. Any goroutine may call its methods. None
// of the functions in CacheOptions runs under its lock.
//
//   - LC1. Each key has at most one entry, and an entry at most one request. So no key is decoded twice at once.
//   - LC2. Values that are kept or on their way to Evict, and a guess for each request under way, fit into the budget
//     before another request begins. The guess is the largest size so far. So only values that are larger than all
//     before exceed the budget, until the task has evicted what no View shows. If that is not enough, the new value
//     leaves at once. One value alone may be larger than the budget.
//   - LC3. What a View shows, and Get has, is not evicted. What a View has announced is evicted, the last in its order
//     first, only for what a View shows, for what is announced before it, or when the budget is exceeded.
//   - LC4. Each value that was kept is given to Evict once, and never while it is in the map.
//   - LC5. Every change that makes room, or that wants another key, submits the task that fills the cache, after the
//     change. The task ends when it has seen, under the lock, that nothing can be done.
type Cache[K comparable, T any] struct {
	ld   *Loader[K, T]
	o    CacheOptions[K, T]
	most int // requests under way

	mu      sync.Mutex
	entries map[K]*entry[K, T]
	idle    list.List      // entries that are kept and that no View wants; the least recently used one is the last
	soon    list.List      // entries that are kept and only announced
	over    []*entry[K, T] // entries that are out of the map, and that Evict is to get
	views   []*View[K, T]
	turn    int // the View that comes first
	posted  bool
	closed  bool
	values  int   // that are kept
	kept    int64 // their sizes
	out     int64 // the sizes of those in over
	loading int   // requests under way
	guess   int64 // the largest size so far
	stats   CacheStats
}

// An entry is a key that is kept, or under way, or that has failed.
type entry[K comparable, T any] struct {
	key         K
	value       T
	size        int64
	state       State // Pending: under way; Loaded: kept; Failed
	request     *Request
	shown, soon int // Views that want it
	in          *list.List
	place       *list.Element
}

// CacheStats are a Cache's figures.
type CacheStats struct {
	Values  int   // kept
	Size    int64 // their sizes, and of what is about to leave
	Budget  int64
	Peak    int64 // the largest Size so far
	Loading int   // requests under way
	Full    bool  // a View shows a key (near, in Show) for which there is no room

	Hits, Misses uint64 // of Get
	Evicted      uint64 // values that left to make room
}

// NewCache returns a cache for the values of ld. Its loads have ld's priority, or deadline.Idle while a value is only
// announced. NewCache panics if ld is nil, or the budget is negative.
func NewCache[K comparable, T any](ld *Loader[K, T], o CacheOptions[K, T]) *Cache[K, T] {
	if ld == nil {
		panic("load: NewCache with a nil Loader")
	}
	if o.Budget < 0 {
		panic("load: CacheOptions.Budget is negative")
	}
	if o.Size == nil {
		o.Budget = cmp.Or(o.Budget, defaultValues)
	}
	o.Budget = cmp.Or(o.Budget, defaultBytes)
	c := &Cache[K, T]{ld: ld, o: o, most: ld.limit.least, entries: map[K]*entry[K, T]{}}
	if c.most < 1 {
		c.most = defaultAhead
	}
	if o.Size == nil {
		c.guess = 1
	}
	return c
}

// Get returns the value of a key, if it is kept. Get makes it the one that was used most recently, and loads nothing.
func (c *Cache[K, T]) Get(key K) (value T, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.entries[key]
	if e == nil || e.state != Loaded {
		c.stats.Misses++
		return value, false
	}
	c.stats.Hits++
	if e.in != nil {
		e.in.MoveToFront(e.place)
	}
	return e.value, true
}

// Stats returns the figures of this moment.
func (c *Cache[K, T]) Stats() CacheStats {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.stats
	s.Values, s.Size, s.Budget, s.Loading = c.values, c.kept+c.out, c.o.Budget, c.loading
	return s
}

// Close closes all Views. Then all values leave, in the slices that follow. A closed cache loads nothing more.
func (c *Cache[K, T]) Close() {
	c.mu.Lock()
	views := c.views
	c.closed, c.views = true, nil
	c.mu.Unlock()
	for _, v := range views {
		v.Close()
	}
	c.mu.Lock()
	c.fill()
	c.mu.Unlock()
}

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
	if e := c.leaving(); e != nil {
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

// evict calls Evict. If Evict panics or calls runtime.Goexit, the task ends with it, and another one goes on.
func (c *Cache[K, T]) evict(e *entry[K, T]) {
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

// leaving returns an entry that Evict is to get now, or nil.
func (c *Cache[K, T]) leaving() (e *entry[K, T]) {
	if len(c.over) == 0 && c.kept > c.o.Budget { // LC2
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
	if n := len(c.over); n > 0 {
		e, c.over[n-1] = c.over[n-1], nil
		c.over = c.over[:n-1]
		c.out -= e.size
	}
	return e
}

// begin begins the load that the Views want most, or makes room for it. It returns false if there is no such load, and
// no room.
func (c *Cache[K, T]) begin() bool {
	c.stats.Full = false
	if c.loading >= c.most || c.closed {
		return false
	}
	key, shown, ok := c.next()
	if !ok {
		return false
	}
	after := -1
	if !shown {
		after = c.rank(key)
	}
	if !c.fits() && !c.drop(after) {
		c.stats.Full = shown
		return false
	}
	if len(c.over) > 0 || !c.fits() {
		return true // Evict comes first
	}
	e := &entry[K, T]{key: key}
	c.entries[key] = e
	for _, v := range c.views {
		if w := v.wants[key]; w != nil && w.shown {
			e.shown++
		} else if w != nil {
			e.soon++
		}
	}
	c.loading++
	e.request = c.ld.Load(context.Background(), key, func(value T, err error) { c.loaded(e, value, err) })
	if !shown {
		e.request.SetPriority(deadline.Idle)
	}
	return true
}

// fits reports whether one more value fits, when none is on its way to Evict. One value always does. Before the first
// size is known, no second one does.
func (c *Cache[K, T]) fits() bool {
	if c.kept == 0 && c.loading == 0 {
		return true
	}
	return c.guess > 0 && c.kept+int64(c.loading+1)*c.guess <= c.o.Budget
}

// drop takes a value out of the map, and reports whether there was one: of those that no View wants the one that was
// used least recently, and otherwise the announced one of the last rank, if that is after the given one (LC3).
func (c *Cache[K, T]) drop(after int) bool {
	var last *entry[K, T]
	if p := c.idle.Back(); p != nil {
		last = p.Value.(*entry[K, T])
	} else {
		for p := c.soon.Front(); p != nil; p = p.Next() {
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

// remove takes a kept value out of the map, for Evict.
func (c *Cache[K, T]) remove(e *entry[K, T]) {
	c.leaveList(e)
	if e.shown+e.soon > 0 { // it is to come back when there is room
		for _, v := range c.views {
			v.next = 0
		}
	}
	delete(c.entries, e.key)
	c.values--
	c.kept -= e.size
	c.out += e.size
	c.over = append(c.over, e)
}

// loaded is the commit of a load.
func (c *Cache[K, T]) loaded(e *entry[K, T], value T, err error) {
	size, kept := int64(1), false
	defer func() { // also if Commit or Size panics
		c.mu.Lock()
		defer c.mu.Unlock()
		c.loading--
		if e.request, e.state = nil, Failed; kept {
			e.state, e.value, e.size = Loaded, value, size
			c.values++
			c.kept += size
			c.guess = max(c.guess, size)
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
