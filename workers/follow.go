package workers

import (
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/atomic"
	"github.com/frameslice/frameslice/internal/procs"
)

// A follower has the number of ordinary workers follow GOMAXPROCS and the quota.
type follower struct {
	atomic.Mutex // E1; the frame goroutine never takes it
	machine      *machine
	quiet        *quiet
	class        *class // the ordinary workers
	next         atomic.Int64
	seen         atomic.Int32 // procs.Others at the last look
	later        bool         // adapt is going to be called, by lookLater

	// Set by init.
	survey func()     // reads the quota, and sets how many workers may stay awake
	wanted func() int // how many workers there are to be
	after  func(d time.Duration, f func())
}

func (f *follower) init(m *machine, q *quiet, c *class) {
	f.machine, f.quiet, f.class = m, q, c
	f.survey = func() {
		m.readQuota()
		c.sleep.SetPlaces(m.mayStayAwake())
	}
	f.wanted = m.workersWanted
	f.after = func(d time.Duration, f func()) { time.AfterFunc(d, f) }
	f.seen.Store(int32(procs.Settled()))
	f.next.Store(int64(deadline.Now()))
}

// followProcs has the number of workers adapted to GOMAXPROCS, at most once a second. The frame goroutine and workers
// call it. A goroutine of its own does the work, because the work reads files and starts threads.
func (f *follower) followProcs(now deadline.Instant) {
	if !threads {
		return
	}
	next := f.next.Load()
	if int64(now) < next || !f.next.CompareAndSwap(next, int64(now.Add(time.Second))) {
		return
	}
	n := int32(procs.Others())
	changed := f.seen.Swap(n) != n
	if (f.machine.quota.Due(now) || changed) && f.quiet.state.Load() == running {
		go f.adapt() // also where the number of workers is fixed: how many may stay awake is not
	}
}

// followFromNone follows GOMAXPROCS where no ordinary worker does. Goroutines that run jobs call it.
func (f *follower) followFromNone() {
	if f.machine.opt.Workers == 0 && f.class.want.Load() == 0 {
		f.followProcs(deadline.Now())
	}
}

// helpers returns how many workers there are for a loop.
func (c *class) helpers() int32 {
	n := c.want.Load()
	if n == 0 {
		c.pool.follow.followFromNone()
	}
	return n
}

// adapt sets the number of ordinary workers, and of workers that may stay awake.
func (f *follower) adapt() {
	f.survey()
	f.Lock()
	defer f.Unlock()
	if f.quiet.state.Load() == running {
		if base := f.wanted(); base != int(f.class.base.Load()) {
			f.class.resize(base)
		}
		f.lookLater()
	}
}

// resize sets the number of the class's workers, spares excepted. One goroutine at a time.
func (c *class) resize(base int) {
	c.base.Store(int32(base))
	c.staff(c.target())
	c.wakeAll() // some of them have to leave
}

// lookLater has adapt called again in a second, where the ordinary workers have gone (E4). If the program does
// nothing but submit jobs, nothing else calls adapt. The caller has the lock follow.
func (f *follower) lookLater() {
	if f.machine.opt.Workers != 0 || f.class.want.Load() > 0 || f.later {
		return
	}
	f.later = true
	f.after(time.Second, func() {
		f.Lock()
		f.later = false
		f.Unlock()
		if f.quiet.state.Load() == running {
			f.adapt()
		}
	})
}
