package frame

import (
	"testing"
	"time"

	"github.com/frameslice/frameslice/frame/record"
)

func hertz(hz int) time.Duration { return time.Second / time.Duration(hz) }

// A window moves to another display, or its rate is lowered to save power: soon known, with a
// backlog and without.
func TestPeriodFollowsTheDisplaySoon(t *testing.T) {
	for _, backlog := range []bool{false, true} {
		for _, c := range [][2]int{
			{60, 40}, {60, 48}, {60, 200}, {60, 175}, {60, 24}, {57, 75}, {200, 60}, {144, 60}, {60, 144}, {240, 60},
			{120, 30}, {144, 120}, {120, 144}, {75, 60}, {165, 144}, {57, 43},
		} {
			d := &display{hz: c[0], own: milli / 2, flush: milli / 2, reserve: 2 * milli, rng: seeded()}
			d.backlog = backlog
			p := newPeriod(record.DefaultInterval)
			run(&p, d, 600)
			if !near(p.value, hertz(c[0]), 64) {
				t.Errorf("backlog %v: %d Hz is taken for %v", backlog, c[0], p.value)
			}
			d.hz = c[1]
			run(&p, d, 50)
			if !near(p.value, hertz(c[1]), 64) {
				t.Errorf("backlog %v, %d to %d Hz: after 50 frames %v", backlog, c[0], c[1], p.value)
			}
		}
	}
}

// A game that works for more than half of every frame has a period, too, and no slice is kept small for ever.
func TestPeriodOfABusyGame(t *testing.T) {
	for _, hz := range []int{30, 60, 144} {
		for _, percent := range []int{55, 70, 85} {
			p := newPeriod(record.DefaultInterval)
			d := &display{hz: hz, own: hertz(hz) * time.Duration(percent) / 100, reserve: hertz(hz) / 20, rng: seeded()}
			d.backlog = true
			run(&p, d, 300)
			small := 0
			for range 640 {
				if p.sliceCap() > 0 {
					small++
				}
				d.frame(&p)
			}
			if !near(p.value, hertz(hz), 500) || small > 20 {
				t.Errorf("%d Hz, %d %% busy: period %v, %d slices of 640 small", hz, percent, p.value, small)
			}
		}
	}
}

// Where the first task alone is longer than a small slice no probe succeeds: one frame in 64 is tried all the same.
func TestPeriodProbesInVainAreRare(t *testing.T) {
	p := newPeriod(record.DefaultInterval)
	small := 0
	for range 6400 {
		slice := 4 * milli
		if p.sliceCap() > 0 {
			small++
			slice = 3 * milli
		}
		p.observe(time.Second/60, 10*milli+slice, slice)
	}
	if small > periodLearning+110 {
		t.Errorf("%d of 6400 slices small", small)
	}
}

// Nor are misses a reason for more of them, one here and one there.
func TestPeriodProbesNoMoreForMisses(t *testing.T) {
	p := newPeriod(record.DefaultInterval)
	small := 0
	for i := range 6400 {
		interval, slice := hertz(60), 8*milli
		if i%6 == 0 {
			interval *= 2
		}
		if p.sliceCap() > 0 {
			small++
			slice, interval = periodSmall, hertz(60)
		}
		p.observe(interval, 3*milli+slice, slice)
	}
	if small > periodLearning+110 {
		t.Errorf("%d of 6400 slices small", small)
	}
}

// A host that is slower than any display is no reason for small slices.
func TestPeriodOfAVerySlowHost(t *testing.T) {
	p := newPeriod(record.DefaultInterval)
	for i := range 1000 {
		if i > periodLearning && p.sliceCap() > 0 {
			t.Fatalf("frame %d is small", i)
		}
		p.observe(100*milli, 10*milli, 8*milli)
	}
}

// What the frames' own work makes of the period is for the slice to know, and not what they are judged by.
func TestPeriodShownIsNotTheGamesOwn(t *testing.T) {
	p := newPeriod(record.DefaultInterval)
	d := &display{hz: 60, own: 20 * milli, flush: milli, reserve: 2 * milli, backlog: true, rng: seeded()}
	run(&p, d, 300)
	if !near(p.value, hertz(30), 500) || !near(p.shown, hertz(60), 500) {
		t.Errorf("20 ms of work at 60 Hz: period %v, shown %v", p.value, p.shown)
	}
	d.own = 3 * milli // the scene has become lighter
	run(&p, d, 120)
	if !near(p.value, hertz(60), 500) || !near(p.shown, hertz(60), 500) {
		t.Errorf("3 ms of work at 60 Hz: period %v, shown %v", p.value, p.shown)
	}
	d.hz, d.backlog = 30, false
	run(&p, d, 20)
	if !near(p.value, hertz(30), 200) || !near(p.shown, hertz(30), 200) {
		t.Errorf("after 20 frames on a display of 30 Hz: period %v, shown %v", p.value, p.shown)
	}
	d.hz, d.own, d.backlog = 144, 5*milli, true
	run(&p, d, 120)
	if !near(p.value, hertz(144), 500) || !near(p.shown, hertz(144), 500) {
		t.Errorf("5 ms of work at 144 Hz: period %v, shown %v", p.value, p.shown)
	}
}

// A display of more than 240 Hz and a free host that is as fast differ in how their frames scatter, and in what work
// does to them.
func TestPeriodOfAVeryFastDisplay(t *testing.T) {
	for _, hz := range []int{0, 280, 360, 500, 1000} {
		refresh := 2 * milli
		if hz > 0 {
			refresh = hertz(hz)
		}
		d := &display{hz: hz, own: refresh / 5, flush: refresh / 10, reserve: refresh / 4, rng: seeded()}
		if hz == 0 {
			d.flush, d.reserve = refresh, 4*milli
		}
		p := newPeriod(record.DefaultInterval)
		run(&p, d, 600)
		want := record.DefaultInterval
		if hz > 0 {
			want = refresh
		}
		if p.paced != (hz > 0) || !near(p.value, want, 500) {
			t.Errorf("%d Hz without a task: period %v, paced %v", hz, p.value, p.paced)
		}
		d.backlog = true
		run(&p, d, 120)
		if p.paced != (hz > 0) || !near(p.value, want, 500) {
			t.Errorf("%d Hz: period %v, paced %v; want %v", hz, p.value, p.paced, want)
		}
		if d.hz > 0 {
			d.hz = 60
			run(&p, d, 120)
			if !p.paced || !near(p.value, hertz(60), 500) {
				t.Errorf("%d Hz, then 60: period %v, paced %v", hz, p.value, p.paced)
			}
		}
	}
}

// A free host whose own work varies is known for one without a task, and so is a display.
func TestPeriodOfAVaryingGame(t *testing.T) {
	for _, hz := range []int{0, 360} {
		p, rng := newPeriod(record.DefaultInterval), seeded()
		for range 200 {
			busy := milli/2 + time.Duration(rng.Int64N(int64(milli)))
			interval := busy + milli/2
			if hz > 0 {
				interval = hertz(hz)
			}
			p.observe(interval+time.Duration(rng.Int64N(int64(milli/20))), busy, 0)
		}
		if p.paced != (hz > 0) {
			t.Errorf("%d Hz: paced %v", hz, p.paced)
		}
	}
}
