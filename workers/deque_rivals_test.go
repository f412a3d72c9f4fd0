package workers

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

// The queues that were considered beside the split deque, as good as they can be made in Go, so that the choice
// can be measured again (BenchmarkDeques). They hold pointers, as the deque of forks does.

// A chaseLev is the deque of Chase and Lev (2005): the owner's pop has a full fence between its store of bottom
// and its load of top, and slots are atomic, as a thief reads one before its claim. It grows and never shrinks.
type chaseLev struct {
	seen   int64 // the owner's last look at top
	_      [64]byte
	top    atomic.Int64
	_      [64]byte
	bottom atomic.Int64
	array  atomic.Pointer[[]atomic.Pointer[Job]]
}

func (d *chaseLev) push(j *Job) {
	b := d.bottom.Load()
	a := d.array.Load()
	if a == nil || b-d.seen >= int64(len(*a)) {
		d.seen = d.top.Load()
		a = d.room(a, b)
	}
	(*a)[b&int64(len(*a)-1)].Store(j)
	d.bottom.Store(b + 1)
}

func (d *chaseLev) room(a *[]atomic.Pointer[Job], b int64) *[]atomic.Pointer[Job] {
	n := int64(0)
	if a != nil {
		n = int64(len(*a))
	}
	if b-d.seen < n {
		return a
	}
	grown := make([]atomic.Pointer[Job], max(2*n, dequeMin))
	for i := d.seen; i < b; i++ {
		grown[i&int64(len(grown)-1)].Store((*a)[i&(n-1)].Load())
	}
	d.array.Store(&grown)
	return &grown
}

func (d *chaseLev) pop() (j *Job, ok bool) {
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

func (d *chaseLev) steal() (j *Job, ok, retry bool) {
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
	ring [256]atomic.Pointer[Job]
	_    [64]byte
	top  atomic.Int64
	_    [64]byte
	bot  atomic.Int64
	over injector
}

func (d *bounded) push(j *Job) {
	for {
		b, t := d.bot.Load(), d.top.Load()
		if b-t < int64(len(d.ring)) {
			d.ring[b&255].Store(j)
			d.bot.Store(b + 1)
			return
		}
		var half [128]*Job
		for i := range half {
			half[i] = d.ring[(t+int64(i))&255].Load()
		}
		if d.top.CompareAndSwap(t, t+int64(len(half))) {
			for _, k := range half {
				d.over.push(jobItem(k))
			}
		}
	}
}

func (d *bounded) pop() (j *Job, ok bool) {
	b := d.bot.Load() - 1
	d.bot.Store(b)
	t := d.top.Load()
	if b < t {
		d.bot.Store(t)
		it, ok := d.over.pop()
		return it.job(), ok
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

func (d *bounded) steal() (j *Job, ok, retry bool) {
	t := d.top.Load()
	if t >= d.bot.Load() {
		it, ok := d.over.pop()
		return it.job(), ok, false
	}
	j = d.ring[t&255].Load()
	if !d.top.CompareAndSwap(t, t+1) {
		return nil, false, true
	}
	return j, true, false
}

// A shared is the split deque with every item published at once, as jobs are.
type shared struct{ deque[*Job] }

func (d *shared) push(j *Job) {
	d.deque.push(j)
	d.publish()
}

func (d *shared) pop() (*Job, bool) { return d.popOne() }

// A hungry is the split deque with items published when the shared end is empty, as forks are while there are
// thieves.
type hungry struct{ deque[*Job] }

func (d *hungry) push(j *Job) {
	d.deque.push(j)
	if d.starved() {
		d.publishHalf()
	}
}

type rival interface {
	push(j *Job)
	pop() (j *Job, ok bool)
	steal() (j *Job, ok, retry bool)
}

func rivals() map[string]func() rival {
	return map[string]func() rival{
		"split, private":   func() rival { return &deque[*Job]{} },
		"split, on demand": func() rival { return &hungry{} },
		"split, published": func() rival { return &shared{} },
		"Chase-Lev":        func() rival { return &chaseLev{} },
		"bounded ring":     func() rival { d := &bounded{}; d.over.init(); return d },
	}
}

func TestRivalsLoseNothing(t *testing.T) {
	const n = 20_000
	for name, open := range rivals() {
		d := open()
		jobs, at := tagged(n)
		var taken [n]atomic.Int32
		var stop atomic.Bool
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() {
				for !stop.Load() {
					if j, ok, _ := d.steal(); ok {
						taken[at[j]].Add(1)
					}
					runtime.Gosched()
				}
			})
		}
		for i := range jobs {
			d.push(&jobs[i])
			if i%3 == 2 {
				if j, ok := d.pop(); ok {
					taken[at[j]].Add(1)
				}
			}
		}
		for misses := 0; misses < 2; { // a pop that lost the last item to a thief has found nothing once
			j, ok := d.pop()
			if !ok {
				misses++
				continue
			}
			taken[at[j]].Add(1)
		}
		stop.Store(true)
		wg.Wait()
		for i := range taken {
			if c := taken[i].Load(); c != 1 {
				t.Fatalf("%s: item %d taken %d times", name, i, c)
			}
		}
	}
}

func BenchmarkDeques(b *testing.B) {
	j := new(Job)
	names := []string{"split, private", "split, on demand", "split, published", "Chase-Lev", "bounded ring"}
	for _, name := range names {
		open := rivals()[name]
		b.Run("push+pop/"+name, func(b *testing.B) {
			d := open()
			for b.Loop() {
				d.push(j)
				d.pop()
			}
		})
		b.Run("64 pushes, 64 pops/"+name, func(b *testing.B) {
			d := open()
			for i := 0; b.Loop(); i++ {
				if i&64 == 0 {
					d.push(j)
				} else {
					d.pop()
				}
			}
		})
		b.Run("push+steal/"+name, func(b *testing.B) {
			d := open()
			for b.Loop() {
				d.push(j)
				d.steal()
			}
		})
		b.Run("with a thief/"+name, func(b *testing.B) { withThief(b, open(), j) })
	}
}

// withThief times an owner that works as a recursion does, beside a thief that takes what it can every µs or so.
func withThief(b *testing.B, d rival, j *Job) {
	var stop atomic.Bool
	var wg sync.WaitGroup
	wg.Go(func() {
		for !stop.Load() {
			d.steal()
			for range 40 {
				spin()
			}
		}
	})
	for i := 0; b.Loop(); i++ {
		if i&8 == 0 {
			d.push(j)
		} else {
			d.pop()
		}
	}
	stop.Store(true)
	wg.Wait()
}
