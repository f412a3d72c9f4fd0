package load

import (
	"context"
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame/autopsy"
	"github.com/frameslice/frameslice/frame/record"
)

// A Session is a run or a comparison in progress, as a state machine that the headless loop advances once per frame:
// Begin, Work, End. All methods belong to the frame goroutine.
//
// A session is a list of slices: one mode each, set up before it and torn down after it. The first frames of
// a slice are warm-up and left out; what happens between slices (building the world, closing an executor, a
// collection) falls into no measured frame.
type Session struct {
	cfg   Config
	plan  []Mode
	k     int // slice in progress, len(plan) when done
	scene Scene
	exec  Executor
	meter *meter // of the slice in progress
	sums  map[Mode]*tally
	env   record.Environment
	log   *frameLog

	sliceBegin deadline.Instant
	measuring  bool
	stopped    bool // before the plan was through
}

// NewSession checks c and calibrates the work: about a second during which nothing else should run.
// A wrong setting is a *UsageError.
func NewSession(c Config) (*Session, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	c = c.WithDefaults()
	if c.Scene != nil {
		return newSession(c, c.Scene), nil
	}
	r := newRig(c)
	r.calibrate()
	return newSession(c, r), nil
}

func newSession(c Config, scene Scene) *Session {
	s := &Session{cfg: c, plan: c.Turns(), scene: scene, sums: map[Mode]*tally{}}
	s.env = record.ReadEnvironment(waitName(c.Wait))
	s.log = newFrameLog(c)
	for _, m := range c.Modes {
		s.sums[m] = &tally{mode: m, target: c.Interval}
	}
	return s
}

// Turns returns the order of a comparison: rounds in which each mode has its turn once, in an order drawn anew for
// each round, so that a drift of the machine and a neighbour's load fall on all modes alike. No mode follows itself
// from one round to the next, because what is not exchanged gets no fresh start.
func (c Config) Turns() []Mode {
	rng := rand.New(rand.NewPCG(c.Seed, 0x51ce))
	plan := make([]Mode, 0, c.rounds()*len(c.Modes))
	for range c.rounds() {
		at := len(plan)
		plan = append(plan, c.Modes...)
		round := plan[at:]
		for again := true; again; again = at > 0 && len(round) > 1 && round[0] == plan[at-1] {
			rng.Shuffle(len(round), func(i, j int) { round[i], round[j] = round[j], round[i] })
		}
	}
	return plan
}

func (c Config) rounds() int { return max(1, int((c.Duration+c.Slice/2)/c.Slice)) }

// SliceLength is the measured time of one slice, so that all slices of a mode add up to the duration.
func (c Config) SliceLength() time.Duration { return c.Duration / time.Duration(c.rounds()) }

// leastWarm is how many frames a warm-up has, however long they take: the first one makes what is made on
// first use.
const leastWarm = 3

// Begin starts a frame. It returns false when there is nothing more to run; the session is closed then. It
// sets up and tears down slices, which takes long, outside the measured frames.
func (s *Session) Begin() bool {
	now := deadline.Now()
	if s.exec != nil && s.measuring && now.Sub(s.meter.begin) >= s.cfg.SliceLength() {
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
		s.sliceBegin = now
		s.scene.Start(s.exec, now)
	}
	warm := s.cfg.Warmup == 0 || s.meter.warm >= leastWarm && now.Sub(s.sliceBegin) >= s.cfg.Warmup
	if warm && !s.measuring {
		s.measuring = true
		s.sums[s.plan[s.k]].inside.begin(s.exec)
		s.meter.start(now, s.scene.Counts())
	}
	s.meter.frame(now)
	s.exec.Begin()
	return true
}

// Work does the frame's own work and offers the jobs that have come due.
func (s *Session) Work() {
	s.scene.Offer(s.exec, deadline.Now())
	begin := deadline.Now()
	s.scene.Step(s.exec)
	s.meter.own(begin, deadline.Now())
}

// End ends the frame: the executor has its slice, if it uses one.
func (s *Session) End() {
	s.exec.End()
	s.meter.end(deadline.Now(), s.exec)
}

// Interrupt makes the next Begin return false. What was measured in the slice in progress counts.
func (s *Session) Interrupt() {
	if s.stopped || s.k == len(s.plan) {
		return
	}
	s.stopped = true
	if s.exec != nil && s.measuring {
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
	s.progress(m)
	s.scene.Reset(m)
	s.meter = newMeter(s.cfg)
	s.meter.log = s.log
	runtime.GC() // of what the last slice left; also resets the pace of the collector for all modes alike
	s.exec = Open(m, s.cfg)
	s.log.open(m, s.exec, len(s.sums) == 1)
	s.measuring = false
}

func (s *Session) endSlice(now deadline.Instant) {
	s.meter.stop(now, s.scene.Counts())
	sum := s.sums[s.plan[s.k]]
	sum.add(s.meter)
	sum.inside.end(s.exec, s.log.rec.Snapshot())
	sum.procs = runtime.GOMAXPROCS(0)
	s.leave()
	if !s.stopped {
		s.k++
	}
}

func (s *Session) leave() {
	s.scene.Leave()
	s.exec.Close()
	s.exec = nil
}

// Run runs one mode, or the modes of a comparison, without a window. When ctx ends early the report covers
// what was measured until then and says that it is partial. No goroutine is left when it returns.
func Run(ctx context.Context, c Config) (*Report, error) {
	runtime.LockOSThread() // until all is closed: coroutines are unwound under the lock under which they were made
	defer runtime.UnlockOSThread()
	s, err := NewSession(c)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	if c.Flight == "" {
		headless(ctx, s)
		return s.Report(), nil
	}
	s.log.box, err = autopsy.Start(autopsy.Options{Dir: c.Flight})
	if err != nil {
		return nil, err
	}
	headless(ctx, s)
	r := s.Report()
	err = s.log.box.Close()
	r.Traces = s.log.box.Reports()
	return r, err
}
