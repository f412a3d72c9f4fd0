package frame_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/internal/osthread"
)

// Of each part of a frame the record says what the system took. A part that computes may only have been taken in excess
// of its processor time, and one that waits may have been taken whole, but was not for sure.
func TestTheRecordHasWhatTheSystemTook(t *testing.T) {
	whatTheSystemTook(t, frame.PlaceAuto)
	whatTheSystemTook(t, frame.PlaceFirst)
}

func whatTheSystemTook(t *testing.T, place frame.Placement) {
	var m osthread.Meter
	if _, _, err := m.CPU(); err != nil {
		t.Skip("this system does not tell: ", err)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	l := frame.New(frame.Options{Placement: place, Recorder: record.Options{WarmUp: -1}, JumpAfter: -1})
	defer l.Close()
	const wait = 5 * time.Millisecond
	first := place == frame.PlaceFirst
	if first {
		frameOf(l) // which has no slice
	}
	var worked time.Duration
	for n := range 4 {
		l.Begin()
		if first {
			time.Sleep(wait / 5) // own work before the slice
			l.Slice()
		}
		_, from, _ := m.CPU()
		for cpu := from; cpu-from < wait && n < 2; _, cpu, _ = m.CPU() {
			worked = cpu - from
		}
		if n >= 2 {
			time.Sleep(wait)
		}
		if !first {
			l.Slice()
		}
		l.End()
	}
	all := l.Recorder().Recent(make([]record.Record, 4))
	for i := range all {
		r := &all[i]
		own, wait := r.SliceBegin.Sub(r.Start), wait
		if first {
			own, wait = r.Own(), wait*6/5
		}
		work, system, either := r.System.Own.Split(own)
		switch {
		case !r.System.Own.Known || !r.System.Slice.Known || r.System.Before.Known != (first || i > 0):
			t.Errorf("frame %d: %+v is not known", i+1, r.System)
		case work+system+either != own || system < 0 || either < 0:
			t.Errorf("frame %d: %v, %v and %v of %v", i+1, work, system, either, own)
		case i < 2 && work < worked-time.Millisecond/2:
			t.Errorf("frame %d worked for %v, and %v is told: %+v", i+1, worked, work, r.System)
		case i >= 2 && (r.System.Own.AtMost < wait-time.Millisecond/2 || work > own-wait+time.Millisecond/2):
			t.Errorf("frame %d waited for %v, which is told to be work: %+v of %v", i+1, wait, r.System, own)
		}
		if r.Counts.System > r.Counts.SystemAtMost {
			t.Errorf("frame %d: %v of at most %v", i+1, r.Counts.System, r.Counts.SystemAtMost)
		}
	}
}

// With PlaceFirst the own work has two parts. If the system reports neither, the own work is not known.
func TestOwnWorkIsKnownIfBothPartsAre(t *testing.T) {
	var m osthread.Meter
	if _, _, err := m.CPU(); err != nil {
		t.Skip("this system does not tell: ", err)
	}
	l := frame.New(frame.Options{Placement: frame.PlaceFirst, Recorder: record.Options{WarmUp: -1}})
	defer l.Close()
	for n := range 3 {
		l.Begin()
		for part := range 2 {
			if n == part+1 {
				l.LoseTrack()
			}
			time.Sleep(time.Millisecond)
			if part == 0 {
				l.Slice()
			}
		}
		l.End()
		if known := lastRecord(t, l).System.Own.Known; known != (n == 0) {
			t.Errorf("frame %d: own work known: %v", n+1, known)
		}
	}
}

// A slice beside the host has a thread of its own.
func TestTheSystemsPartOfASliceInTheShadow(t *testing.T) {
	var m osthread.Meter
	if _, _, err := m.CPU(); err != nil {
		t.Skip("this system does not tell: ", err)
	}
	l := frame.New(frame.Options{Placement: frame.PlaceShadow, Recorder: record.Options{WarmUp: -1}})
	for range 5 {
		l.Begin()
		l.Slice()
		l.End()
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	all := l.Recorder().Recent(make([]record.Record, 5))
	if n := len(all); n == 0 || !all[n-1].System.Slice.Known || !all[n-1].System.Own.Known {
		t.Errorf("of %d frames: %+v", n, all)
	}
}

// Where other programs keep the frame's thread off the processors, the slice leaves all jobs to the workers until that
// is over.
func TestContentionBeginsAndEnds(t *testing.T) {
	const interval = 10 * time.Millisecond
	at := deadline.Instant(time.Hour)
	play := func(seconds int, before, own, slice time.Duration) (all []record.Record) {
		for range seconds * 100 {
			at = at.Add(interval)
			r := record.Record{Start: at, SliceEnd: at.Add(interval / 2)}
			r.System.Before.Time, r.System.Own.Time, r.System.Slice.Time = before, own, slice
			all = append(all, r)
		}
		return all
	}
	const us = time.Microsecond
	for _, test := range []struct {
		name   string
		frames []record.Record
		want   bool
	}{
		{"nothing is taken", play(2, 0, 0, 0), false},
		{"a quiet machine", play(2, 300*us, 200*us, 300*us), false},
		{"a crowd", play(2, 500*us, 500*us, 500*us), true},
		{"only the own work is delayed", play(2, 0, 1100*us, 0), true},
		{"a crowd, then less of it", append(play(2, 0, 0, 1500*us), play(2, 0, 0, 700*us)...), true},
		{"a crowd, then none", append(play(2, 0, 0, 1500*us), play(2, 0, 0, 400*us)...), false},
		{"less than half a second", play(2, 1500*us, 0, 0)[:40], false},
	} {
		on := frame.ContendsWith(test.frames)
		if got := on[len(on)-1]; got != test.want {
			t.Errorf("%s: %v", test.name, got)
		}
	}
}
