package frame

import (
	"context"
	"errors"
	"reflect"
	"slices"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// Run calls f once per frame on the calling goroutine, gives the tasks what f left of the interval, and waits for the
// next tick. With PlaceShadow the slice lies beside the waiting, and with PlaceFirst it comes before f.
//
// Run returns nil when ctx ends (nil is no context), when f returns ErrStop or the context's error, and when the loop
// is closed. Otherwise it returns f's error, or scheduler.ErrClosed on a closed loop. Run closes the loop only after
// Stop.
//
// Ticks lie on a grid of Options.Interval. A frame that is late by less than half an interval starts at once, a later
// one at the next tick. Stats.Skipped counts lost ticks. A long time between two Runs puts all timers off, unless Rest
// is called in between.
func (l *Loop) Run(ctx context.Context, f func() error) error {
	if f == nil {
		panic("frame: Run with a nil function")
	}
	if ctx == nil {
		ctx = context.Background()
	}
	l.gate.refuseTask("Run", &l.home)
	if !l.gate.startRun() {
		return scheduler.ErrClosed
	}
	l.tempo.running, l.tempo.pacing = true, false // Run waits, and not End
	defer l.ran()
	if l.inFrames.Enter() {
		defer l.inFrames.Leave()
	}
	l.home.settlePlace(true)
	l.takeBack()
	// The time since the frame before is no frame's, but may be a jump.
	between := deadline.Now().Sub(l.last.ended) - l.last.waited
	l.last.valid = l.last.valid && l.gaps.is(between, 0, l.tempo.interval())
	l.last.border = true
	l.tempo.adopt()
	l.tempo.pacer.start(deadline.Now(), l.tempo.interval())
	for done := ctx.Done(); ; {
		if ctx.Err() != nil || l.gate.isClosing() {
			return nil
		}
		if err := l.frame(f); err != nil {
			ends := []error{ErrStop}
			if ctx.Err() != nil {
				ends = append(ends, ctx.Err(), context.Cause(ctx))
			}
			if isCleanEnd(err, ends) {
				return nil
			}
			return err
		}
		if l.gate.isClosing() || !l.tempo.pacer.waitForTick(done) {
			return nil
		}
	}
}

// isCleanEnd reports whether err is one of ends, wraps such an error, or joins only such errors. A panic is a fault.
func isCleanEnd(err error, ends []error) bool {
	if _, ok := err.(*scheduler.PanicError); ok {
		return false
	}
	var inner []error
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		if wrapped := e.Unwrap(); wrapped != nil {
			inner = []error{wrapped}
		}
	case interface{ Unwrap() []error }:
		inner = e.Unwrap()
	}
	if len(inner) == 0 {
		return slices.ContainsFunc(ends, func(end error) bool { return errors.Is(err, end) })
	}
	if reflect.TypeOf(err).Comparable() && slices.Contains(ends, err) {
		return true
	}
	return !slices.ContainsFunc(inner, func(err error) bool { return !isCleanEnd(err, ends) })
}

// frame runs one frame of Run. Each part but f holds the gate's token, as f may call Step and Mark.
func (l *Loop) frame(f func() error) error {
	l.gate.enterCall("Begin", 1<<gateBetween, true)
	l.startFrame(deadline.Now())
	l.gate.leaveCall(gateOpen)
	first := l.o.slicesFirst()
	if first {
		l.runOwnSlice()
	}
	err := f()
	if l.now.HandedOver = deadline.Now(); err == nil && !first {
		l.runOwnSlice()
	}
	l.gate.enterCall("End", 1<<gateOpen|1<<gateSliced, true)
	if err == nil && first {
		l.endPhases()
	}
	l.endFrame()
	l.gate.leaveCall(gateBetween)
	return err
}

// runOwnSlice is Slice for Run.
func (l *Loop) runOwnSlice() {
	l.gate.enterCall("Slice", 1<<gateOpen, true)
	left := gateSliced
	defer func() { l.gate.leaveCall(left) }()
	left = l.prepareSlice()
	l.runSlice()
}

// ran lets go of the loop, and closes it if that was asked for meanwhile.
func (l *Loop) ran() {
	l.watch.end() // a panic may have come through
	l.region.End()
	l.takeBack()
	l.tempo.running, l.last.border = false, true
	if l.gate.stopRun() {
		l.close(false)
	}
}
