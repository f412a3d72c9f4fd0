package record

import (
	"fmt"
	"slices"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/atomic"
	"github.com/frameslice/frameslice/internal/heaplook"
	"github.com/frameslice/frameslice/internal/refresh"
	"github.com/frameslice/frameslice/workers"
)

// Options configure a Recorder.
type Options struct {
	// Target is the interval that a frame should have. The default (0) is 1/60 s.
	Target time.Duration
	// Records is how many records are kept, at most 1<<24. The default (0) is 4096: 68 s at 60 Hz, 1.4 MB.
	Records int
	// WarmUp is how many frames at the start do not count. The default (0) is 60. Set -1 to measure a game's start too.
	// If the host sleeps (frame.Loop.Rest), the warm-up is a time: by default 1 s.
	WarmUp int
	// Exclude names further frames to leave out, such as Unfocused|Loading. The default (0) is none.
	Exclude Flags
}

const (
	defaultRecords = 4096
	defaultWarmUp  = 60
)

// A Recorder keeps the latest records and the distributions of all, in about 5 MB. The frame goroutine calls Add, any
// goroutine the rest. No reader makes the writer wait.
type Recorder struct {
	target  atomic.Int64 // of the latest record that has one
	exclude Flags
	records int
	late    listeners
	explained

	// Writer only.
	warm struct {
		frames uint64           // how many frames the warm-up has at most; 0 when it is over
		seen   uint64           // how many it has had
		begun  deadline.Instant // the first frame's Start
	}
	before struct { // the frame before
		start deadline.Instant
		own   time.Duration // less than 0 if nobody has recorded it
		busy  time.Duration // own work, and the slice unless that ran beside the host
	}
	gc *gcMeter // nil in tests that give these counts themselves

	ring   *ring
	latest atomic.Uint64 // Number of the latest record
	shown  atomic.Pointer[displays]
	wrong  atomic.Uint64 // calls of Presented without use

	phase  atomic.Uint64
	active atomic.Pointer[Snapshot]

	mu struct {
		atomic.Mutex
		idle  *Snapshot // the set that is not active; empty
		total *Snapshot // the totals and histograms that readers have collected
		gone  uint64    // the order number of the first record after the latest Reset
		pool  *workers.Pool
		since beside // what there was when the frames began to count
	}
}

// The Recorder hands sums and histograms over by a phaser for one writer. There are two sets, and active names one.
// recorder_explore_test.go runs the protocol.
//
//   - RC4. The writer makes phase odd, loads active, writes that set, makes phase even.
//   - RC5. A reader (one at a time: mu, which the writer never takes) swaps active for the other set, then loads
//     phase. If phase is odd, the reader waits until phase differs from what it loaded.
//   - Claim: then nobody writes the old set, until a reader makes it active again. Atomics behave as if in one order.
//     If the writer's load of active comes after the swap, it writes the other set. If the load comes before, so does
//     the odd phase. Then the reader's load finds phase odd, or that write ended.
//   - The reader adds the old set to a total of its own and clears it, so nothing is counted twice.
//   - RC6. A Snapshot takes the records under mu, too, and the counts of the runtime and the pool. So all are of one
//     side of each Reset, and at most the last record is not in the totals yet.
//
// The wait in RC5 is the reader's, and as long as one Add. Rejected:
//
//   - a mutex: a reader that loses its thread while it holds the mutex stops the game;
//   - a seqlock: not race-clean over plain records, and a reader may starve;
//   - atomic counters in the histograms: no consistent cut;
//   - a channel to a recording goroutine: a wake-up per frame.

// New panics if an option is out of range.
func New(o Options) *Recorder {
	o.check()
	r := &Recorder{exclude: o.Exclude | WarmUp | Jump, records: o.Records}
	if o.Target <= 0 {
		o.Target = refresh.Default
	}
	r.target.Store(int64(o.Target))
	if r.records <= 0 {
		r.records = defaultRecords
	}
	switch {
	case o.WarmUp == 0:
		r.warm.frames = defaultWarmUp
	case o.WarmUp > 0:
		r.warm.frames = uint64(o.WarmUp)
	}
	r.before.own = -1
	r.gc = newGCMeter()
	r.ring = newRing(r.records)
	r.active.Store(newSnapshot())
	r.mu.idle, r.mu.total = newSnapshot(), newSnapshot()
	r.mu.since.begin(nil)
	return r
}

// maxRecords is the greatest Options.Records: room for all is made at once.
const maxRecords = 1 << 24

func (o *Options) check() {
	switch {
	case o.Target < 0:
		panic(fmt.Sprintf("record: New with Options.Target of %v, less than 0", o.Target))
	case o.Records < 0:
		panic(fmt.Sprintf("record: New with Options.Records of %d, less than 0", o.Records))
	case o.Records > maxRecords:
		panic(fmt.Sprintf("record: New with Options.Records of %d, more than 1<<24", o.Records))
	}
}

