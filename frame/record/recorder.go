package record

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/workers"
)

// Options are the settings of a Recorder. The zero value is ready.
type Options struct {
	// Target is the interval which a frame should have, the r of the formulas; 0 means 1/60 s. A Record that has a
	// Target of its own is judged by that.
	Target time.Duration
	// Records is how many of the last records are kept, at most 1<<24; 0 means 4096, 68 s at 60 Hz in 0.75 MB.
	Records int
	// WarmUp is how many frames at the start are left out of the statistics. The default (zero) value is 60; negative
	// means none. Where the host sleeps between frames (frame.Loop.Rest), the warm-up is as long as that many frames
	// should take, WarmUp times the target. That is one second by default. So a program that draws on demand leaves
	// out one second, and not 60 drawings. Set -1 for a test of what a game loads at its start, as the warm-up would
	// hide that. Jumps would hide it too: see frame.Options.JumpAfter.
	WarmUp int
	// Exclude names further frames to leave out of the statistics, for example Unfocused|Loading.
	// WarmUp and Jump are always left out.
	Exclude Flags
	// OnLate, if not nil, is called by Add for each frame that counts and missed a refresh (d/r rounds to 2 or more),
	// once it is recorded: what made its Interval long stands in the record before. It is called on the frame
	// goroutine, so it must be short. The Record has a Target. Package flight keeps a trace by it. The default (nil) is
	// none.
	OnLate func(Record)
}

// DefaultInterval is the frame interval where none is set: 60 frames per second.
const DefaultInterval = time.Second / 60

const (
	defaultRecords = 4096
	defaultWarmUp  = 60
)

// A Recorder keeps the last records of a loop, and the distribution of all of them.
//
// One goroutine, the frame goroutine, calls Add: less than a microsecond, no allocation, no lock. Any
// goroutine may call the rest at any time. No reader makes the writer wait, and none sees a torn record.
// It takes some 5 MB, of which a steady game touches a few cache lines.
//
// # Protocol
//
// Records are handed over by ownership, in chunks of 64.
//
//   - R1. The records [0, n) of a chunk never change while it is not taken over; the writer fills
//     records[n] and then stores n+1.
//   - R2. The writer takes a chunk over only by moving holders from 0 to -1; a reader copies from a chunk
//     only between adding one to holders, never below 0, and taking it off. So what a reader copies,
//     no one writes. The writer passes by a held chunk and takes the next one; a reader holds one chunk
//     at a time, so with fewer readers than chunks there is one.
//   - R3. Passing by leaves a stale chunk behind. Order numbers show that: a reader walks back from the
//     newest chunk and takes only what joins. It returns the latest records without a gap. The newest is what
//     current names; if it cannot be held the writer has been round since, and the reader asks current again, for
//     the one before may be stale. (The model found that. What current names is not taken over.)
//
// Sums and histograms are handed over by a phaser for one writer. There are two sets, and active names one.
//
//   - P1. The writer makes phase odd, loads active, writes that set, makes phase even.
//   - P2. A reader (one at a time: mu, which the writer never takes) swaps active for the other set, then
//     loads phase; if it is odd it waits until phase differs from what it loaded.
//   - Claim: then no one writes the old set, until a reader makes it active again. Atomics behave as if in
//     one order. If the writer's load of active comes after the swap, it writes the other set. If it comes
//     before, so does its making phase odd, and the reader's load finds phase odd, or that write ended.
//   - The reader adds the old set to a total of its own and clears it, so nothing is counted twice.
//   - P3. A Snapshot takes the records, too, under mu, and what the runtime and the pool have counted: all are of one
//     side of each Reset, and of the records at most the last one is not in the totals yet.
//
// The wait in P2 is the reader's, and as long as one Add. Rejected: a mutex (a reader that loses its thread
// while it holds it stops the game), a seqlock (not race-clean over plain records, and a reader may starve),
// atomic counters in the histograms (no consistent cut between them), a channel to a recording
// goroutine (a wake-up per frame, and loss when it lags).
type Recorder struct {
	target  atomic.Int64 // of the latest record that has one
	exclude Flags
	records int

	// Writer only.
	warm struct {
		frames uint64           // how many frames the warm-up has at most; 0 when it is over
		seen   uint64           // how many it has had
		begun  deadline.Instant // the first frame's Start
	}
	before struct { // the frame before, which the next Interval is of
		start deadline.Instant
		own   time.Duration
		busy  time.Duration // own work, and the slice unless that ran beside the host
	}
	gc   gcMeter
	late func(Record)

	skip atomic.Bool // see SkipGC

	ring *ring

	phase  atomic.Uint64
	active atomic.Pointer[tally]

	mu struct {
		sync.Mutex
		idle  *tally // the set that is not active; empty
		total *tally // what readers have collected
		gone  uint64 // the order number of the first record that Reset has left
		pool  *workers.Pool
		since beside // what there was when the frames began to count
	}
}

