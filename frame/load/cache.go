package load

import (
	"cmp"
	"container/list"
	"sync"
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
	// not failed. The key is tried again when it was in no Show, and is in one again. Failed runs on the frame
	// goroutine, in a slice. The default (nil) is nothing.
	Failed func(key K, err error)
}

const (
	defaultBytes  = 64 << 20
	defaultValues = 1000
)

// A Cache keeps the values of a Loader up to a budget, and loads what its Views show. A value that no View shows stays
// until its room is needed: the one that was used least recently goes first. Any goroutine may call its methods. None
// of the functions in CacheOptions runs under its lock.
type Cache[K comparable, T any] struct {
	ld   *Loader[K, T]
	o    CacheOptions[K, T]
	most int // requests under way

	mu      sync.Mutex
	entries map[K]*entry[K, T]
	idle    list.List       // entries that are kept and that no View wants; the least recently used one is the last
	soon    list.List       // entries that are kept and only announced
	over    []evicted[K, T] // that Evict is to get
	views   []*View[K, T]
	turn    int // the View that comes first
	posted  bool
	closed  bool
	values  int   // that are kept
	kept    int64 // their sizes
	out     int64 // the sizes of those in over
	loading int   // requests under way
	claimed int64 // what they are taken for
	guess   int64 // the size of a key of which nothing is known; 0: no size is known
	stats   CacheStats
}

// An entry is a key that is kept, or that a View wants and that is under way, has failed or has left.
//
//   - LC1. Each key has at most one entry, and an entry at most one request. So no two requests ask for a key.
//   - LC2. The sizes of all that is kept, under way or on its way to Evict fit into the budget before another request
//     begins. The size of a value under way is what the key had before, or a guess: the mean of what is kept, at most
//     a quarter of the budget. If the budget is exceeded all the same, values leave that no View shows. If that is not
//     enough, the new value leaves at once, and comes back only if its size fits. One value alone may be larger than
//     the budget.
//   - LC3. A value that a View shows, and that Get has returned, is not evicted. A value that a View has announced is
//     evicted, the last in its order first, only for one that a View shows, for one that is announced before it, or
//     when the budget is exceeded. If a shown key finds no place, the last announced request ends.
//   - LC4. Each value that was kept is given to Evict once, and never while it is in the map.
//   - LC5. Every change that makes room, or that wants another key, submits the task that fills the cache, after the
//     change. The task ends when it has seen, under the lock, that nothing can be done.
type entry[K comparable, T any] struct {
	key         K
	value       T
	size        int64 // or, while it is under way, what it is taken for; 0: not known
	state       State // Pending: under way; Loaded: kept; Failed; Canceled: has left
	request     *Request
	shown, soon int // Views that want it
	in          *list.List
	place       *list.Element
}

// An evicted value has left the map.
type evicted[K comparable, T any] struct {
	key   K
	value T
	size  int64
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
	return c
}

// Get returns the value of a key, if it is kept. Get makes it the one that was used most recently, and loads nothing.
// Evict may get the value in the next slice, unless a View shows its key.
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

// Close closes all Views. Then all values leave, in the slices that follow: the loop's Close drops those that have not
// left before. A closed cache loads nothing more.
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
