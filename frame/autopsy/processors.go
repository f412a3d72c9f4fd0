package autopsy

import (
	"fmt"

	"golang.org/x/exp/trace"
)

// held tells why a runnable goroutine does not run.
func (p *replay) held(t *tally, d int64) (string, int32) {
	if p.halt {
		p.noteStoppers(t, d)
		return kindStopped, p.why
	}
	all := p.busy()
	if all == 0 {
		return kindSystem, p.texts.number(lateWake)
	}
	t.procs = all
	for i := range all {
		t.holders[p.holder(i)] += d
	}
	return kindRunnable, -1
}

// busy returns the number of Ps if all of them are held, and 0 if one is free, or its thread is to run a goroutine.
func (p *replay) busy() int {
	n := len(p.runs)
	if p.procs > 0 { // those above are gone
		n = min(p.procs, n)
	}
	for i, g := range p.runs[:n] {
		if p.idle[i] || g < 0 && !p.alone[i] {
			return 0
		}
	}
	return n
}

// holder returns what holds P i: see busy.
func (p *replay) holder(i int) int32 {
	if g := p.runs[i]; g >= 0 {
		return p.who(g, p.place(g))
	}
	return p.texts.number("timers")
}

// holders says who has the Ps, if all are held.
func (p *replay) holders() string {
	n, names := p.busy(), map[string]int64{}
	for i := range n {
		names[shown(p.texts.all[p.holder(i)])]++
	}
	if n == 0 {
		return ""
	}
	return having(names, n)
}

// noteStoppers notes who still runs, of the program, while the world is to stop.
func (p *replay) noteStoppers(t *tally, d int64) {
	for i, g := range p.runs {
		if g >= 0 && g != p.stops && !p.gs[g].gc && p.gs[g].name != runtimes && !p.idle[i] &&
			p.live[g].state == trace.GoRunning && g != p.g {
			t.stoppers[p.who(g, p.place(g))] += d
		}
	}
}

// having says who had n processors.
func having(weights map[string]int64, n int) string {
	who, _ := joined(weights)
	switch n {
	case 1:
		return who + " had the only one"
	case 2:
		return who + " had both"
	default:
		return fmt.Sprintf("%s had all %d", who, n)
	}
}
