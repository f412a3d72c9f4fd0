package workers

import (
	"runtime"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/park"
)

// idleLoop opens a loop of ten pieces in the lane Idle.
func idleLoop(c *crew) *loop {
	l := c.openLoop()
	l.body, l.n, l.min, l.max, l.part = func(int, int) {}, 10, 1, 1, 1
	l.lane = deadline.Idle.Lane()
	l.next.Store(0)
	l.state.Store(0)
	c.later.Or(l.bit)
	c.open.Or(l.bit)
	return l
}

// A helper of a loop in a lane does not leave it for what it may not take: it would come back at once, and leave.
func TestAHelperStaysForWhatItMayNotTake(t *testing.T) {
	low, normal := deadline.Low.Lane(), deadline.Normal.Lane()
	for name, c := range map[string]struct {
		lane   int
		refuse func(p *Pool)
		stays  bool
	}{
		"cap":       {low, func(p *Pool) { p.crews[ordinary].capped.Store(1) }, true},
		"bar":       {normal, func(p *Pool) { p.reserve.at.Store(1); p.lanes[normal].barred.Store(true) }, true},
		"urgent":    {normal, func(*Pool) {}, false},
		"below cap": {low, func(p *Pool) { p.crews[ordinary].capped.Store(0) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := lingerer()
			p := w.pool
			crew := w.crew
			crew.base.Store(2)
			crew.want.Store(2)
			crew.lanes = []int{0, 1, 2, 3, 4}
			crew.fork = 2
			l := idleLoop(crew)
			c.refuse(p)
			if c.stays {
				p.lanes[c.lane].push(funcItem(func() {}), false)
				if !w.next() || w.joined != l {
					t.Fatal("the worker did not come to the loop")
				}
			} else {
				if !w.next() || w.joined != l {
					t.Fatal("the worker did not come to the loop")
				}
				p.lanes[c.lane].push(funcItem(func() {}), false)
			}
			l.help(w)
			if left := l.n - l.next.Load(); c.stays != (left == 0) || left == 10 {
				t.Errorf("%d pieces left when the helper came back", left)
			}
		})
	}
}

// The stale entry of a job that is now urgent does not bar its lane, nor hold it back.
func TestAStaleEntryBarsNoUrgentLane(t *testing.T) {
	w := lingerer()
	p := w.pool
	p.kinds.init()
	j := &Job{Label: "j", Priority: deadline.Immediate, Cost: time.Hour, Func: func(*Worker) {}}
	j.prepare(p)
	p.reserve.at.Store(int64(deadline.Now().Add(time.Minute)))
	if !w.mayStart(deadline.Normal.Lane(), jobItem(j)) || j.State() != Queued {
		t.Errorf("it may not start, and is %v", j.State())
	}
	if p.lanes[deadline.Immediate.Lane()].barred.Load() || p.lanes[deadline.Immediate.Lane()].size() != 0 {
		t.Error("the urgent lane is barred, or has the job again")
	}
	j.Priority = deadline.Low
	if w.mayStart(deadline.Normal.Lane(), jobItem(j)) || !p.lanes[deadline.Low.Lane()].barred.Load() {
		t.Error("a long Low job may start, or its lane is not barred")
	}
}

// Whoever yields before a fork begins nothing that a worker would not, and is not asked to.
func TestYieldKeepsToTheReserve(t *testing.T) {
	needsWorkers(t)
	synctest.Test(t, func(t *testing.T) {
		p := New(Options{Workers: 1})
		defer p.Close(t.Context())
		start := time.Now()
		var ran, short time.Duration
		idle := &Job{Priority: deadline.Idle, Func: func(w *Worker) {
			time.Sleep(time.Millisecond)
			w.Yield() // which finds out that it is too long
			if time.Sleep(time.Millisecond); w.ShouldYield() {
				t.Error("the job is to yield to what must not begin")
			}
			w.Yield()
			for range 4 {
				time.Sleep(time.Millisecond)
				w.Yield()
			}
		}}
		p.Submit(idle)
		synctest.Wait()
		p.ExpectFork(5500 * time.Microsecond)
		p.Submit(&Job{Label: "long", Cost: 10 * time.Millisecond, Func: func(*Worker) { ran = time.Since(start) }})
		p.Go(deadline.UserBlocking, func() { short = time.Since(start) })
		synctest.Wait()
		time.Sleep(20 * time.Millisecond)
		synctest.Wait()
		if ran != 6*time.Millisecond || short != time.Millisecond {
			t.Errorf("the long job began after %v, want 6 ms; the urgent one after %v, want 1 ms", ran, short)
		}
	})
}

// A wake-up that was sent to a worker that was awake does not count when that sleeps and gets up for its token.
func TestAStaleWakeUpIsNotLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		parker, _ := park.New(park.Chan, false)
		w := &Worker{parker: parker, book: new(book), pool: new(Pool)}
		w.summon()
		time.Sleep(time.Second)
		w.book.liesDown()
		w.parker.Wait()
		w.book.woke()
		var s Insight
		var one WorkerInsight
		if w.book.addTo(&s, &one); s.Wake.Count() != 0 || s.Late != 0 {
			t.Errorf("%d wake-ups, %d late", s.Wake.Count(), s.Late)
		}
		w.summon()
		time.Sleep(time.Second)
		w.summon() // the second for the same sleep
		w.book.woke()
		if w.book.addTo(&s, &one); s.Wake.Count() != 1 || s.Late != 1 || s.Wake.Max() != time.Second {
			t.Errorf("%d wake-ups, %d late, %v at most", s.Wake.Count(), s.Late, s.Wake.Max())
		}
	})
}

// However many workers the options ask for, under a quota none of them stays awake; also when it comes later.
func TestExplicitWorkersDoNotStayAwakeUnderAQuota(t *testing.T) {
	if !threads {
		t.Skip("no threads")
	}
	quota := func(max string) fstest.MapFS {
		return fstest.MapFS{
			"proc/self/cgroup":        {Data: []byte("0::/x\n")},
			"proc/self/mountinfo":     {Data: []byte("30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n")},
			"sys/fs/cgroup/x/cpu.max": {Data: []byte(max)},
		}
	}
	p := &Pool{opt: Options{Workers: 2}}
	c := &p.crews[ordinary]
	c.base.Store(2)
	p.site.files = quota("150000 100000\n")
	p.survey()
	p.setPlaces()
	if n := c.heat.places.Load(); n != 0 || p.granted() != 1 {
		t.Errorf("%d places, %d processors granted", n, p.granted())
	}
	p.site.files = quota("max 100000\n")
	p.adapt()
	without := c.heat.places.Load()
	p.site.files = quota("300000 100000\n")
	p.adapt()
	if n := c.heat.places.Load(); n != 0 || without != int32(max(min(p.procs.others(), runtime.NumCPU())-1, 0)) {
		t.Errorf("%d places without a quota, %d when it has come", without, n)
	}
}
