package workers

import (
	"runtime"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/deadline"
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
		"urgent":    {normal, func(*Pool) {}, false},
		"below cap": {low, func(p *Pool) { p.crews[ordinary].capped.Store(0) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := lone()
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

// A wake-up that was sent to a worker that was awake does not count when that sleeps and gets up for its token.
func TestAStaleWakeUpIsNotLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := new(book)
		b.summoned()
		time.Sleep(time.Second)
		b.liesDown()
		b.woke()
		var s Insight
		var one WorkerInsight
		if b.addTo(&s, &one); s.Wake.Count() != 0 || s.Late != 0 {
			t.Errorf("%d wake-ups, %d late", s.Wake.Count(), s.Late)
		}
		b.summoned()
		time.Sleep(time.Second)
		b.summoned() // the second for the same sleep
		b.woke()
		if b.addTo(&s, &one); s.Wake.Count() != 1 || s.Late != 1 || s.Wake.Max() != time.Second {
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
	if n := c.sleep.Places(); n != 0 || p.granted() != 1 {
		t.Errorf("%d places, %d processors granted", n, p.granted())
	}
	p.site.files = quota("max 100000\n")
	p.adapt()
	without := c.sleep.Places()
	p.site.files = quota("300000 100000\n")
	p.adapt()
	if n := c.sleep.Places(); n != 0 || without != max(min(p.procs.others(), runtime.NumCPU())-1, 0) {
		t.Errorf("%d places without a quota, %d when it has come", without, n)
	}
}
