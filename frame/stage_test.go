package frame_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/internal/testkit"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// A stage is a loop with a host that plays frames as a seed says, tasks that do at random what tasks may do, and
// goroutines that are nobody's.
type stage struct {
	testkit.Cast
	l       *frame.Loop
	o       frame.Options
	closed  atomic.Bool // Close has been called, or Stop
	over    atomic.Bool // Close has returned, and everything has ended
	game    *stageGame  // nil if the host has its own loop
	wrapped hostGame
	other   *stage // whose tasks this one's know, if it is not nil
	locked  bool   // the host's goroutine is locked to its thread
	stuck   atomic.Int32
	percent int // GOGC before

	wg sync.WaitGroup
}

// newStage returns a stage of a loop that has a pool of its own, or another's if that is not nil.
func newStage(seed uint64, pool *workers.Pool) *stage {
	s := &stage{percent: debug.SetGCPercent(-1)}
	s.Seed = seed
	debug.SetGCPercent(s.percent)
	r := s.Rand()
	s.Left.Store(int64(100 + r.IntN(500)))
	s.o = frame.Options{
		Interval: time.Duration(200+r.IntN(800)) * time.Microsecond, Placement: frame.Placement(r.IntN(4)),
		Pace: r.IntN(4) == 0, WorkersOnly: r.IntN(3) == 0, GCBetweenFrames: r.IntN(8) == 0,
		Workers:      workers.Options{Workers: r.IntN(3) - 1, Background: r.IntN(2)},
		Recorder:     record.Options{Records: 64, WarmUp: -1},
		Scheduler:    scheduler.Options{Rethrow: r.IntN(2) == 0, OnPanic: s.onPanic},
		Profile:      min(0, r.IntN(4)-1),
		CloseTimeout: time.Minute,
		OnStuck:      func(string) { s.stuck.Add(1) },
	}
	s.locked = r.IntN(4) == 0 && runtime.GOOS != "js"
	if runtime.GOOS == "js" && s.o.Placement == frame.PlaceShadow {
		s.o.Placement = frame.PlaceAfterDraw
	}
	if s.o.Pool = pool; pool != nil {
		s.o.GCBetweenFrames = r.IntN(2) == 0
	}
	s.l = frame.New(s.o)
	if r.IntN(3) > 0 {
		s.l.WatchFor(time.Millisecond)
	}
	if r.IntN(3) == 0 && s.o.Placement != frame.PlaceFirst {
		s.wrap(r)
	}
	return s
}

func (s *stage) onPanic(p *scheduler.PanicError) {
	if !isOnPurpose(p.Value) {
		s.Fail("%v\n%s", p, p.Stack)
	}
}

var errOnPurpose = errors.New("on purpose")

// isOnPurpose reports whether a panic is one that a task was to have.
func isOnPurpose(v any) bool {
	text := fmt.Sprint(v)
	return strings.Contains(text, errOnPurpose.Error()) || strings.Contains(text, scheduler.ErrGoexit.Error())
}

// alone runs f, beside which no task runs and not the frame's own work.
func (s *stage) alone(what string, f func()) {
	if s.over.Load() {
		s.Fail("%s runs when Close has returned", what)
	}
	s.Alone(what, f)
}

// own is the frame's own work: what the host does between Begin and Slice.
func (s *stage) own(r *rand.Rand, f func()) {
	s.Alone("the frame's own work", func() {
		for range r.IntN(3) {
			s.act(r, false)
		}
		f()
	})
}

// play plays the program to its end.
func (s *stage) play() {
	r := s.Rand()
	for range r.IntN(3) {
		s.wg.Go(func() {
			for r := s.Rand(); s.Left.Load() > 0 && !s.over.Load(); {
				s.act(r, false)
				if r.IntN(8) == 0 {
					time.Sleep(time.Duration(r.IntN(200)) * time.Microsecond)
				}
			}
		})
	}
	for range r.IntN(40) {
		s.some(r)
	}
	if r.IntN(2) == 0 {
		s.quiet(r)
	}
	s.end(r)
	s.over.Store(true)
	s.wg.Wait()
	for range 2 { // of a closed loop
		s.some(r)
	}
}

