package load

import (
	"context"
	"io"
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame/record"
)

// A Session is a run or a comparison in progress. The headless loop calls Begin, Work and End once per frame. All
// methods belong to the frame goroutine.
//
// A session is a list of slices, each of one mode. The first frames of a slice are warm-up and left out. Building the
// world, closing an executor and a collection happen between slices, in no measured frame.
type Session struct {
	cfg      Config
	plan     []Mode
	k        int // slice in progress, len(plan) when done
	rig      *rig
	exec     Executor
	meter    *meter
	sums     map[Mode]*Figures
	env      record.Environment
	progress io.Writer

	sliceBegin deadline.Instant
	stopped    bool // before the plan was through
}

// newSession returns the session of c, with defaults, whose work is r.
func newSession(c Config, r *rig) *Session {
	s := &Session{cfg: c, plan: c.Turns(), rig: r, meter: newMeter(c), sums: map[Mode]*Figures{}, progress: io.Discard}
	s.env = record.ReadEnvironment(waitName)
	for _, m := range c.Modes {
		s.sums[m] = NewFigures(m)
	}
	return s
}

// Turns returns the order of a comparison: rounds in which each mode has its turn once. Each round has an order of its
// own, so that a drift of the machine and a neighbour's load fall on all modes alike. No mode follows itself, because a
// mode that is not exchanged gets no fresh start.
func (c Config) Turns() []Mode {
	rng := rand.New(rand.NewPCG(Seed, 0x51ce))
	var plan []Mode
	n := len(c.Modes)
	for range c.rounds() {
		at := len(plan)
		plan = append(plan, c.Modes...)
		round := plan[at:]
		for again := true; again; again = at > 0 && n > 1 && round[0] == plan[at-1] {
			rng.Shuffle(n, func(i, j int) { round[i], round[j] = round[j], round[i] })
		}
	}
	return plan
}

func (c Config) rounds() int { return max(1, int((c.Duration+c.Slice/2)/c.Slice)) }

// SliceLength is the measured time of one slice, so that all slices of a mode add up to the duration.
func (c Config) SliceLength() time.Duration { return c.Duration / time.Duration(c.rounds()) }

// leastWarm is how many frames a warm-up has at least, however long they take. The first one makes what is made on
// first use.
const leastWarm = 3

// Begin starts a frame. It returns false when there is nothing more to run; the session is closed then. It also sets
// up and tears down slices, which takes long, outside the measured frames.
func (s *Session) Begin() bool {
	now := deadline.Now()
	if s.measuring() && now.Sub(s.meter.begin) >= s.cfg.SliceLength() {
		s.endSlice(now)
		now = deadline.Now()
	}
	if s.stopped || s.k == len(s.plan) {
		s.Close()
		return false
	}
	if s.exec == nil {
		s.beginSlice()
		now = deadline.Now()
		s.sliceBegin, s.rig.last = now, now
	}
	warm := s.cfg.Warmup == 0 || s.meter.warm >= leastWarm && now.Sub(s.sliceBegin) >= s.cfg.Warmup
	if warm && !s.measuring() {
		s.meter.start(now, s.rig.offer.Counts, s.exec)
	}
	s.meter.frame(now)
	s.exec.Begin()
	return true
}

// measuring reports whether the warm-up of the slice in progress is over.
func (s *Session) measuring() bool { return s.exec != nil && s.meter.begin != 0 }

// Work does the frame's own work and offers the jobs that have come due.
func (s *Session) Work() {
	s.rig.submit(s.exec, deadline.Now())
	begin := deadline.Now()
	s.rig.step(s.exec)
	s.meter.own(begin, deadline.Now())
}

// End ends the frame: the executor has its slice, if it uses one.
func (s *Session) End() {
	s.exec.End()
	s.meter.end(deadline.Now(), s.exec)
}

// Interrupt makes the next Begin return false. The figures of the slice in progress count.
func (s *Session) Interrupt() {
	if s.stopped || s.k == len(s.plan) {
		return
	}
	s.stopped = true
	if s.measuring() {
		s.endSlice(deadline.Now())
	}
}

// Close discards the slice in progress and leaves nothing behind. Idempotent.
func (s *Session) Close() {
	if s.exec != nil {
		s.leave()
	}
	s.stopped = s.stopped || s.k < len(s.plan) // an early Close is an interruption, too
}

func (s *Session) beginSlice() {
	m := s.plan[s.k]
	s.announce(m)
	s.rig.reset(m)
	runtime.GC() // of what the last slice left; also resets the pace of the collector for all modes alike
	s.exec = Open(m, s.cfg)
	s.meter.open(m, s.exec)
}

func (s *Session) endSlice(now deadline.Instant) {
	s.sums[s.plan[s.k]].Add(s.meter.stop(now, s.rig.offer.Counts, s.exec))
	s.leave()
	if !s.stopped {
		s.k++
	}
}

func (s *Session) leave() {
	s.meter.sound.close()
	s.exec.Close()
	s.exec = nil
}

// Run runs one mode, or several in turns, without a window, after a second of calibration during which nothing else
// should run. When ctx ends early the report covers what was measured until then and says that it is partial. No
// goroutine is left when Run returns.
func Run(ctx context.Context, c Config, progress io.Writer) *Report {
	runtime.LockOSThread() // until all is closed: coroutines are unwound under the lock under which they were made
	defer runtime.UnlockOSThread()
	c = c.WithDefaults()
	r := newRig(c)
	r.calibrate()
	s := newSession(c, r)
	s.progress = progress
	defer s.Close()
	headless(ctx, s, newWaiter())
	return s.Report()
}

// headless is the loop of every mode when there is no window: one goroutine, absolute ticks. A frame that is still
// busy at its next tick starts at the tick after that, as with vertical sync.
//
// Run locks the goroutine to its thread in every mode. A locked goroutine needs an extra hand-over whenever its P was
// taken, but the naive modes missed fewer frames with the lock than without.
func headless(ctx context.Context, s *Session, wait func(deadline.Instant)) {
	interval := s.cfg.Interval
	next := deadline.Now()
	for {
		from := deadline.Now()
		next = nextTick(next, from, interval)
		wait(next)
		now := deadline.Now()
		s.meter.woke, s.meter.waited = max(0, now.Sub(next)), now.Sub(from)
		if ctx.Err() != nil {
			s.Interrupt()
		}
		if !s.Begin() {
			return
		}
		s.Work()
		s.End()
	}
}

// nextTick returns the first tick after now on the grid that last belongs to, and never last itself.
func nextTick(last, now deadline.Instant, interval time.Duration) deadline.Instant {
	n := max(now.Sub(last)/interval+1, 1)
	return last.Add(n * interval)
}

// timerWait waits on a Go timer, which the Go scheduler has to find and to run.
func timerWait(t deadline.Instant) {
	if d := t.Sub(deadline.Now()); d > 0 {
		time.Sleep(d)
	}
}
