package runqueue

import (
	"sync"
	"sync/atomic"
	"testing"
)

// The queues that were considered beside the split deque, as good as they can be made in Go, so that the choice
// can be measured again (BenchmarkDeques). They hold pointers.

// A chaseLev is the deque of Chase and Lev (2005): the owner's pop has a full fence between its store of bottom
// and its load of top, and slots are atomic, as a thief reads one before its claim. It grows and never shrinks.
type chaseLev struct {
	seen   int64 // the owner's last look at top
	_      [64]byte
	top    atomic.Int64
	_      [64]byte
	bottom atomic.Int64
	array  atomic.Pointer[[]atomic.Pointer[int]]
}

func (d *chaseLev) Push(j *int) {
	b := d.bottom.Load()
	a := d.array.Load()
	if a == nil || b-d.seen >= int64(len(*a)) {
		d.seen = d.top.Load()
		a = d.room(a, b)
	}
	(*a)[b&int64(len(*a)-1)].Store(j)
	d.bottom.Store(b + 1)
}

func (d *chaseLev) room(a *[]atomic.Pointer[int], b int64) *[]atomic.Pointer[int] {
	n := int64(0)
	if a != nil {
		n = int64(len(*a))
	}
	if b-d.seen < n {
		return a
	}
	grown := make([]atomic.Pointer[int], max(2*n, dequeMin))
	for i := d.seen; i < b; i++ {
		grown[i&int64(len(grown)-1)].Store((*a)[i&(n-1)].Load())
	}
	d.array.Store(&grown)
	return &grown
}

func (d *chaseLev) Pop() (j *int, ok bool) {
	b := d.bottom.Load() - 1
	d.bottom.Store(b)
	t := d.top.Load()
	if b < t {
		d.bottom.Store(t)
		return nil, false
	}
	a := *d.array.Load()
	slot := &a[b&int64(len(a)-1)]
	j = slot.Load()
	if b > t {
		slot.Store(nil)
		return j, true
	}
	ok = d.top.CompareAndSwap(t, t+1)
	d.bottom.Store(t + 1)
	return j, ok
}

func (d *chaseLev) Steal() (j *int, ok, retry bool) {
	t := d.top.Load()
	if t >= d.bottom.Load() {
		return nil, false, false
	}
	a := *d.array.Load()
	j = a[t&int64(len(a)-1)].Load()
	if !d.top.CompareAndSwap(t, t+1) {
		return nil, false, true
	}
	return j, true, false
}

// A bounded is the same in a fixed ring; when it is full, the older half goes to an injector, from which owner
// and thieves take when the ring is empty.
type bounded struct {
	ring [256]atomic.Pointer[int]
	_    [64]byte
	top  atomic.Int64
	_    [64]byte
	bot  atomic.Int64
	over Injector[*int]
}

func (d *bounded) Push(j *int) {
	for {
		b, t := d.bot.Load(), d.top.Load()
		if b-t < int64(len(d.ring)) {
			d.ring[b&255].Store(j)
			d.bot.Store(b + 1)
			return
		}
		var half [128]*int
		for i := range half {
			half[i] = d.ring[(t+int64(i))&255].Load()
		}
		if d.top.CompareAndSwap(t, t+int64(len(half))) {
			for _, k := range half {
				d.over.Push(k)
			}
		}
	}
}

func (d *bounded) Pop() (j *int, ok bool) {
	b := d.bot.Load() - 1
	d.bot.Store(b)
	t := d.top.Load()
	if b < t {
		d.bot.Store(t)
		return d.over.Pop()
	}
	slot := &d.ring[b&255]
	j = slot.Load()
	if b > t {
		slot.Store(nil)
		return j, true
	}
	ok = d.top.CompareAndSwap(t, t+1)
	d.bot.Store(t + 1)
	return j, ok
}

func (d *bounded) Steal() (j *int, ok, retry bool) {
	t := d.top.Load()
	if t >= d.bot.Load() {
		j, ok = d.over.Pop()
		return j, ok, false
	}
	j = d.ring[t&255].Load()
	if !d.top.CompareAndSwap(t, t+1) {
		return nil, false, true
	}
	return j, true, false
}

// A shared is the split deque with every item published at once, as jobs are.
type shared struct{ Deque[*int] }

func (d *shared) Push(j *int) {
	d.Deque.Push(j)
	d.Publish()
}

func (d *shared) Pop() (*int, bool) { return d.PopOne() }

// A hungry is the split deque with items published when the shared end is empty, as forks are while there are
// thieves.
type hungry struct{ Deque[*int] }

func (d *hungry) Push(j *int) {
	d.Deque.Push(j)
	if d.AllTaken() {
		d.PublishHalf()
	}
}

type rival interface {
	Push(j *int)
	Pop() (j *int, ok bool)
	Steal() (j *int, ok, retry bool)
}

func rivals() map[string]func() rival {
	return map[string]func() rival{
		"split, private":   func() rival { return &Deque[*int]{} },
		"split, on demand": func() rival { return &hungry{} },
		"split, published": func() rival { return &shared{} },
		"Chase-Lev":        func() rival { return &chaseLev{} },
		"bounded ring":     func() rival { d := &bounded{}; d.over.Init(); return d },
	}
}

func BenchmarkDeques(b *testing.B) {
	j := new(int)
	names := []string{"split, private", "split, on demand", "split, published", "Chase-Lev", "bounded ring"}
	for _, name := range names {
		open := rivals()[name]
		b.Run("push+pop/"+name, func(b *testing.B) {
			d := open()
			for b.Loop() {
				d.Push(j)
				d.Pop()
			}
		})
		b.Run("64 pushes, 64 pops/"+name, func(b *testing.B) {
			d := open()
			for i := 0; b.Loop(); i++ {
				if i&64 == 0 {
					d.Push(j)
				} else {
					d.Pop()
				}
			}
		})
		b.Run("push+steal/"+name, func(b *testing.B) {
			d := open()
			for b.Loop() {
				d.Push(j)
				d.Steal()
			}
		})
		b.Run("with a thief/"+name, func(b *testing.B) { withThief(b, open(), j) })
	}
}

// withThief times an owner that works as a recursion does, beside a thief that takes what it can every µs or so.
func withThief(b *testing.B, d rival, j *int) {
	var stop atomic.Bool
	var wg sync.WaitGroup
	wg.Go(func() {
		for !stop.Load() {
			d.Steal()
			for range 1000 {
			}
		}
	})
	for i := 0; b.Loop(); i++ {
		if i&8 == 0 {
			d.Push(j)
		} else {
			d.Pop()
		}
	}
	stop.Store(true)
	wg.Wait()
}

func BenchmarkInjector(b *testing.B) {
	var q Injector[any]
	q.Init()
	for b.Loop() {
		q.Push(nil)
		q.Pop()
	}
}
