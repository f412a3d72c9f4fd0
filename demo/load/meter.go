package load

import (
	"runtime"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/internal/bridge"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// A meter records the frames of all modes in the same way. In a measured frame it allocates nothing and reads nothing
// but the clock and how many collections there were. It belongs to the frame goroutine.
type meter struct {
	target  time.Duration
	records int
	rec     *record.Recorder // of the mode in progress, one of the next two
	theirs  *record.Recorder
	ours    *record.Recorder // watches the pool of the mode's own loop
	sound   *player          // beside the mode in progress

	begin deadline.Instant // start of the first measured frame of the slice; 0 during the warm-up
	warm  int              // frames before begin
	from  Usage            // at begin
	jobs  Counts           // at begin

	number uint64
	now    record.Record
	prev   deadline.Instant // start of the frame before, 0 for none
	one    [1]record.Record
	woke   time.Duration // how late the wait for the frame to come ended
	waited time.Duration // and how long it was
}

// Looped is an executor with a loop of ours.
type Looped interface{ Loop() *frame.Loop }

// LongestFrame is beyond what a mode could do to a frame. A longer interval is a jump of the clock, as when the machine
// or the process was suspended, and in no figure but the count of jumps.
const LongestFrame = 10 * time.Second

func newMeter(c Config) *meter {
	return &meter{target: c.Interval, records: min(int(c.SliceLength()/c.Interval)+256, 1<<18)} // for an hour
}

func (m *meter) recorder(r **record.Recorder) *record.Recorder {
	if *r == nil {
		*r = record.New(record.Options{Target: m.target, Records: m.records, WarmUp: -1})
	}
	return *r
}

// open prepares for a slice of a mode on x.
func (m *meter) open(mode Mode, x Executor) {
	m.rec = m.recorder(&m.theirs)
	if _, ours := mode.Preset(); ours {
		m.rec = m.recorder(&m.ours)
	}
	if x, ok := x.(Looped); ok {
		m.rec.Watch(x.Loop().Pool())
	}
	m.rec.Add(record.Record{Flags: record.WarmUp}) // has the collections up to now
	m.rec.Reset()
	m.sound = play()
	m.prev, m.begin, m.warm = 0, 0, 0
}

// start ends the warm-up. The first interval begins now.
func (m *meter) start(now deadline.Instant, c Counts, x Executor) {
	if x, ok := x.(Looped); ok {
		bridge.Of(x.Loop().Scheduler()).ResetTimes()
	}
	m.from, m.jobs = ReadUsage(), c
	m.begin, m.prev = now, 0
	m.sound.reset(now)
}

// frame begins a frame.
func (m *meter) frame(now deadline.Instant) {
	m.number++
	m.now = record.Record{Number: m.number, Start: now, Woke: m.woke, Waited: m.waited}
	m.woke, m.waited = 0, 0
	if m.prev != 0 {
		m.now.Interval = now.Sub(m.prev)
	}
	switch {
	case m.begin == 0:
		m.warm++
		m.now.Flags |= record.WarmUp
	case m.now.Interval > LongestFrame:
		m.now.Flags |= record.Jump
	}
	m.prev = now
}

// own notes the frame's own work.
func (m *meter) own(from, to deadline.Instant) {
	m.now.Updates, m.now.UpdateBegin, m.now.UpdateEnd = 1, from, to
}

// end completes the frame's record with what the mode's own loop knows of its slice, if it has one.
func (m *meter) end(now deadline.Instant, x Executor) {
	r := &m.now
	r.DrawEnd = now
	if x, ok := x.(Looped); ok {
		for _, own := range x.Loop().Recorder().Recent(m.one[:]) {
			r.SliceBegin, r.SliceDeadline, r.SliceEnd = own.SliceBegin, own.SliceDeadline, own.SliceEnd
			r.Counts = own.Counts
			r.Ready, r.Delayed, r.Queued = own.Ready, own.Delayed, own.Queued
			r.WorstLabel, r.WorstCost = own.WorstLabel, own.WorstCost
			r.Flags |= own.Flags & (record.Sliced | record.Shadowed)
		}
	}
	m.rec.Add(*r)
}

// stop ends the last interval of a slice, before its executor is closed.
func (m *meter) stop(now deadline.Instant, c Counts, x Executor) Stretch {
	used := ReadUsage().Minus(m.from)
	m.frame(now)
	m.now.Updates = 1 // without updates it would be no frame
	m.rec.Add(m.now)
	s := Stretch{
		Frames: m.rec.Snapshot(), Procs: runtime.GOMAXPROCS(0), Jobs: c.Minus(m.jobs), Used: used,
		Sound: m.sound.read(now),
	}
	s.Span = s.Frames.Totals.Time
	if x, ok := x.(Looped); ok {
		s.Times, s.Profile = new(scheduler.Times), new(workers.Profile)
		x.Loop().Scheduler().ReadTimes(s.Times)
		x.Loop().Pool().Profile(s.Profile)
		all := x.Loop().Report("")
		s.Profile.Runs, s.Profile.RunsDropped = all.Runs, all.RunsDropped // of tasks, too
	}
	return s
}
