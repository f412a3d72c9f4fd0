package workers

import (
	"sync/atomic"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/hist"
)

// A Histogram counts durations, in buckets no wider than 1/32 of them. Its methods are Count, Max, Mean and
// Quantile(q), where a q of 0.5 is the median.
type Histogram = hist.Histogram

// Insight is what a Pool with Options.Insight knows about its lanes and workers, since New.
type Insight struct {
	Lanes   [numLanes]LaneInsight // by Priority.Lane
	Workers []WorkerInsight       // the ordinary ones first, also those that have left

	// Wake is how long it took from the sending of a wake-up until its worker went on. Late is how many of them
	// took more than a millisecond: then the worker's processor was not to be had.
	Wake Histogram
	Late uint64

	Kinds []KindInsight // what each kind of job has cost, the greatest total first
}

// LaneInsight is what happened to the jobs of a lane.
type LaneInsight struct {
	Run    uint64 // begun by workers
	Stolen uint64 // of them: taken from another worker's queue
	Guests uint64 // begun by RunUntil, Wait, Yield, Scope and Close

	// Delay is how long jobs had waited for their start, from their submission, or from the end of what they
	// follow (Then).
	Delay Histogram
}

// WorkerInsight is what one worker has done.
type WorkerInsight struct {
	Index  int  // among those of its class
	Low    bool // a background worker
	Run    [numLanes]uint64
	Stolen [numLanes]uint64
	Forks  uint64 // of other workers' jobs
	Parked uint64 // times that it went to sleep
	Late   uint64 // times that it was woken late
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
	forks  atomic.Uint64
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

// summon posts to a sleeping worker. The first of those who do so for one sleep says when.
func (w *Worker) summon() {
	if b := w.book; b != nil && b.sentAt.Load() == 0 {
		b.sentAt.CompareAndSwap(0, int64(deadline.Now()))
	}
	w.parker.Post()
}

// liesDown is called before the worker enters idle. A wake-up that was sent before, when the worker turned out to be
// awake, has left its time, and perhaps its token, on which the worker will get up at once: that says nothing.
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

// Insight fills in s, reusing its slices, and reports whether there is anything to tell: not without
// Options.Insight. Any goroutine; it takes some µs for each worker, and nobody waits for it. Counts that are read
// while the pool runs need not fit to each other.
func (p *Pool) Insight(s *Insight) bool {
	per, kinds := s.Workers[:0], s.Kinds[:0]
	*s = Insight{}
	all := p.guestBook
	if all == nil {
		s.Workers, s.Kinds = per, kinds
		return false
	}
	s.Kinds = p.kinds.told(kinds)
	for l := range s.Lanes {
		s.Lanes[l].Guests = all.run[l].Load()
		all.delay[l].AddTo(&s.Lanes[l].Delay)
	}
	for i := range p.crews {
		c := &p.crews[i]
		for k := range c.used.Load() {
			w := c.slots[k].Load()
			if w == nil {
				continue
			}
			one := WorkerInsight{Index: w.index, Low: c.low, Parked: w.parked.Load()}
			w.book.addTo(s, &one)
			per = append(per, one)
		}
	}
	s.Workers = per
	return true
}

// addTo adds a worker's book to the whole, and to what is told of that worker.
func (b *book) addTo(s *Insight, one *WorkerInsight) {
	for l := range s.Lanes {
		one.Run[l], one.Stolen[l] = b.run[l].Load(), b.stolen[l].Load()
		s.Lanes[l].Run += one.Run[l]
		s.Lanes[l].Stolen += one.Stolen[l]
		b.delay[l].AddTo(&s.Lanes[l].Delay)
	}
	one.Forks, one.Late = b.forks.Load(), b.late.Load()
	s.Late += one.Late
	b.wake.AddTo(&s.Wake)
}
