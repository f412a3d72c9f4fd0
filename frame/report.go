package frame

import (
	"time"

	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// Stats are a loop's own figures. A frame's figures are in its Record.
type Stats struct {
	Frames   uint64
	Interval time.Duration // in force: given or measured
	Paced    bool          // the host, or Run, waits for the next frame
	Reserve  time.Duration // what the slice leaves free at the end of the frame
	Short    string        // why the last slice was short, in words; or empty
	Jumps    uint64        // jumps of the clock: see Options.JumpAfter
	JumpTime time.Duration // their sum
	Skipped  uint64        // ticks of Run or Options.Pace without a frame
	IdleGCs  uint64        // collections that Options.GCBetweenFrames has begun
}

// Stats returns the loop's figures. Frame goroutine; a few nanoseconds.
func (l *Loop) Stats() Stats {
	s := Stats{
		Frames: l.now.Number, Interval: l.tempo.interval(), Paced: l.tempo.running || l.tempo.period.Paced(),
		Reserve: l.budget.hosted.value,
		Short:   l.budget.short, Jumps: l.gaps.jumps, JumpTime: l.gaps.jumpTime, Skipped: l.tempo.pacer.skipped,
	}
	if l.idle != nil {
		s.IdleGCs = l.idle.begun.Load()
	}
	if l.shadow == nil && (l.tempo.waits()) {
		s.Reserve = l.budget.own.value
	}
	if r := l.o.Budget.Reserve; r != 0 {
		s.Reserve = max(r, 0)
	}
	return s
}

// Report returns all that the loop knows of its frames since New, or since its Recorder was Reset. name is the
// variant's name in tables. Options.Profile adds the costs of tasks and jobs.
//
// Frame goroutine, before Slice or between frames, or any goroutine after Close. It panics in a task. It takes about 25
// ms.
func (l *Loop) Report(name string) *record.Report {
	l.gate.refuseTask("Report", &l.home)
	state := l.gate.state()
	if !l.gate.enterCall("Report", 1<<gateBetween|1<<gateOpen, true) {
		l.ends.over() // afterwards the counts of unwound tasks are there
		return l.report(name)
	}
	defer l.leaveOrClose(state)
	if state == gateBetween { // otherwise Begin has taken it back
		l.takeBack() // a slice in the shadow changes the counts
	}
	return l.report(name)
}

// report reads fields that only the goroutine that drains may read.
func (l *Loop) report(name string) *record.Report {
	frames := l.rec.Snapshot()
	r := record.NewReport(name, frames, record.ReadEnvironment(l.tempo.pacer.waitsBy()))
	r.HostCause, r.HostLate = l.tasks.hostCause()
	r.Dropped = l.tasks.dropped()
	var insight workers.Profile
	insighted := l.pool.Profile(&insight)
	if l.tasks.readRuns(&insight) || insighted {
		r.AddWork(nil, &insight)
	}
	var times scheduler.Times
	if l.tasks.readTimes(&times) {
		r.AddWork(&times, nil)
	}
	return r
}
