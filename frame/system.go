package frame

import (
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/internal/osthread"
)

// A systemShare tells, for the parts of a frame, how much of each the system took from the goroutine's thread: see
// record.Taken. Begin, and the end of each part that is not short, look at the thread's time on a processor, which
// takes 0.3 µs to 0.9 µs. Begin, and the end of a part in which the thread was off its processor, also read the
// thread's delay, in about 1 µs. One goroutine at a time.
//
// The thread is asked, and not the goroutine, because Go does not tell when a goroutine runs. Rejected: to take the
// time in which no thread of the process was on a processor, because the goroutine may have waited for a file
// meanwhile.
type systemShare struct {
	meter  osthread.Meter
	off    bool             // in a testing/synctest bubble, whose time is none of the thread's
	from   deadline.Instant // of the part
	at     deadline.Instant // of the last look; 0: none, or the system does not tell
	thread int
	cpu    time.Duration
	delay  time.Duration // negative: unknown
}

// littleOff is how long a thread may be off its processor in a part for which nobody asks why: an interrupt, and the
// looks themselves.
const littleOff = 50 * time.Microsecond

// littlePart is how long a part is at least that ends with a look. A shorter one may have been taken whole; the next
// look covers it, too.
const littlePart = 200 * time.Microsecond

// part ends a part at now, and returns what the system took of it. begins says that a frame begins.
func (s *systemShare) part(now deadline.Instant, begins bool) (t record.Taken) {
	if s.off {
		return t
	}
	part := now.Sub(s.from)
	if s.from = now; part < littlePart && !begins {
		return record.Taken{AtMost: part, Known: s.at != 0}
	}
	thread, cpu, err := s.meter.CPU()
	if err != nil {
		s.at = 0
		return t
	}
	stayed := thread == s.thread
	if t.Known = s.at != 0; t.Known {
		t.AtMost = part
		if stayed {
			t.AtMost = min(max(now.Sub(s.at)-(cpu-s.cpu), 0), part)
		}
	}
	s.at, s.thread, s.cpu = now, thread, cpu
	if stayed && t.AtMost < littleOff && !begins {
		return t // without a look at the delay: what little there was goes to the next part
	}
	before := s.delay
	delay, ok := s.meter.Delay(thread)
	if s.delay = delay; !ok {
		s.delay = -1
	} else if stayed && before >= 0 {
		t.Time = min(delay-before, t.AtMost)
		s.delay = before + t.Time // the thread may have been kept off since now: that is of the next part
	}
	return t
}

// end is called after a frame, where there is time for what a look must not do.
func (s *systemShare) end() { s.meter.Open() }

// beginSystem begins the slice's part where that has a goroutine of its own, and endSystem ends it. The baton's holder
// only.
func (l *Loop) beginSystem(now deadline.Instant) {
	if l.shadow != nil {
		l.shadow.system.part(now, true)
	}
}

func (l *Loop) endSystem() {
	s := &l.system
	if l.shadow != nil {
		s = &l.shadow.system
		defer s.end()
	}
	l.slice.taken = s.part(l.slice.end, false)
}

// A contention says whether others keep the frame's thread off the processors: other programs, mostly, but the delay
// that Linux tells also has what other threads of this process took, and what a quota did. Meanwhile the slice runs no
// jobs beside workers. A thread that fills its slices has used up its share when the next frame begins. So Linux runs
// the others first, and the frame is late. The baton's holder only.
//
// Balanced on two processors, before this and one P more, and with both: 4.8 and 0.71 % missed beside one program that
// spins, 18 and 6.2 % beside two. The jobs a second were 354 and 345, 262 and 252 (MEASUREMENTS.md).
type contention struct {
	since deadline.Instant
	lost  time.Duration // the delay of the thread since then
	on    bool
}

// A look at the contention covers at least contendedFor. The thread was delayed for 1 to 8 % of a look
// beside no program. Beside bursts it was 11 to 19 %, beside one or two programs 25 to 40 %.
const (
	contendedFor = time.Second / 2
	contended    = 10 // the contention begins at a tenth of the time,
	uncontended  = 20 // and ends below a twentieth
)

// observe takes a frame with a slice into account.
func (c *contention) observe(r *record.Record) {
	c.lost += r.System.Before.Time + r.System.Own.Time + r.System.Slice.Time
	d := r.SliceEnd.Sub(c.since)
	if d < contendedFor {
		return
	}
	if c.on {
		c.on = c.lost >= d/uncontended
	} else {
		c.on = c.lost >= d/contended
	}
	c.since, c.lost = r.SliceEnd, 0
}
