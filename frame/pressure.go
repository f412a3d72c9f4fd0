package frame

import (
	"sync/atomic"
	"time"

	"github.com/frameslice/frameslice/frame/record"
)

// pressure is the level of a loop. The baton's holder writes.
type pressure struct {
	state pressureState
	level atomic.Int32
}

// observe takes a frame's record into account. A jump of the clock says nothing about load.
func (p *pressure) observe(r *record.Record, target time.Duration) {
	if r.Interval <= 0 || r.Flags&record.Jump != 0 {
		return
	}
	before := p.state.level
	p.state = p.state.next(load(r, target), r.Interval)
	if p.state.level != before {
		p.level.Store(int32(p.state.level))
	}
}

// rest takes into account that the host slept for d, as there was nothing to do.
func (p *pressure) rest(d time.Duration) {
	p.state = p.state.rest(max(d, 0))
	p.level.Store(int32(p.state.level))
}

// load returns how loaded a frame was, from 0 to 1. It is 1 if the frame's own work alone is longer than the interval.
// Otherwise it is the greater of two: the lateness, of which half an interval is 1, and the slice. The slice counts
// only as far as it was used and work still waits. A full slice without a queue is what a slice is for, and a queue
// that fits into the next slices is no load. A slice whose rest was too short for the tasks that wait counts as used in
// full.
func load(r *record.Record, target time.Duration) float64 {
	late := 0.0
	if target > 0 {
		if r.Busy()-r.Used() > target {
			return 1
		}
		late = float64(r.Interval-target) / float64(target/2)
	}
	use := 0.0
	if b := r.Budget(); b > 0 {
		use = float64(r.Used()) / float64(b)
	}
	if r.Deferred > 0 {
		use = 1
	}
	waits := float64(r.Ready+r.Queued) / pressureDepth
	return min(max(late, min(use, waits), 0), 1)
}

// pressureState is the state machine. It is a pure value.
type pressureState struct {
	level     int
	hot, calm time.Duration
}

// next returns the state after a frame of the load and length. A frame counts for at most half of pressureRise, so that
// one long frame does not raise the level alone.
func (s pressureState) next(load float64, length time.Duration) pressureState {
	length = min(length, pressureRise/2)
	switch {
	case load >= pressureHigh:
		s.hot += length
		s.calm = max(s.calm-pressureSetback*length, 0)
	case load <= pressureLow:
		s.calm += length
		s.hot = max(s.hot-length, 0)
	}
	switch {
	case s.level >= pressureLevels:
		s.hot = 0
	case s.hot >= pressureRise:
		return pressureState{level: s.level + 1}
	}
	switch {
	case s.level == 0:
		s.calm = 0
	case s.calm >= pressureFall:
		return pressureState{level: s.level - 1}
	}
	return s
}

// rest returns the state after a sleep, which is calm whatever its length: several levels may fall in it.
func (s pressureState) rest(d time.Duration) pressureState {
	s.hot = max(s.hot-d, 0)
	for s.calm += d; s.level > 0 && s.calm >= pressureFall; s.level-- {
		s.calm -= pressureFall
	}
	if s.level == 0 {
		s.calm = 0
	}
	return s
}
