package play_test

import (
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/demo/play"
	"github.com/frameslice/frameslice/demo/sim"
	"github.com/frameslice/frameslice/internal/testkit"
)

// dropping is an executor that unwinds what it runs as a pool does that closes while a job is between two turns.
type dropping struct{ sim.Inline }

func (dropping) Begin()       {}
func (dropping) End()         {}
func (dropping) Close()       {}
func (dropping) Pending() int { return 0 }

func (dropping) Submit(_ string, _ deadline.Priority, j sim.Job) {
	testkit.Recovered(func() { j.(sim.Patient).RunPatiently(func() { panic("dropped") }) })
}

// patient is a job with one pause.
type patient struct{ runs, commits int }

func (j *patient) Run() { j.RunPatiently(func() {}) }
func (j *patient) RunPatiently(pause func()) {
	pause()
	j.runs++
}
func (j *patient) Commit() { j.commits++ }

// A job that was dropped in its middle waits again: the next executor runs it.
func TestProbeHandsOnWhatWasDroppedInItsMiddle(t *testing.T) {
	var p play.Probe
	p.Adopt(dropping{})
	j := &patient{}
	p.Submit(sim.KindPath, deadline.Normal, j)
	if n, m := p.Running(), p.Waiting(); n != 0 || m != 1 {
		t.Errorf("%d run and %d wait, want 0 and 1", n, m)
	}
	p.Suspend()
	p.Backlog()()
	if j.runs != 1 {
		t.Errorf("the backlog has run it %d times", j.runs)
	}
	p.Adopt(dropping{}) // commits it
	if n := p.Waiting(); j.runs != 1 || j.commits != 1 || n != 0 {
		t.Errorf("run %d times, committed %d, %d wait", j.runs, j.commits, n)
	}
}
