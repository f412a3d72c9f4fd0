package workers

import (
	"sync/atomic"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/costs"
	"github.com/frameslice/frameslice/internal/hist"
)

// A Histogram counts durations, in buckets no wider than 1/32 of them. Its methods are Count, Max, Mean and
// Quantile(q).
type Histogram = hist.Histogram

// Insight is what a Pool with Options.Insight knows since New.
type Insight struct {
	// Lanes are the jobs of each priority, by Priority.Lane.
	Lanes [numLanes]struct {
		Run    uint64 // begun by workers
		Stolen uint64 // of them: taken from another worker's queue
		Guests uint64 // begun by RunUntil, Wait, Yield, Scope and Close

		// Delay is the time from the submission, or from the end of the job that the job follows (Then), to the start.
		Delay Histogram
	}

	// Wake is how long workers took to wake up. Late counts those of more than a millisecond.
	Wake Histogram
	Late uint64

	Kinds []Cost // what each kind of job has cost, the greatest total first
}

// lateWake is from when on a wake-up is late.
const lateWake = time.Millisecond

// A book is where one worker, or everybody who is none, writes down what Insight tells. There is none without
// Options.Insight, and so one load and a branch for each job. Else a clock is read at each submission, start
// and end, and functions passed to Go get a Job: some 200 ns for each job altogether, and an allocation for each
// function.
type book struct {
	run    [numLanes]atomic.Uint64
	stolen [numLanes]atomic.Uint64
	delay  [numLanes]hist.Tally
	late   atomic.Uint64
	wake   hist.Tally
	sentAt atomic.Int64 // when the first wake-up was sent since the worker lay down, or 0
}

func newBook(o Options) *book {
	if !o.Insight {
		return nil
	}
	return new(book)
}

// begin notes the start of an item of a lane.
func (b *book) begin(lane int, it item) {
	b.run[lane].Add(1)
	if j := it.job(); j != nil && j.since != 0 {
		b.delay[lane].Record(deadline.Now().Sub(j.since))
	}
}

// summoned notes when a sleeping worker is first sent a wake-up in its present sleep.
func (b *book) summoned() {
	if b.sentAt.Load() == 0 {
		b.sentAt.CompareAndSwap(0, int64(deadline.Now()))
	}
}

// liesDown is called before the worker enters idle. It forgets the time of an earlier wake-up, which found the worker
// awake. The token of that wake-up may still be there, so the worker may get up at once: that says nothing.
func (b *book) liesDown() { b.sentAt.Store(0) }

// woke notes that the worker goes on.
func (b *book) woke() {
	at := b.sentAt.Swap(0)
	if at == 0 {
		return // nobody has said when
	}
	d := deadline.Now().Sub(deadline.Instant(at))
	b.wake.Record(d)
	if d > lateWake {
		b.late.Add(1)
	}
}

// stamp notes when a job of p was submitted, before it is visible.
func (j *Job) stamp(p *Pool) {
	if p.guestBook != nil {
		j.since = deadline.Now()
	}
}

// timed makes a function a Job, so that there is a place for the time of its submission.
func (p *Pool) timed(prio deadline.Priority, f func()) item {
	j := &function{f: f}
	j.Priority = prio
	j.Job.exec = j
	j.prepare(p)
	return jobItem(&j.Job)
}

// Insight fills in s, reusing its slice, and reports whether the pool has Options.Insight. It takes some µs for each
// worker.
func (p *Pool) Insight(s *Insight) bool {
	kinds := s.Kinds[:0]
	*s = Insight{Kinds: kinds}
	all := p.guestBook
	if all == nil {
		return false
	}
	s.Kinds = p.kinds.Report(kinds)
	for l := range s.Lanes {
		s.Lanes[l].Guests = all.run[l].Load()
		all.delay[l].AddTo(&s.Lanes[l].Delay)
	}
	for i := range p.classes {
		c := &p.classes[i]
		for k := range c.used.Load() {
			if w := c.slots[k].Load(); w != nil {
				w.book.addTo(s)
			}
		}
	}
	return true
}

// addTo adds a worker's book to the whole.
func (b *book) addTo(s *Insight) {
	for l := range s.Lanes {
		s.Lanes[l].Run += b.run[l].Load()
		s.Lanes[l].Stolen += b.stolen[l].Load()
		b.delay[l].AddTo(&s.Lanes[l].Delay)
	}
	s.Late += b.late.Load()
	b.wake.AddTo(&s.Wake)
}

// Add adds the counts of o.
func (s *Insight) Add(o *Insight) {
	for i := range s.Lanes {
		to, from := &s.Lanes[i], &o.Lanes[i]
		to.Run += from.Run
		to.Stolen += from.Stolen
		to.Guests += from.Guests
		to.Delay.Add(&from.Delay)
	}
	s.Wake.Add(&o.Wake)
	s.Late += o.Late
	s.Kinds = costs.Merge(s.Kinds, o.Kinds)
}
