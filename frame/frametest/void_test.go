package frametest

import (
	"slices"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/testkit"
)

const tick = 16 * time.Millisecond

func TestWhichFramesAreVoid(t *testing.T) {
	msec := func(n float64) time.Duration { return time.Duration(n * float64(time.Millisecond)) }
	for _, c := range []struct {
		name           string
		delay, process time.Duration
		throttled      time.Duration
		want           cause
	}{
		{"an even frame", 0, msec(5), 0, byNobody},
		{"a wake-up", msec(0.1), msec(5), 0, byNobody},
		{"another program", msec(1), msec(5), 0, byWaiting},
		{"own threads on both processors", msec(3), msec(31), 0, byNobody},
		{"own threads and another program", msec(3), msec(28), 0, byWaiting},
		{"quota", 0, msec(5), msec(1), byQuota},
	} {
		s := sample{Interval: tick}
		s.note(reading{}, reading{at: deadline.Instant(tick), delay: c.delay, process: c.process,
			throttled: c.throttled}, tick, 2)
		if s.By != c.want || s.Kept != c.delay {
			t.Errorf("%s: %+v, want %d", c.name, s, c.want)
		}
	}
}

func TestAReadingAllocatesNothing(t *testing.T) {
	var w witness
	w.open()
	defer w.close()
	testkit.NoAllocs(t, func() { w.read(); w.delay() })
}

func TestPauseOfTheProcess(t *testing.T) {
	at := func(n int) deadline.Instant { return deadline.Instant(0).Add(time.Duration(n) * time.Millisecond) }
	for _, c := range []struct {
		gap, cpu int
		want     bool
	}{{2, 0, false}, {4, 0, false}, {5, 0, true}, {5, 3, false}, {32, 0, true}, {32, 14, true}, {32, 32, false}} {
		if p, ok := pauseBetween(at(100), at(100+c.gap), time.Duration(c.cpu)*time.Millisecond); ok != c.want {
			t.Errorf("%+v: %v %v", c, p, ok)
		}
	}
	frames := slices.Repeat([]sample{{Interval: tick}}, 6)
	frames[3].Interval = 3 * tick
	frames[4].By = byWaiting
	notePauses(frames, at(0), []pause{{at(1), at(1)}, {at(30), at(33)}, {at(50), at(90)}}, tick)
	want := []struct {
		void cause
		kept time.Duration
	}{{byNobody, 0}, {byStop, 2}, {byStop, 1}, {byStop, 40}, {byWaiting, 0}, {byNobody, 0}}
	for i, w := range want {
		if s := frames[i]; s.By != w.void || s.Kept != w.kept*time.Millisecond {
			t.Errorf("frame %d: %+v, want %+v", i, s, w)
		}
	}
}

func TestFiguresOfATurn(t *testing.T) {
	turn := &turn{Target: tick, CPU: 600 * time.Millisecond, Mallocs: 300, Kinds: map[string][]time.Duration{
		"a": slices.Repeat([]time.Duration{time.Millisecond}, 5), "rare": {time.Second},
	}}
	add := func(n int, s sample) { turn.Frames = append(turn.Frames, slices.Repeat([]sample{s}, n)...) }
	add(90, sample{Interval: tick, Own: 2 * time.Millisecond})
	add(4, sample{Interval: 2 * tick, Own: 20 * time.Millisecond})
	// The system alone made the first three late. The others would be late anyway.
	add(3, sample{Interval: 3 * tick, Kept: 2 * tick, By: byWaiting, Own: time.Second})
	add(3, sample{Interval: 3 * tick, Kept: tick, By: byStop, Own: time.Second})
	v := measureTurn(turn, 20*time.Millisecond)
	if v.frames != 97 || v.void != [causes]int{97, 3, 0, 0} {
		t.Errorf("%d frames, void %v", v.frames, v.void)
	}
	for i, want := range [figures]float64{
		p99: 32, missed: 100 * 7 / 104.0, hitch: 1000 * 7 / 104.0, own: 2, cpu: 6, allocs: 3,
	} {
		if got := v.figure[i]; got < want-1e-9 || got > want+1e-9 {
			t.Errorf("%s: got %v, want %v", figureNames[i], got, want)
		}
	}
	if v.over != 700/97.0 {
		t.Errorf("%v %% over the limit", v.over)
	}
	if a := v.parts["a"]; len(v.parts) != 1 || a.cost != 1 || a.share < 0.0026 || a.share > 0.0028 {
		t.Errorf("parts %v", v.parts)
	}
	turn.Frames, turn.CPU = slices.Repeat([]sample{{Interval: 2 * tick, Kept: tick, By: byQuota}}, 100), -1
	v = measureTurn(turn, 0)
	for i, x := range v.figure {
		if (i == allocs) != (x == x) {
			t.Errorf("%s is %v in a turn that is void", figureNames[i], x)
		}
	}
	if v := measureTurn(&turnWithoutFrames, 0); v.frames != 0 || v.figure[own] == v.figure[own] {
		t.Errorf("%+v in a turn without frames", v)
	}
}

var turnWithoutFrames = turn{Target: tick}