// reckon looks at what must be so once nobody acts any more.
func (s *stage) reckon() {
	s.check()
	if got := debug.SetGCPercent(s.percent); got != s.percent {
		s.Fail("GOGC is %d afterwards, and was %d", got, s.percent)
	}
}

// quiet continues until there is nothing left to do, which must come about if nobody has stopped the loop.
func (s *stage) quiet(r *rand.Rand) {
	gone := make(chan struct{})
	go func() { s.wg.Wait(); close(gone) }()
	for i := 0; !s.closed.Load(); i++ {
		s.some(r)
		select {
		case <-gone:
			if len(s.Open()) == 0 {
				return
			}
		default:
		}
		if i > 1000 {
			time.Sleep(100 * time.Microsecond) // strangers need a P, too
		}
		if i > 20_000 {
			s.Fail("there always is something to do: %v, %+v, %+v, %+v", s.Open(), s.l.Stats(),
				s.l.Scheduler().Stats(), s.l.Host().Stats())
			return
		}
	}
}

// check looks at what must be so of a loop that has closed.
func (s *stage) check() {
	for _, d := range s.Deeds() {
		if b, e := d.Begun(), d.Ended(); b > 1 || b != e {
			s.Fail("%v: begun %d times, ended %d", d, b, e)
		}
	}
	number := uint64(0)
	for _, rec := range s.l.Recorder().Recent(make([]record.Record, 64)) {
		if rec.Number <= number || rec.Interval < 0 ||
			rec.Flags&record.Sliced != 0 && (rec.SliceBegin < rec.Start || rec.SliceEnd < rec.SliceBegin) {
			s.Fail("after number %d, %+v", number, rec)
		}
		number = rec.Number
	}
}

// Hosts play frames at random, hosted and by Run, in order and out of it, and close the loop somewhere,
// beside tasks, callbacks, jobs and goroutines that do at random what they may: no two of what belongs to the
// frame goroutine at once, nothing lost, nothing twice, nothing afterwards.
func TestStages(t *testing.T) {
	testkit.RandomPrograms(t, 150, testkit.Fresh, func(seed uint64) testkit.RandomProgram {
		return &stages{all: []*stage{newStage(seed, nil)}}
	})
}

// Two loops with one pool, whose tasks do to the other loop what strangers may.
func TestStagesOfOnePool(t *testing.T) {
	testkit.RandomPrograms(t, 50, testkit.Fresh, func(seed uint64) testkit.RandomProgram {
		pool := workers.New(workers.Options{Workers: int(seed%3) - 1, Background: int(seed / 3 % 2)})
		a, b := newStage(seed, pool), newStage(seed+1, pool)
		a.other, b.other = b, a
		return &stages{pool, []*stage{a, b}}
	})
}

// stages are a random program: one stage, or more that share a pool.
type stages struct {
	pool *workers.Pool // or nil
	all  []*stage
}

func (p *stages) String() (text string) {
	for _, s := range p.all {
		text += fmt.Sprintf("locked %t, wrapped %t, placement %v, rethrow %t, pace %t\n", s.locked, s.game != nil,
			s.l.Placement(), s.o.Scheduler.Rethrow, s.o.Pace)
	}
	return text
}

// Run plays the stages, each on a goroutine of its own, and closes the pool that they have in common, if they do: until
// then each may act on the other.
func (p *stages) Run(t *testing.T) (faults []string) {
	var played sync.WaitGroup
	for _, s := range p.all {
		played.Go(func() {
			if s.locked {
				runtime.LockOSThread() // for good: the thread ends with it
			}
			s.play()
		})
	}
	played.Wait()
	if p.pool != nil {
		if err := p.pool.Close(bg); err != nil {
			t.Fatal(err)
		}
	}
	for _, s := range p.all {
		s.reckon()
		faults = append(faults, s.Faults()...)
	}
	return faults
}
