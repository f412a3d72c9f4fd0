package load

import (
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/autopsy"
	"github.com/frameslice/frameslice/frame/record"
)

// A frameLog records the frames of all modes in the same way, so that there is a record.Report of each. A nil one
// records nothing. It belongs to the frame goroutine.
type frameLog struct {
	rec    *record.Recorder // of the mode in progress, one of the next two
	theirs *record.Recorder
	ours   *record.Recorder // watches the pool of the mode's own loop
	box    *autopsy.Box     // nil: none
	traced bool             // the mode in progress is one whose late frames are to be traced
	number uint64
	now    record.Record
	prev   deadline.Instant // start of the frame before, 0 for none
	one    [1]record.Record
	woke   time.Duration // how late the wait for the frame to come ended
	waited time.Duration // and how long it was
}

// looped is an executor with a loop of ours.
type looped interface{ inner() *frame.Loop }

func newFrameLog(c Config) *frameLog {
	l := &frameLog{}
	o := record.Options{
		Target: c.Interval, Records: min(int(c.SliceLength()/c.Interval)+256, 1<<15), WarmUp: -1, OnLate: l.late,
	}
	l.theirs, l.ours = record.New(o), record.New(o)
	l.rec = l.theirs
	return l
}

// open prepares for a slice of mode m, which is the only one or not, on x.
func (l *frameLog) open(m Mode, x Executor, alone bool) {
	l.rec = l.theirs
	if m.is(ours) {
		l.rec = l.ours
	}
	if in, ok := x.(looped); ok {
		l.rec.Watch(in.inner().Pool())
	}
	l.traced = alone || m.is(ours)
	l.rec.Add(record.Record{Flags: record.WarmUp}) // has the collections up to now
	l.rec.Reset()
	l.prev = 0
}

// begin is called when the warm-up is over: what came before has no part in the first interval.
func (l *frameLog) begin() {
	if l != nil {
		l.prev = 0
	}
}

func (l *frameLog) frame(now deadline.Instant, warm bool) {
	if l == nil {
		return
	}
	l.number++
	l.now = record.Record{Number: l.number, Start: now, Woke: l.woke, Waited: l.waited}
	l.woke, l.waited = 0, 0
	if l.prev != 0 {
		l.now.Interval = now.Sub(l.prev)
	}
	switch {
	case warm:
		l.now.Flags |= record.WarmUp
	case l.now.Interval > LongestFrame:
		l.now.Flags |= record.Jump
	}
	l.prev = now
}

func (l *frameLog) own(from, to deadline.Instant) {
	if l != nil {
		l.now.Updates, l.now.UpdateBegin, l.now.UpdateEnd = 1, from, to
	}
}

// end completes the frame's record with what the mode's own loop knows of its slice, if it has one.
func (l *frameLog) end(now deadline.Instant, x Executor) {
	if l == nil {
		return
	}
	r := &l.now
	r.DrawEnd = now
	if in, ok := x.(looped); ok {
		for _, own := range in.inner().Recorder().Recent(l.one[:]) {
			r.SliceBegin, r.SliceDeadline, r.SliceEnd = own.SliceBegin, own.SliceDeadline, own.SliceEnd
			r.Counts = own.Counts
			r.Ready, r.Delayed, r.Queued = own.Ready, own.Delayed, own.Queued
			r.WorstLabel, r.WorstCost = own.WorstLabel, own.WorstCost
			r.Flags |= own.Flags & (record.Sliced | record.Shadowed)
		}
	}
	l.rec.Add(*r)
}

// last ends the last interval of a slice.
func (l *frameLog) last(now deadline.Instant) {
	if l != nil {
		l.frame(now, false)
		l.now.Updates = 1 // it only ends the one before, and is none without updates
		l.rec.Add(l.now)
	}
}

// late asks for a trace of a frame.
func (l *frameLog) late(r record.Record) {
	if l.box != nil && l.traced {
		l.box.Late(r)
	}
}