// Watch counts the work of the pool p from now on, for Report.Pool.
func (r *Recorder) Watch(p *workers.Pool) {
	if p == nil {
		panic("record: Watch of a nil Pool")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.mu.pool = p
	r.mu.since.Pool = readPool(p)
}

// Target returns the interval that a frame should have: that of the latest record that has one, or the option's. Any
// goroutine; a nanosecond.
func (r *Recorder) Target() time.Duration { return time.Duration(r.target.Load()) }

// Add records one frame, in less than a microsecond. Nothing allocates.
func (r *Recorder) Add(rec Record) {
	target := r.Target()
	if rec.Target > 0 && rec.Target != target {
		target = rec.Target
		r.target.Store(int64(target))
	}
	if r.warm.frames > 0 && r.warms(&rec, target) {
		rec.Flags |= WarmUp
	}
	if r.gc != nil && !heaplook.InProgress() { // otherwise a later reading has the sums
		rec.GCCycles, rec.GCPause = r.gc.sample()
	}
	rec.Counts.system(&rec)
	kept := r.ring.add(&rec)
	r.shown.Load().begin(rec.Number)
	r.latest.Store(rec.Number)
	own, host := r.before.own, rec.Interval-r.before.busy-rec.Waited
	r.before.start, r.before.own = rec.Start, rec.Own()
	if r.before.busy = r.before.own; rec.Flags&Shadowed == 0 {
		r.before.busy += rec.Used()
	}
	if !rec.Timed() {
		r.before.own = -1
	}
	p := r.phase.Load()
	r.phase.Store(p + 1)
	r.active.Load().count(&rec, target, own, host, r.exclude, kept)
	r.phase.Store(p + 2)
	if late := r.late.Load(); late != nil && rec.Flags&r.exclude == 0 && refresh.Missed(rec.Interval, target) > 0 {
		rec.Target = target
		for _, f := range *late {
			f(rec)
		}
	}
}

// listeners are called in order. The slice is never written.
type listeners = atomic.Pointer[[]func(Record)]

// OnLate has f called on the frame goroutine after each frame that counts and missed a refresh, and after the functions
// of earlier calls. f must be short. Any goroutine may call OnLate. It panics if f is nil.
func (r *Recorder) OnLate(f func(Record)) {
	if f == nil {
		panic("record: OnLate of a nil function")
	}
	for {
		old, all := r.late.Load(), []func(Record){f}
		if old != nil {
			all = append(slices.Clone(*old), f)
		}
		if r.late.CompareAndSwap(old, &all) {
			return
		}
	}
}

// warms reports whether a frame is of the warm-up. If the host slept before the frame, the time counts, and otherwise
// the number of frames.
func (r *Recorder) warms(rec *Record, target time.Duration) bool {
	w := &r.warm
	if w.begun == 0 {
		w.begun = rec.Start
	}
	slept := rec.Interval > 0 && rec.Start.Sub(r.before.start) > rec.Interval+time.Millisecond
	since := max(r.before.start.Sub(w.begun), 0)
	if w.seen == w.frames || slept && uint64(since/target) >= w.frames {
		w.frames = 0
		return false
	}
	w.seen++
	return true
}

// Recent fills dst with the latest records, oldest first, and returns the filled part. It takes about 4 ns per record;
// nothing allocates, except for Sections that do not fit into those of dst, whose memory Recent uses again.
func (r *Recorder) Recent(dst []Record) []Record {
	dst = r.ring.tail(dst)
	r.fillShown(dst)
	return dst
}

// Snapshot copies everything. It takes a millisecond and 2.4 MB: do not call it in every frame.
func (r *Recorder) Snapshot() *Snapshot {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := readBeside(r.mu.pool) // before anything is allocated
	now.minus(&r.mu.since)
	s := &Snapshot{Target: r.Target(), Exclude: r.exclude, beside: now}
	s.Records = r.ring.tail(make([]Record, r.records))
	r.fillShown(s.Records)
	r.collect()
	s.Totals = r.mu.total.Totals
	s.Totals.ShownWrongly = r.wrong.Load()
	mine := s.histograms()
	for i, h := range r.mu.total.histograms() {
		*mine[i] = (*h).Clone()
	}
	s.Interval.EndAt(time.Now())
	s.metered = r.gc != nil
	s.sentences = r.explained.all()
	return s
}

// Reset forgets everything, as after a loading screen. The warm-up is not repeated.
func (r *Recorder) Reset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.collect()
	r.mu.gone += r.mu.total.Totals.Frames - r.mu.total.Totals.Lost // Add may count one more meanwhile, and records it
	r.mu.total.reset()
	r.ring.base.Store(r.mu.gone)
	r.wrong.Store(0)
	r.explained.latest.Store(nil)
	r.mu.since.begin(r.mu.pool)
}

// collect moves the active set to the total (RC5). The caller holds mu.
func (r *Recorder) collect() {
	old := r.active.Swap(r.mu.idle)
	for p := r.phase.Load(); p&1 == 1 && r.phase.Load() == p; {
		atomic.Gosched()
	}
	r.mu.total.add(old)
	old.reset()
	r.mu.idle = old
}
