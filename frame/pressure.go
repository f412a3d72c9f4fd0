package frame

import (
	"sync/atomic"
	"time"

	"github.com/frameslice/frameslice/frame/record"
)

// PressureOptions say when a Loop's Pressure rises and falls.
type PressureOptions struct {
	// Levels is the highest level. The default (zero) value is 4; negative means that there is no pressure.
	Levels int

	// High is the load from which on a frame counts as hot, Low the one up to which it counts as calm, both
	// between 0 and 1, and Low not above High. The defaults (zero values) are 0.9, and 0.5 or High if that is less.
	// Between the two nothing changes.
	High, Low float64

	// Depth is how many tasks and jobs that wait at the end of a slice are a full load, if the slice was used up to
	// its deadline, or nothing that waits fitted into the rest. The default (zero) value is 256.
	// It must not be negative.
	Depth int

	// Rise is how much time of hot frames, less that of calm ones, raises the level by one: 100 ms by default.
	// Fall is how much time of calm frames lowers it by one: 2 s by default, and each hot frame takes off from
	// that as much as 32 calm ones bring, so that with that Fall a level does not fall while more than one frame in
	// 33 is hot. Neither must be negative.
	Rise, Fall time.Duration
}

const (
	pressureLevels = 4
	pressureHigh   = 0.9
	pressureLow    = 0.5
	pressureDepth  = 256
	pressureRise   = 100 * time.Millisecond
	pressureFall   = 2 * time.Second
	// pressureSetback is how many calm frames a hot one undoes.
	pressureSetback = 32
)

func (o PressureOptions) withDefaults() PressureOptions {
	if o.Levels == 0 {
		o.Levels = pressureLevels
	}
	if o.High <= 0 {
		o.High = pressureHigh
	}
	if o.Low <= 0 {
		o.Low = min(pressureLow, o.High)
	}
	if o.Depth <= 0 {
		o.Depth = pressureDepth
	}
	if o.Rise <= 0 {
		o.Rise = pressureRise
	}
	if o.Fall <= 0 {
		o.Fall = pressureFall
	}
	return o
}

// Pressure returns a level from 0 (all is well) to PressureOptions.Levels, for a game that lowers its quality
// when it cannot keep up: fewer particles, coarser models, thoughts every other frame. It rises fast and falls
// slowly: see PressureOptions. A frame without a slice counts by its lateness, a Rest as calm. Any goroutine;
// about 1 ns.
func (l *Loop) Pressure() int { return int(l.pressure.level.Load()) }

// pressure is what a loop keeps of it. The baton's holder writes.
type pressure struct {
	o     PressureOptions
	state pressureState
	level atomic.Int32
}

// observe takes a frame's record into account. A jump of the clock says nothing about load.
func (p *pressure) observe(r *record.Record, target time.Duration) {
	if r.Interval <= 0 || r.Flags.Has(record.Jump) {
		return
	}
	before := p.state.level
	p.state = p.state.next(&p.o, load(r, target, p.o.Depth), r.Interval)
	if p.state.level != before {
		p.level.Store(int32(p.state.level))
	}
}

// rest takes into account that the host slept for d, as there was nothing to do.
func (p *pressure) rest(d time.Duration) {
	p.state = p.state.rest(&p.o, max(d, 0))
	p.level.Store(int32(p.state.level))
}

// load returns how loaded a frame was, from 0 to 1: 1 if its own work alone is longer than the interval, as with Run a
// frame that needs a fifth more is late by a fifth; else the greater of its lateness (half an interval late is 1), and
// of the slice, which counts as loaded only as far as it was used and work still waits. A full
// slice without a queue is what a slice is for, and a queue that fits into the next slices is none. A slice is
// used in full, too, if what it left was not enough for what waits: large tasks may leave a fifth of each.
func load(r *record.Record, target time.Duration, depth int) float64 {
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
	waits := float64(r.Ready+r.Queued) / float64(depth)
	return min(max(late, min(use, waits), 0), 1)
}

// rest returns the state after a sleep, which is calm whatever its length: several levels may fall in it.
func (s pressureState) rest(o *PressureOptions, d time.Duration) pressureState {
	s.hot = max(s.hot-d, 0)
	for s.calm += d; s.level > 0 && s.calm >= o.Fall; s.level-- {
		s.calm -= o.Fall
	}
	if s.level == 0 {
		s.calm = 0
	}
	return s
}

// pressureState is the state machine. It is a pure value.
type pressureState struct {
	level     int
	hot, calm time.Duration
}

// next returns the state after a frame of the load and length.
//
// A frame is worth at most half of Rise, so that one long frame does not raise the level alone.
func (s pressureState) next(o *PressureOptions, load float64, length time.Duration) pressureState {
	length = min(length, o.Rise/2+o.Rise%2)
	switch {
	case load >= o.High:
		s.hot += length
		s.calm = max(s.calm-pressureSetback*length, 0)
	case load <= o.Low:
		s.calm += length
		s.hot = max(s.hot-length, 0)
	}
	switch {
	case s.level >= o.Levels:
		s.hot = 0
	case s.hot >= o.Rise:
		return pressureState{level: s.level + 1}
	}
	switch {
	case s.level == 0:
		s.calm = 0
	case s.calm >= o.Fall:
		return pressureState{level: s.level - 1}
	}
	return s
}
