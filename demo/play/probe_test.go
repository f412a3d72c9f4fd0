package play

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/demo/load"
	"github.com/frameslice/frameslice/demo/sim"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/internal/testkit"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// counted is a job that knows how often it was run and committed.
type counted struct{ runs, commits atomic.Int32 }

func (c *counted) Run()    { c.runs.Add(1) }
func (c *counted) Commit() { c.commits.Add(1) }

// funcs is a job that calls f.
type funcs func()

func (f funcs) Run()    { f() }
func (f funcs) Commit() {}

// held is an executor that does with its jobs what the test says.
type held struct {
	sim.Inline
	jobs []sim.Job
}

func (x *held) Submit(_ string, _ deadline.Priority, j sim.Job) { x.jobs = append(x.jobs, j) }
func (x *held) Begin()                                          {}
func (x *held) End()                                            {}
func (x *held) Pending() int                                    { return len(x.jobs) }
func (x *held) Close()                                          {}

func TestP1_JobsOutliveTheirExecutor(t *testing.T) {
	var p Probe
	first, second := &held{}, &held{}
	p.Adopt(first)
	var jobs [6]counted
	for i := range 5 {
		p.Submit(sim.KindPath, deadline.Low, &jobs[i])
	}
	first.jobs[0].Run()
	first.jobs[0].Commit()
	first.jobs[1].Run() // and its commit is lost with the executor
	p.Suspend()
	p.Submit(sim.KindPath, deadline.Low, &jobs[5]) // kept
	if got := len(first.jobs); got != 5 {
		t.Fatalf("DP2: the suspended executor was given a job, it has %d", got)
	}
	p.Adopt(second)
	if got := jobs[1].commits.Load(); got != 1 {
		t.Errorf("the job that was run: %d commits", got)
	}
	if got := len(second.jobs); got != 4 {
		t.Fatalf("the successor got %d jobs, want 4", got)
	}
	for _, j := range second.jobs {
		j.Run()
		j.Commit()
	}
	for i := range jobs {
		if r, c := jobs[i].runs.Load(), jobs[i].commits.Load(); r != 1 || c != 1 {
			t.Errorf("job %d: %d runs, %d commits", i, r, c)
		}
	}
	if len(p.kept) != 0 || p.Waiting() != 0 {
		t.Errorf("%d jobs kept, %d waiting", len(p.kept), p.Waiting())
	}
}

// An executor may run and commit a job inside Submit; the idle mode does.
func TestP1_AdoptionByAnExecutorThatCommitsAtOnce(t *testing.T) {
	var p Probe
	p.Adopt(&held{})
	var jobs [9]counted
	for i := range jobs {
		p.Submit(sim.KindPath, deadline.Low, &jobs[i])
	}
	p.Suspend()
	x := load.Open(load.Idle, load.Config{})
	defer x.Close()
	p.Adopt(x)
	for i := range jobs {
		if c := jobs[i].commits.Load(); c != 1 {
			t.Errorf("job %d: %d commits", i, c)
		}
	}
}

func TestHoldRunsNothingUntilItIsFull(t *testing.T) {
	var p Probe
	p.Adopt(&Hold{})
	jobs := make([]counted, holdLimit+1)
	for i := range jobs[:holdLimit] {
		p.Submit(sim.KindPath, deadline.Low, &jobs[i])
	}
	for i := range jobs {
		if jobs[i].runs.Load() != 0 {
			t.Fatalf("job %d was run", i)
		}
	}
	p.Submit(sim.KindPath, deadline.Low, &jobs[holdLimit])
	if jobs[0].commits.Load() != 1 || jobs[1].runs.Load() != 0 {
		t.Error("one beyond the limit: the oldest, and it alone, should have been run and committed")
	}
	if got := p.Executor().Pending(); got != holdLimit {
		t.Errorf("%d pending", got)
	}
	p.Suspend()
	x := &held{}
	p.Adopt(x)
	if got := len(x.jobs); got != holdLimit {
		t.Errorf("the next mode got %d jobs", got)
	}
}

