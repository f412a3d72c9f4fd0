package frame_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
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

// A deed is a function that somebody has given to the loop.
type deed struct {
	what         string
	begun, ended atomic.Int32
	canceled     atomic.Bool
	cancel       func() bool
}

// A stage is a loop with a host that plays frames as a seed says, tasks that do at random what tasks may do, and
// goroutines that are nobody's.
type stage struct {
	l       *frame.Loop
	o       frame.Options
	seed    uint64
	serial  atomic.Uint64
	left    atomic.Int64 // how many acts are to come
	closed  atomic.Bool  // Close has been called, or Stop
	over    atomic.Bool  // Close has returned, and everything has ended
	busy    atomic.Int32 // 1 while a task or the frame's own work runs
	game    *stageGame   // nil if the host has its own loop
	wrapped hostGame
	other   *stage // whose tasks this one's know, if it is not nil
	locked  bool   // the host's goroutine is locked to its thread
	stuck   atomic.Int32
	percent int // GOGC before

	deeds [16]atomic.Pointer[deed] // that others know of
	wg    sync.WaitGroup

	mu     sync.Mutex
	all    []*deed
	faults []string
}

// newStage returns a stage of a loop that has a pool of its own, or another's if that is not nil.
func newStage(seed uint64, pool *workers.Pool) *stage {
	s := &stage{seed: seed, percent: debug.SetGCPercent(-1)}
	debug.SetGCPercent(s.percent)
	r := s.rng()
	s.left.Store(int64(100 + r.IntN(500)))
	s.o = frame.Options{
		Interval: time.Duration(200+r.IntN(800)) * time.Microsecond, Placement: frame.Placement(r.IntN(4)),
		Pace: r.IntN(4) == 0, NoJobs: r.IntN(3) == 0, IdleGC: r.IntN(8) == 0,
		Workers:   workers.Options{Workers: r.IntN(3) - 1, Background: r.IntN(2)},
		Recorder:  record.Options{Records: 64, WarmUp: -1},
		Scheduler: scheduler.Options{Rethrow: r.IntN(2) == 0, OnPanic: s.onPanic},
		Profile:   min(0, r.IntN(4)-1),
		Grace:     time.Minute,
		OnStuck:   func(string) { s.stuck.Add(1) },
	}
	s.locked = r.IntN(4) == 0 && runtime.GOOS != "js"
	if runtime.GOOS == "js" && s.o.Placement == frame.PlaceShadow {
		s.o.Placement = frame.PlaceAfterDraw
	}
	if s.o.Pool = pool; pool != nil {
		s.o.IdleGC = r.IntN(2) == 0
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

func (s *stage) rng() *rand.Rand { return rand.New(rand.NewPCG(s.seed, s.serial.Add(1))) }

func (s *stage) fail(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, fmt.Sprintf(format, args...))
}

func (s *stage) onPanic(p *scheduler.PanicError) {
	if !isOnPurpose(p.Value) {
		s.fail("%v\n%s", p, p.Stack)
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
		s.fail("%s runs when Close has returned", what)
	}
	if !s.busy.CompareAndSwap(0, 1) {
		s.fail("%s runs beside something else", what)
		return
	}
	defer s.busy.Store(0)
	f()
}

// own is the frame's own work: what the host does between Begin and Slice.
func (s *stage) own(r *rand.Rand, f func()) {
	if !s.busy.CompareAndSwap(0, 1) {
		s.fail("something runs beside the frame's own work")
		return
	}
	defer s.busy.Store(0)
	for range r.IntN(3) {
		s.act(r, false)
	}
	f()
}

// play plays the program to its end.
func (s *stage) play() {
	r := s.rng()
	for range r.IntN(3) {
		s.wg.Go(func() {
			for r := s.rng(); s.left.Load() > 0 && !s.over.Load(); {
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
		s.fail("GOGC is %d afterwards, and was %d", got, s.percent)
	}
}

// quiet goes on until there is nothing left to do, which must come about if nobody has stopped the loop.
func (s *stage) quiet(r *rand.Rand) {
	gone := make(chan struct{})
	go func() { s.wg.Wait(); close(gone) }()
	for i := 0; !s.closed.Load(); i++ {
		s.some(r)
		select {
		case <-gone:
			if s.isDone() {
				return
			}
		default:
		}
		if i > 1000 {
			time.Sleep(100 * time.Microsecond) // strangers need a P, too
		}
		if i > 20_000 {
			s.fail("there always is something to do: %v, %+v, %+v, %+v", s.open(), s.l.Stats(),
				s.l.Scheduler().Stats(), s.l.Host().Stats())
			return
		}
	}
}

// isDone reports whether everything that was given to the loop has ended.
func (s *stage) isDone() bool { return len(s.open()) == 0 }

// open returns what has not ended.
func (s *stage) open() (open []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range s.all {
		b := d.begun.Load()
		if b == 0 && !d.canceled.Load() || b != d.ended.Load() {
			open = append(open, d.what)
		}
	}
	return open
}

// check looks at what must be so of a loop that has closed.
func (s *stage) check() {
	for _, d := range s.all {
		if b, e := d.begun.Load(), d.ended.Load(); b > 1 || b != e {
			s.fail("%s: begun %d times, ended %d", d.what, b, e)
		}
	}
	number := uint64(0)
	for _, rec := range s.l.Recorder().Recent(make([]record.Record, 64)) {
		if rec.Number <= number || rec.Interval < 0 ||
			rec.Flags&record.Sliced != 0 && (rec.SliceBegin < rec.Start || rec.SliceEnd < rec.SliceBegin) {
			s.fail("after number %d, %+v", number, rec)
		}
		number = rec.Number
	}
}

// Hosts play frames at random, hosted and by Run, in order and out of it, and close the loop somewhere,
// beside tasks, callbacks, jobs and goroutines that do at random what they may: no two of what belongs to the
// frame goroutine at once, nothing lost, nothing twice, nothing afterwards. STAGE=seed plays one program again, as far
// as the clock lets it.
func TestStages(t *testing.T) {
	n := 150
	if testing.Short() || testkit.UnderRace || runtime.GOOS == "js" {
		n = 30
	}
	for range n {
		s := newStage(stageSeed(), nil)
		playAll(t, nil, s)
	}
}

// Two loops with one pool, whose tasks do to the other loop what strangers may.
func TestStagesOfOnePool(t *testing.T) {
	n := 50
	if testing.Short() || testkit.UnderRace || runtime.GOOS == "js" {
		n = 10
	}
	for range n {
		seed := stageSeed()
		pool := workers.New(workers.Options{Workers: int(seed%3) - 1, Background: int(seed / 3 % 2)})
		a, b := newStage(seed, pool), newStage(seed+1, pool)
		a.other, b.other = b, a
		playAll(t, pool, a, b)
	}
}

func stageSeed() uint64 {
	if given, err := strconv.ParseUint(os.Getenv("STAGE"), 10, 64); err == nil {
		return given
	}
	return rand.Uint64()
}

// playAll plays the stages, each on a goroutine of its own, and closes the pool that they have in common, if they do:
// until then each may act on the other.
func playAll(t *testing.T, pool *workers.Pool, stages ...*stage) {
	t.Helper()
	var played sync.WaitGroup
	for _, s := range stages {
		played.Go(func() {
			if s.locked {
				runtime.LockOSThread() // for good: the thread ends with it
			}
			s.play()
		})
	}
	played.Wait()
	if pool != nil {
		if err := pool.Close(bg); err != nil {
			t.Fatal(err)
		}
	}
	for _, s := range stages {
		s.reckon()
		if len(s.faults) > 0 {
			first := s.faults[:min(len(s.faults), 5)]
			t.Fatalf("seed %d, locked %t, wrapped %t, placement %v, rethrow %t, pace %t, %d faults: %s", s.seed,
				s.locked, s.game != nil, s.l.Placement(), s.o.Scheduler.Rethrow, s.o.Pace, len(s.faults),
				strings.Join(first, "\n"))
		}
	}
}
