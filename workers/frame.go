package workers

import "github.com/frameslice/frameslice/deadline"

// BeginFrame tells the pool that a frame begins. Until EndFrame, workers that run out of work may stay awake for up to
// 200 µs. The frame goroutine; about 30 ns, and 1 µs more with Options.MaxWaiting.
func (p *Pool) BeginFrame() {
	// At most one worker less than there are processors stays awake, as long as that pays: while the frame forks again
	// within the 200 µs.
	p.classes[ordinary].sleep.SetBurst(true)
	p.hold.FrameBegins()
	p.seeFrame()
	now := deadline.Now()
	p.quota.Bucket.FrameBegins(now)
	p.followProcs(now)
}

// EndFrame tells the pool that the frame's own work is over. The frame goroutine.
func (p *Pool) EndFrame() { p.classes[ordinary].sleep.SetBurst(false) }
