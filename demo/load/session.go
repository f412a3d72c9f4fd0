package load

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame/autopsy"
	"github.com/frameslice/frameslice/frame/record"
)

// A Session is a run or a comparison in progress. The headless loop calls Begin, Work and End once per frame. All
// methods belong to the frame goroutine.
//
// A session is a list of slices, each of one mode. The first frames of a slice are warm-up and left out. Building the
// world, closing an executor and a collection happen between slices, in no measured frame.
type Session struct {
	cfg   Config
	plan  []Turn
	k     int // slice in progress, len(plan) when done
	scene Scene
	exec  Executor
	meter *meter
	sums  map[Turn]*Figures
	env   record.Environment

	programs *programs // beside the turn in progress
	err      error     // of them

	sliceBegin deadline.Instant
	stopped    bool // before the plan was through
}

// NewSession calibrates the work, unless c has a scene: about a second during which nothing else should run.
func NewSession(c Config) *Session {
	c = c.WithDefaults()
	if c.Scene != nil {
		return newSession(c, c.Scene)
	}
	r := newRig(c)
	r.calibrate()
	return newSession(c, r)
}

func newSession(c Config, scene Scene) *Session {
	s := &Session{cfg: c, plan: c.Turns(), scene: scene, meter: newMeter(c), sums: map[Turn]*Figures{}}
	s.env = record.ReadEnvironment(waitName(c.Wait))
	for _, t := range c.turns() {
		s.sums[t] = NewFigures(t.Mode, ownWork)
		s.sums[t].Beside = t.Beside
	}
	return s
}

// A Scene is the work of a run: what the frames do themselves, and the jobs that they hand to the executor. A
// comparison has the rig. A host with a world of its own gives it as Config.Scene. All methods are called on the
// frame goroutine.
type Scene interface {
	// Reset makes the scene of a slice of mode m, outside the frames.
	Reset(m Mode)
	// Start is called before the first frame of the slice, with the executor that has just been opened.
	Start(x Executor, now deadline.Instant)
	// Offer submits the jobs that have come due by now.
	Offer(x Executor, now deadline.Instant)
	// Step does the frame's own work.
	Step(x Executor)
	// Counts returns what has become of the jobs since Reset.
	Counts() Counts
	// Leave is called when the slice is over and x is about to be closed.
	Leave()
	// Describe fills in what the scene knows of the settings: jobs, own work, crowd.
	Describe(s *Settings)
}

// A Turn is a mode, and what runs beside it.
type Turn struct {
	Mode   Mode
	Beside Beside
}

// String returns a name for the turns of a mode, also as part of a file's name.
func (t Turn) String() string {
	if t.Beside == None || t.Beside == "" {
		return string(t.Mode)
	}
	return string(t.Mode) + "+" + string(t.Beside)
}

// turns returns each pair of c once, in the order of the report.
func (c Config) turns() (out []Turn) {
	for _, b := range c.beside() {
		for _, m := range c.Modes {
			out = append(out, Turn{m, b})
		}
	}
	return out
}

// Turns returns the order of a comparison: rounds in which each mode has its turn once beside each of the programs.
// Each round has an order of its own, so that a drift of the machine and a neighbour's load fall on all modes alike. No
// mode follows itself, because a mode that is not exchanged gets no fresh start. The programs run on while the modes
// take turns.
func (c Config) Turns() []Turn {
	rng := rand.New(rand.NewPCG(c.Seed, 0x51ce))
	var plan []Turn
	n := len(c.Modes)
	beside := slices.Clone(c.beside())
	for range c.rounds() {
		rng.Shuffle(len(beside), func(i, j int) { beside[i], beside[j] = beside[j], beside[i] })
		for _, b := range beside {
			at := len(plan)
			plan = append(plan, Config{Modes: c.Modes, Beside: []Beside{b}}.turns()...)
			round := plan[at:]
			for again := true; again; again = at > 0 && n > 1 && round[0].Mode == plan[at-1].Mode {
				rng.Shuffle(n, func(i, j int) { round[i], round[j] = round[j], round[i] })
			}
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
		if s.err = s.beginSlice(); s.err != nil {
			s.stopped = true
			s.Close()
			return false
		}
		now = deadline.Now()
		s.sliceBegin = now
		s.scene.Start(s.exec, now)
	}
	warm := s.cfg.Warmup == 0 || s.meter.warm >= leastWarm && now.Sub(s.sliceBegin) >= s.cfg.Warmup
	if warm && !s.measuring() {
		s.meter.start(now, s.scene.Counts(), s.exec)
	}
	s.meter.frame(now)
	s.exec.Begin()
	return true
}

// measuring reports whether the warm-up of the slice in progress is over.
func (s *Session) measuring() bool { return s.exec != nil && s.meter.begin != 0 }

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
	s.err = errors.Join(s.err, s.programs.end())
	s.stopped = s.stopped || s.k < len(s.plan) // an early Close is an interruption, too
}

func (s *Session) beginSlice() error {
	t := s.plan[s.k]
	m := t.Mode
	s.progress(t)
	if s.programs == nil || s.programs.what != t.Beside {
		err := s.programs.end()
		if err == nil {
			s.programs, err = t.Beside.start()
		}
		if err != nil {
			return err
		}
	}
	s.scene.Reset(m)
	runtime.GC() // of what the last slice left; also resets the pace of the collector for all modes alike
	s.exec = Open(m, s.cfg)
	s.meter.open(m, s.exec, len(s.sums) == 1)
	return nil
}

func (s *Session) endSlice(now deadline.Instant) {
	s.sums[s.plan[s.k]].Add(s.meter.stop(now, s.scene.Counts(), s.exec), s.cfg.Interval)
	s.leave()
	if !s.stopped {
		s.k++
	}
}

func (s *Session) leave() {
	s.scene.Leave()
	s.meter.sound.close()
	s.exec.Close()
	s.exec = nil
}

// Run runs one mode, or the modes of a comparison, without a window. When ctx ends early the report covers what was
// measured until then and says that it is partial. No goroutine is left when Run returns.
func Run(ctx context.Context, c Config) (*Report, error) {
	for _, b := range c.Beside {
		if err := b.check(); err != nil {
			return nil, err
		}
	}
	runtime.LockOSThread() // until all is closed: coroutines are unwound under the lock under which they were made
	defer runtime.UnlockOSThread()
	s := NewSession(c)
	defer s.Close()
	if c.Flight == "" {
		headless(ctx, s)
		return s.Report(), s.err
	}
	box, err := autopsy.Start(autopsy.Options{Dir: c.Flight})
	if err != nil {
		return nil, err
	}
	s.meter.box = box
	headless(ctx, s)
	r := s.Report()
	err = errors.Join(s.err, box.Close())
	r.Traces = box.Reports()
	return r, err
}

// headless is the loop of every mode when there is no window: one goroutine, absolute ticks. A frame that is still
// busy at its next tick starts at the tick after that, as with vertical sync.
//
// Run locks the goroutine to its thread in every mode. A locked goroutine needs an extra hand-over whenever its P was
// taken, but the naive modes missed fewer frames with the lock than without.
func headless(ctx context.Context, s *Session) {
	wait := newWaiter(s.cfg.Wait)
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
