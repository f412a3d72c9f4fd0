package workers

import (
	"sync/atomic"

	"github.com/frameslice/frameslice/internal/runqueue"
)

// An item is what queues hold: a caller-owned Job, or a bare function. It is an interface value, two words, so that Go
// needs no node and does not allocate. One of the words is a type, which the garbage collector ignores. Two fields
// instead, for a Job and a function, would cost the collector twice as much. The zero item is none.
type item struct{ v any }

func jobItem(j *Job) item { return item{j} }

func funcItem(f func()) item { return item{f} }

// job returns nil for a function.
func (it item) job() *Job {
	j, _ := it.v.(*Job)
	return j
}

// waits reports whether the item is a job of SubmitWaiting.
func (it item) waits() bool {
	j := it.job()
	return j != nil && j.waits
}

func (it item) fn() func() {
	f, _ := it.v.(func())
	return f
}

// A lane is the queues of one priority which belong to no worker.
type lane struct {
	outside runqueue.Injector[item]
	// older has items that were taken out and put back: by RunUntil, because they did not fit, or by a sifter. They are
	// older than the rest, so they are taken first.
	older runqueue.Injector[item]
	// below has items from background workers. Such a thread may stop for long between its claim of a slot and the
	// filling, and items behind the slot wait. So background workers have a queue of their own.
	below runqueue.Injector[item]
	// yielded has the jobs that are between two turns: see coop.
	yielded runqueue.Injector[item]
	sifted  sifted

	// extra says which places besides outside have ever been used for this lane. A bit is set before the first push,
	// and never cleared. So a program that does not use these places pays one load for all of them.
	extra atomic.Uint32

	// waits is when a worker first saw work here that has not been served since, or 0.
	waits atomic.Int64
}

// Bits of lane.extra.
const (
	useOlder = 1 << iota
	useBelow
	useLocal   // some worker's deque
	useYielded // a job is between two turns, or a job has begun that may yield

	useExtra = useOlder | useBelow // the queues besides outside that wait for a start
)

func (l *lane) use(bit uint32) {
	if l.extra.Load()&bit == 0 {
		l.extra.Or(bit)
	}
}

func (l *lane) init() {
	l.outside.Init()
	l.older.Init()
	l.below.Init()
	l.yielded.Init()
}

func (l *lane) push(it item, fromLow bool) {
	if fromLow {
		l.use(useBelow)
		l.below.Push(it)
		return
	}
	l.outside.Push(it)
}

func (l *lane) pop() (item, bool) {
	if extra := l.extra.Load(); extra&useExtra != 0 {
		return l.popExtra()
	}
	return l.outside.Pop()
}

func (l *lane) popExtra() (item, bool) {
	it, ok := l.older.Pop()
	if !ok {
		it, ok = l.outside.Pop()
	}
	if !ok {
		it, ok = l.below.Pop()
	}
	return it, ok
}

func (l *lane) size() int {
	n := l.outside.Size()
	if l.extra.Load()&useExtra != 0 {
		n += l.older.Size() + l.below.Size()
	}
	return n
}

func (l *lane) empty() bool {
	return l.outside.Empty() && (l.extra.Load()&useExtra == 0 || l.older.Empty() && l.below.Empty())
}

// any reports whether the lane may have an item, here or in workers' queues.
func (l *lane) any() bool { return l.extra.Load() != 0 || !l.outside.Empty() }

// putOlder puts an item back that was taken in vain, into the queue that is looked at first.
func (p *Pool) putOlder(at int, it item) {
	if it.job() != nil {
		at = it.job().Priority.Lane() // a stale entry may have been in another lane
		it.job().unlook(false)        // before the entry is visible: a goroutine that finds it may claim the job
	}
	l := &p.lanes[at]
	l.use(useOlder)
	l.older.Push(it)
	p.classOf[at].notify()
	p.noneIfGone()
}

// rob takes the oldest shared item of a lane from some worker.
func (p *Pool) rob(at int) (item, bool) {
	c := p.classOf[at]
	for i := range c.used.Load() {
		v := c.slots[i].Load()
		if v == nil {
			continue
		}
		for {
			it, ok, retry := v.batches[at].Steal()
			if !ok && !retry {
				it, ok, retry = v.deques[at].Steal()
			}
			if ok {
				return it, true
			}
			if !retry {
				break
			}
		}
	}
	return item{}, false
}

// anyQueued reports whether there is anything for RunUntil.
func (p *Pool) anyQueued() bool {
	for at := range p.lanes {
		l := &p.lanes[at]
		if l.extra.Load()&useYielded != 0 && !l.yielded.Empty() || p.queued(at) {
			return true
		}
	}
	return false
}

// queued reports whether a job waits for its start in the lane.
func (p *Pool) queued(at int) bool { return p.classOf[at].has(at) }