// Every mode, exchanged under a stream of jobs: none is lost, none is committed twice, no goroutine is left.
func TestP1_ExchangeOfRealModes(t *testing.T) {
	var p Probe
	var jobs []*counted
	modes := []load.Mode{
		load.Goroutines, load.Workers, load.Inline, load.Errgroup, load.Frameslice, load.Goroutines,
	}
	for _, m := range modes {
		x, loop := open(m)
		p.Adopt(x)
		for range 20 {
			loop.Begin()
			x.Begin()
			for range 10 {
				c := &counted{}
				jobs = append(jobs, c)
				p.Submit(load.KindOffered, deadline.Normal, c)
			}
			x.End()
			loop.Slice()
			loop.End()
		}
		p.Suspend()
		x.Close()
		if err := loop.Close(); err != nil && m != load.Frameslice {
			t.Errorf("%s: %v", m, err)
		}
	}
	x := load.Open(load.Idle, load.Config{})
	p.Adopt(x)
	x.Close()
	for i, c := range jobs {
		if r, n := c.runs.Load(), c.commits.Load(); r != 1 || n != 1 {
			t.Fatalf("job %d of %d: %d runs, %d commits", i, len(jobs), r, n)
		}
	}
}

// open opens a mode as the window program does: the frameslice mode on the loop around the game.
func open(m load.Mode) (load.Executor, *frame.Loop) {
	if m != load.Frameslice {
		return load.Open(m, load.Config{}), frame.New(frame.Options{Workers: workers.Options{Workers: -1}})
	}
	l := frame.New(frame.Options{Workers: workers.Options{Workers: 1}, CloseTimeout: -1})
	return load.NewOnLoop(l), l
}

// A window that ends leaves no job behind: not what waits, which is dropped, and not what runs.
func TestOnLoopCloseWaitsForTheJobThatRuns(t *testing.T) {
	x, _ := open(load.Frameslice)
	begun, end := make(chan struct{}), make(chan struct{})
	var ended, dropped atomic.Bool
	x.Submit("", deadline.Immediate, funcs(func() { close(begun); <-end; ended.Store(true) }))
	<-begun
	x.Submit("", deadline.Low, funcs(func() { dropped.Store(true) }))
	go func() {
		time.Sleep(20 * time.Millisecond) // most probably, Close waits by then
		close(end)
	}()
	x.Close()
	if !ended.Load() {
		t.Error("Close returned while the job ran")
	}
	if dropped.Load() {
		t.Error("Close ran what had not begun")
	}
}

func TestProbeCountsByPriorityAndLane(t *testing.T) {
	var p Probe
	x := &held{}
	p.Adopt(x)
	release := make(chan struct{})
	busy := funcs(func() { <-release })
	p.Submit(sim.KindText, deadline.UserBlocking, busy)
	p.Submit(sim.KindText, deadline.Idle, busy)
	p.Submit(sim.KindText, deadline.Idle, busy)
	if got := p.Waiting(); got != 3 {
		t.Errorf("waiting: got %d", got)
	}
	done := make(chan struct{})
	for _, j := range x.jobs[:2] {
		go func() { j.Run(); done <- struct{}{} }()
	}
	for p.Running() < 2 {
		time.Sleep(time.Millisecond)
	}
	if got := p.Waiting(); got != 1 {
		t.Errorf("waiting, one being started: got %d", got)
	}
	close(release)
	<-done
	<-done
	if p.Running() != 0 {
		t.Errorf("%d run", p.Running())
	}
}

func TestSubmitAllocatesNothing(t *testing.T) {
	var p Probe
	x := &held{jobs: make([]sim.Job, 0, 8)}
	p.Adopt(x)
	c := &counted{}
	testkit.NoAllocs(t, func() {
		p.Submit(sim.KindPath, deadline.Low, c)
		j := x.jobs[0]
		x.jobs = x.jobs[:0]
		j.Run()
		j.Commit()
	})
}

func TestErrandsOnTheSpotWithoutAScheduler(t *testing.T) {
	pieces := 3
	e := NewErrands(func(int) int { pieces--; return max(pieces, 0) })
	if e.Frame(1); pieces != 0 {
		t.Errorf("%d pieces left", pieces)
	}
}

func TestErrandsAreATaskOfTheSlice(t *testing.T) {
	pieces := 3
	e := NewErrands(func(int) int { pieces--; return max(pieces, 0) })
	s := scheduler.New(scheduler.Options{})
	e.Direct(s)
	if e.Frame(1); pieces != 3 {
		t.Fatalf("done on the spot: %d pieces left", pieces)
	}
	s.BeginFrame(deadline.Now())
	s.RunUntil(deadline.Deadline{})
	if pieces != 0 || e.queued {
		t.Errorf("%d pieces left, queued %v", pieces, e.queued)
	}
	pieces = 2
	e.Frame(1) // the task is used again
	s.Close()  // and dropped with its scheduler
	next := scheduler.New(scheduler.Options{})
	e.Direct(next)
	e.Frame(1)
	next.BeginFrame(deadline.Now())
	next.RunUntil(deadline.Deadline{})
	next.Close()
	if pieces != 0 {
		t.Errorf("after the exchange: %d pieces left", pieces)
	}
}
