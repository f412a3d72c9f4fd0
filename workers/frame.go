package workers

import (
	"github.com/frameslice/frameslice/deadline"
)

// BeginFrame tells the pool that a frame begins. At most once a second it looks whether GOMAXPROCS has changed, as
// workers do after a job, and has the number of workers adapted; and until EndFrame workers that run out of work stay
// awake for up to 200 µs, one worker less than there are processors at most, as long as that pays: while the frame
// forks again within that time. It ends what ExpectFrame began. The frame goroutine; about 30 ns, and 1 µs more with
// OverflowWait.
func (p *Pool) BeginFrame() {
	p.classes[ordinary].sleep.SetBurst(true)
	p.standback.due.Store(0)
	p.nudge.due.Store(0)
	p.limit.seeFrame()
	now := deadline.Now()
	if p.allowance.grant.Load() != nil {
		p.allowance.framed.Store(int64(now))
	}
	p.followProcs(now)
}

// EndFrame tells the pool that the frame's own work is over: workers that run out of work sleep. The frame goroutine.
func (p *Pool) EndFrame() { p.classes[ordinary].sleep.SetBurst(false) }
