package frame

import "time"

// Stats are a loop's own figures; a frame's are in its Record.
type Stats struct {
	Frames   uint64
	Interval time.Duration // the frame interval in force: given, or the host's as measured
	Paced    bool          // the host (or Run) blocks until it is time; false is a host that runs free
	Reserve  time.Duration // what the slice leaves free at the end of the frame now
	Debt     time.Duration // overrun that coming slices will pay back
	Jumps    uint64        // of the clock: Options.JumpAfter
	JumpTime time.Duration // their sum
	Skipped  uint64        // ticks of Run or Options.Pace for which no frame began
	IdleGCs  uint64        // collections that Options.IdleGC has begun
	Thread   Thread        // what the system has granted Run of Options.Thread
}

// Stats returns the loop's figures. Frame goroutine; a few nanoseconds.
func (l *Loop) Stats() Stats {
	s := Stats{
		Frames: l.now.Number, Interval: l.interval(), Paced: l.running || l.period.paced, Reserve: l.hosted.value,
		Debt: l.debt, Jumps: l.jumps, JumpTime: l.jumpTime, Skipped: l.pacer.skipped,
		Thread: l.thread,
	}
	if l.idle != nil {
		s.IdleGCs = l.idle.begun.Load()
	}
	if l.shadow == nil && (l.running || l.pacing) {
		s.Reserve = l.own.value
	}
	if r := l.o.Budget.Reserve; r != 0 {
		s.Reserve = max(r, 0)
	}
	return s
}