// New returns a recorder. It panics if an option has a value that it cannot have.
func New(o Options) *Recorder {
	o.check()
	r := &Recorder{exclude: o.Exclude | WarmUp | Jump, records: o.Records, late: o.OnLate}
	if o.Target <= 0 {
		o.Target = DefaultInterval
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
	r.gc.init()
	r.ring = newRing(r.records)
	r.active.Store(newTally())
	r.mu.idle, r.mu.total = newTally(), newTally()
	r.mu.since.begin(nil)
	return r
}

// maxRecords is the greatest Options.Records: room for all is made at once, 180 bytes each.
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

// Watch has the recorder count what the pool p does, from now on: a Report of its snapshots has a part about p. Any
// goroutine.
func (r *Recorder) Watch(p *workers.Pool) {
	if p == nil {
		panic("record: Watch of a nil Pool")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.mu.pool = p
	r.mu.since.pool = readPool(p)
}

// SkipGC turns the filling of Record.GCCycles and GCPause off and on again. While it is off, Add leaves both as they
// are. The next record that Add fills counts what has been left out. To fill them takes 60 ns, and waits for anybody
// else that just reads package runtime/metrics. Any goroutine; a nanosecond.
func (r *Recorder) SkipGC(skip bool) { r.skip.Store(skip) }

// current returns the interval which a frame should have: that of the latest record, or the option's.
func (r *Recorder) current() time.Duration { return time.Duration(r.target.Load()) }

// Add records one frame. Frame goroutine only; less than a microsecond, and it allocates nothing.
func (r *Recorder) Add(rec Record) {
	target := r.current()
	if rec.Target > 0 && rec.Target != target {
		target = rec.Target
		r.target.Store(int64(target))
	}
	if r.warm.frames > 0 && r.warms(&rec, target) {
		rec.Flags |= WarmUp
	}
	if !r.skip.Load() { // else the next one tells
		rec.GCCycles, rec.GCPause = r.gc.sample()
	}
	kept := r.ring.add(&rec)
	own, host := r.before.own, rec.Interval-r.before.busy-rec.Waited
	r.before.start, r.before.own = rec.Start, rec.own()
	if r.before.busy = r.before.own; !rec.Flags.Has(Shadowed) {
		r.before.busy += rec.Used()
	}
	p := r.phase.Load()
	r.phase.Store(p + 1)
	r.active.Load().add(&rec, target, own, host, r.exclude, kept)
	r.phase.Store(p + 2)
	if r.late != nil && !rec.Flags.Has(r.exclude) && missedFrames(rec.Interval, target) > 0 {
		rec.Target = target
		r.late(rec)
	}
}

// warms reports whether a frame is of the warm-up. Its Interval is that of the frame before. Where the host slept after
// that frame, the time counts, and otherwise the frames.
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

// Recent fills dst with the latest records and returns the part that it filled, oldest first: fewer than
// len(dst) if there are fewer. Any goroutine; it takes some 4 ns per record, allocates and waits for
// nothing, so a heads-up display may call it every frame.
func (r *Recorder) Recent(dst []Record) []Record {
	return r.ring.tail(dst)
}

// Snapshot returns a copy of everything recorded so far. Any goroutine. It takes a millisecond and 2.1
// MB, so call it once a second or at the end, not every frame.
func (r *Recorder) Snapshot() *Snapshot {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := readBeside(r.mu.pool) // before anything is allocated
	s := &Snapshot{Target: r.current(), Exclude: r.exclude, beside: now.since(&r.mu.since)}
	s.Records = r.ring.tail(make([]Record, r.records))
	r.collect()
	t := r.mu.total
	s.Totals = t.Totals
	s.Interval, s.Lateness, s.Earliness = t.interval.clone(), t.lateness.clone(), t.earliness.clone()
	s.Interval.taken = time.Now()
	s.Used, s.Overrun, s.Unused, s.Woke = t.used.clone(), t.overrun.clone(), t.unused.clone(), t.woke.clone()
	s.Own, s.Host, s.Wait = t.own.clone(), t.host.clone(), t.wait.clone()
	return s
}

// Reset forgets everything recorded so far, as after a loading screen. Any goroutine. Warm-up is not
// repeated.
func (r *Recorder) Reset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.collect()
	r.mu.gone += r.mu.total.Frames - r.mu.total.Lost // no record that Add writes meanwhile: that is counted, too
	r.mu.total.reset()
	r.ring.base.Store(r.mu.gone)
	r.mu.since.begin(r.mu.pool)
}

// collect moves what the active set holds to the total (P2). The caller holds mu.
func (r *Recorder) collect() {
	old := r.active.Swap(r.mu.idle)
	for p := r.phase.Load(); p&1 == 1 && r.phase.Load() == p; {
		runtime.Gosched()
	}
	r.mu.total.merge(old)
	old.reset()
	r.mu.idle = old
}
