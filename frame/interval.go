package frame

import (
	"fmt"
	"time"
)

// SetInterval changes Options.Interval, as where a player chooses a frame rate, and with it the target by which frames
// are judged, unless Options.Recorder has one of its own. 0 means DefaultInterval again, and for a hosted loop that the
// host's period is measured anew; a Budget.Interval stays what it is. Within a frame it holds from that one on: with
// Run and Options.Pace the next frame begins d after it. Otherwise it holds from the next one on.
//
// Frame goroutine, in the frame's own work (as in the f of Run), between frames or between two Runs; it panics in a
// task, and for what New panics for. After Close it does nothing. Some 10 ns.
func (l *Loop) SetInterval(d time.Duration) {
	checkInterval("SetInterval to", d)
	phase := l.gate.phase()
	if !l.gate.enter("SetInterval", 1<<phaseBetween|1<<phaseOpen|1<<phaseSliced, true) {
		l.over()
		return
	}
	defer l.leave(phase)
	l.wanted, l.wants = d, true
	if phase != phaseBetween { // else the interval that is over is still to be judged by the old one
		l.setInterval()
	}
}

// setInterval does what SetInterval has asked for.
func (l *Loop) setInterval() {
	if !l.wants {
		return
	}
	d := l.wanted
	l.wants = false
	if !l.ownTarget {
		l.o.Recorder.Target, l.target = 0, d
	}
	if l.o.Interval = d; d == 0 {
		l.o.Interval = DefaultInterval
	}
	p := newPeriod(l.o.Interval)
	if d > 0 {
		p.trust()
	}
	p.paced, p.free = l.period.paced, l.period.free // whether anything holds the host up has not changed
	l.period = p
	if l.pacer.interval > 0 {
		l.pacer.interval = l.o.Interval
	}
}

// judgedBy returns what the record of a frame has for its target: 0 is the Recorder's.
func (l *Loop) judgedBy() time.Duration {
	if l.target == 0 && l.o.Recorder.Target <= 0 {
		return l.due()
	}
	return l.target
}

func checkInterval(who string, d time.Duration) {
	if d < 0 || d > 0 && d < leastInterval {
		panic(fmt.Sprintf("frame: %s %v, less than %v", who, d, leastInterval))
	}
}
