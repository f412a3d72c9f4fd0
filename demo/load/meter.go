package load

import (
	"runtime/metrics"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame/record"
)

// meter measures one slice. It allocates nothing between start and stop, and reads nothing but the clock in a
// frame, and, for log, how many collections there were.
type meter struct {
	begin  deadline.Instant   // start of the first measured frame; 0 during the warm-up
	starts []deadline.Instant // of the measured frames; after stop one more than there are intervals
	owns   record.Intervals   // the frames' own work
	busy   record.Intervals   // start to end
	warm   int                // frames before begin

	from, to Usage
	jobs     Counts // within the window

	log *frameLog // nil: none
}

// Usage is what the process has used so far, or within some time.
type Usage struct {
	CPU                time.Duration
	Machine            MachineTime // of the whole machine
	Allocs, Bytes, GCs uint64
}

// Plus returns both together.
func (u Usage) Plus(v Usage) Usage {
	return Usage{u.CPU + v.CPU, u.Machine.Plus(v.Machine), u.Allocs + v.Allocs, u.Bytes + v.Bytes, u.GCs + v.GCs}
}

// Minus returns what has come since v.
func (u Usage) Minus(v Usage) Usage {
	return Usage{u.CPU - v.CPU, u.Machine.Minus(v.Machine), u.Allocs - v.Allocs, u.Bytes - v.Bytes, u.GCs - v.GCs}
}

func newMeter(c Config) *meter {
	n := min(int(c.SliceLength()/c.Interval)*2+256, 1<<18) // more than an hour grows as it goes
	return &meter{
		starts: make([]deadline.Instant, 0, n),
		owns:   make(record.Intervals, 0, n),
		busy:   make(record.Intervals, 0, n),
	}
}

func (m *meter) start(now deadline.Instant, c Counts) {
	m.from = ReadUsage()
	m.jobs = c
	m.begin = now
	m.log.begin()
}

func (m *meter) stop(now deadline.Instant, c Counts) {
	m.to = ReadUsage()
	m.starts = append(m.starts, now)
	m.log.last(now)
	m.jobs = c.Minus(m.jobs)
}

func (m *meter) frame(now deadline.Instant) {
	m.log.frame(now, m.begin == 0)
	if m.begin == 0 {
		m.warm++
		return
	}
	m.starts = append(m.starts, now)
}

func (m *meter) own(from, to deadline.Instant) {
	m.log.own(from, to)
	if m.begin != 0 {
		m.owns = append(m.owns, to.Sub(from))
	}
}

func (m *meter) end(now deadline.Instant, x Executor) {
	m.log.end(now, x)
	if m.begin != 0 {
		m.busy = append(m.busy, now.Sub(m.starts[len(m.starts)-1]))
	}
}

// intervals returns the time from each start to the next.
func (m *meter) intervals() record.Intervals {
	d := make(record.Intervals, max(0, len(m.starts)-1))
	for i := range d {
		d[i] = m.starts[i+1].Sub(m.starts[i])
	}
	return d
}

// ReadUsage takes some ten microseconds, and allocates: it is called at the ends of a slice only.
func ReadUsage() Usage {
	s := [...]metrics.Sample{
		{Name: "/gc/heap/allocs:objects"},
		{Name: "/gc/heap/tiny/allocs:objects"},
		{Name: "/gc/heap/allocs:bytes"},
		{Name: "/gc/cycles/total:gc-cycles"},
	}
	cpu, all := CPUTime(), ReadMachine() // first: reading them allocates
	metrics.Read(s[:])
	at := func(i int) uint64 {
		if s[i].Value.Kind() != metrics.KindUint64 {
			return 0
		}
		return s[i].Value.Uint64()
	}
	return Usage{CPU: cpu, Machine: all, Allocs: at(0) + at(1), Bytes: at(2), GCs: at(3)}
}

// LateBeyond is how late a frame must be to be asked why.
const LateBeyond = time.Millisecond

// tally is all slices of one mode.
type tally struct {
	mode   Mode
	target time.Duration

	// Frames late by more than LateBeyond: the one before was still busy, or the wait ended late.
	ranLong, wokeLate int

	slices []record.Intervals
	owns   record.Intervals
	busy   record.Intervals
	warm   int
	jobs   Counts
	used   Usage
	procs  int // GOMAXPROCS

	jumps    int // of the clock
	jumpTime time.Duration

	inside inside
}

// LongestFrame is beyond what a mode could do to a frame: a longer interval is a jump of the clock, as when the
// machine or the process was suspended, and in no figure but the count of jumps.
const LongestFrame = 10 * time.Second

// possible returns d without jumps of the clock, and the sum of these.
func possible(d record.Intervals) (kept record.Intervals, jumped time.Duration) {
	kept = make(record.Intervals, 0, len(d))
	for _, x := range d {
		if x <= LongestFrame {
			kept = append(kept, x)
		} else {
			jumped += x
		}
	}
	return kept, jumped
}

func (t *tally) add(m *meter) {
	n := len(m.starts) - 1
	t.warm += m.warm
	if n < 1 {
		return
	}
	d := m.intervals()
	kept, jumped := possible(d)
	t.slices = append(t.slices, kept)
	t.jumps += len(d) - len(kept)
	t.jumpTime += jumped
	for i, busy := range m.busy[:min(n, len(m.busy))] {
		switch {
		case d[i] <= t.target+LateBeyond || d[i] > LongestFrame:
		case busy > t.target:
			t.ranLong++
		default:
			t.wokeLate++
		}
	}
	owns, _ := possible(m.owns)
	busy, _ := possible(m.busy)
	t.owns, t.busy = append(t.owns, owns...), append(t.busy, busy...)
	t.jobs = t.jobs.Plus(m.jobs)
	t.used = t.used.Plus(m.to.Minus(m.from))
}
