package refresh

import (
	"math/rand/v2"
	"testing"
	"time"
)

const (
	milli = time.Millisecond
	at60  = time.Second / 60
)

// display is a host paced by a refresh rate (0: by nothing) with work of its own and a backlog that fills
// any slice.
type display struct {
	hz      int
	own     time.Duration
	flush   time.Duration
	reserve time.Duration
	backlog bool
	rng     *rand.Rand
	late    time.Duration // by which the newest frame began after its refresh
}

func (d *display) frame(p *Period) {
	slice := time.Duration(0)
	if d.backlog {
		slice = max(p.value-d.own-d.reserve, milli/2)
		if most := p.SliceCap(); most > 0 {
			slice = min(slice, most)
		}
	}
	busy := d.own + slice
	interval, scatter := busy+d.flush, 50*time.Microsecond
	if d.hz > 0 {
		refresh := time.Second / time.Duration(d.hz)
		interval = (interval + refresh - 1) / refresh * refresh
		scatter = min(scatter, refresh/50) // of one in twenty every other seed takes 1000 Hz for something else
	}
	late := time.Duration(d.rng.NormFloat64() * float64(scatter))
	interval += late
	if d.hz > 0 { // the refreshes do not scatter, only what the frames make of them
		interval -= d.late
		d.late = late
	}
	p.Observe(interval, busy, slice)
}

// rates are those that displays and browsers have.
var rates = [...]int{
	24, 25, 30, 40, 48, 50, 60, 72, 75, 85, 90, 100, 120, 144, 160, 165, 170, 175, 180, 200, 240,
	280, 300, 360, 480, 500, 540, 1000,
}

func seeded() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

func run(p *Period, d *display, frames int) {
	for range frames {
		d.frame(p)
	}
}

// An interval that was given holds from the first frame on, with a probe in 64 frames, and not against what a display
// shows.
func TestThatWasGiven(t *testing.T) {
	for _, hz := range rates {
		own, want := time.Second/time.Duration(hz)/5, time.Second/time.Duration(hz)
		for _, backlog := range []bool{false, true} {
			if hz > 240 && !backlog {
				continue // nothing tells it from a free host: see unpaced
			}
			d := &display{hz: hz, own: own, flush: own / 2, reserve: own, backlog: backlog, rng: seeded()}
			right, wrong := New(want), New(at60)
			right.Trust(false)
			wrong.Trust(false)
			small := 0
			for i := range 240 {
				if right.SliceCap() > 0 && hz < 240 { // above, it may also be a free host: see unpaced
					small++
				}
				if !near(right.value, want, 200) {
					t.Fatalf("%d Hz, backlog %v: given, and %v after %d frames", hz, backlog, right.value, i)
				}
				d.frame(&right)
				d.frame(&wrong)
			}
			if small > 3 || !near(wrong.value, want, 100) || !wrong.paced {
				t.Errorf("%d Hz, backlog %v: %d small slices; where 60 Hz was given: %v, paced %v", hz, backlog, small,
					wrong.value, wrong.paced)
			}
		}
	}
}

// A fast display's frames scatter, and its first ones may not wait: the queue of the swap is empty then.
func TestOfAFastDisplay(t *testing.T) {
	for _, unheld := range []int{0, 8, 60} {
		p, rng := New(at60), seeded()
		for range unheld {
			p.Observe(milli, milli/2, 0)
		}
		for range 600 {
			p.Observe(time.Second/240+time.Duration(rng.NormFloat64()*float64(200*time.Microsecond)), milli, milli/4)
		}
		// Each frame's wait scatters by itself here, as no display's does, so the error is that of the mean.
		if !p.paced || !near(p.value, time.Second/240, 100) {
			t.Errorf("240 Hz after %d frames that did not wait: period %v, paced %v", unheld, p.value, p.paced)
		}
	}
}

func TestIsNotLockedAtHalfTheRateByItsOwnSlice(t *testing.T) {
	// With no reserve at all, every full slice misses its refresh: the intervals say 30 Hz, the display is 60.
	d := &display{hz: 60, own: 4 * milli, flush: 3 * milli, reserve: 0, backlog: true, rng: seeded()}
	p := New(at60)
	run(&p, d, 3600)
	if !near(p.value, time.Second/60, 500) {
		t.Errorf("period %v, want 1/60 s", p.value)
	}
}

func TestOfAFreeHostIsTheTarget(t *testing.T) {
	for _, before := range []int{0, 144, 30} { // paced by a display, until it no longer waits for that
		for _, backlog := range []bool{false, true} {
			d := &display{hz: before, own: milli / 2, flush: 2 * milli, reserve: 4 * milli, rng: seeded()}
			d.backlog = backlog
			p := New(time.Second / 50)
			run(&p, d, 1200)
			d.hz = 0
			run(&p, d, 1200)
			if p.paced || p.value != time.Second/50 || p.shown != time.Second/50 {
				t.Errorf("after %d Hz, backlog %v: period %v, shown %v, paced %v, want the target, unpaced",
					before, backlog, p.value, p.shown, p.paced)
			}
		}
	}
}

// A host that does nothing but its frames' work, and waits for nothing, is seen to be free within some frames.
func TestOfAFreeHostThatIsAllWork(t *testing.T) {
	for _, busy := range []time.Duration{time.Microsecond, 3 * milli} {
		p := New(at60)
		for range 2 * enough {
			p.Observe(busy+busy/10, busy, busy/2)
		}
		if p.paced || p.value != at60 {
			t.Errorf("frames of %v: period %v paced %v", busy, p.value, p.paced)
		}
	}
}

func TestProbesOnlyUnderABacklog(t *testing.T) {
	small := func(backlog bool) (n int) {
		d := &display{hz: 60, own: milli, flush: milli, reserve: 4 * milli, backlog: backlog, rng: seeded()}
		p := New(at60)
		run(&p, d, 100)
		for range 6400 {
			if p.SliceCap() > 0 {
				n++
			}
			d.frame(&p)
		}
		return n
	}
	if n := small(false); n != 0 {
		t.Errorf("%d small slices without a backlog, want none", n)
	}
	if n := small(true); n < 90 || n > 110 {
		t.Errorf("%d small slices in 6400 frames of backlog, want about one in 64", n)
	}
}

func hertz(hz int) time.Duration { return time.Second / time.Duration(hz) }

// A window moves to another display, or its rate is lowered to save power: soon known, with a
// backlog and without.
func TestFollowsTheDisplaySoon(t *testing.T) {
	for _, backlog := range []bool{false, true} {
		for _, c := range [][2]int{
			{60, 40}, {60, 48}, {60, 200}, {60, 175}, {60, 24}, {57, 75}, {200, 60}, {144, 60}, {60, 144}, {240, 60},
			{120, 30}, {144, 120}, {120, 144}, {75, 60}, {165, 144}, {57, 43},
		} {
			d := &display{hz: c[0], own: milli / 2, flush: milli / 2, reserve: 2 * milli, rng: seeded()}
			d.backlog = backlog
			p := New(at60)
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
func TestOfABusyGame(t *testing.T) {
	for _, hz := range []int{30, 60, 144} {
		for _, percent := range []int{55, 70, 85} {
			p := New(at60)
			d := &display{hz: hz, own: hertz(hz) * time.Duration(percent) / 100, reserve: hertz(hz) / 20, rng: seeded()}
			d.backlog = true
			run(&p, d, 300)
			small := 0
			for range 640 {
				if p.SliceCap() > 0 {
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

// Small slices are rare: where the first task alone is longer than one, so that no probe succeeds; where frames miss
// refreshes, one here and one there; and where the host is slower than any display.
func TestSmallSlicesAreRare(t *testing.T) {
	for name, frame := range map[string]func(i int, small bool) (interval, busy, slice time.Duration){
		"in vain": func(_ int, small bool) (interval, busy, slice time.Duration) {
			if slice = 4 * milli; small {
				slice = 3 * milli
			}
			return at60, 10*milli + slice, slice
		},
		"misses": func(i int, small bool) (interval, busy, slice time.Duration) {
			if interval, slice = at60, 8*milli; small {
				slice = smallest
			} else if i%6 == 0 {
				interval *= 2
			}
			return interval, 3*milli + slice, slice
		},
		"a slow host": func(int, bool) (interval, busy, slice time.Duration) {
			return 100 * milli, 10 * milli, 8 * milli
		},
	} {
		p := New(at60)
		n := 0
		for i := range 6400 {
			small := p.SliceCap() > 0
			if small {
				n++
			}
			p.Observe(frame(i, small))
		}
		if n > learning+110 {
			t.Errorf("%s: %d of 6400 slices small", name, n)
		}
	}
}

// What the frames' own work makes of the period is for the slice to know, and not what they are judged by.
func TestShownIsNotTheGamesOwn(t *testing.T) {
	p := New(at60)
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
func TestOfAVeryFastDisplay(t *testing.T) {
	for _, hz := range []int{0, 280, 360, 500, 1000} {
		refresh := 2 * milli
		if hz > 0 {
			refresh = hertz(hz)
		}
		d := &display{hz: hz, own: refresh / 5, flush: refresh / 10, reserve: refresh / 4, rng: seeded()}
		if hz == 0 {
			d.flush, d.reserve = refresh, 4*milli
		}
		p := New(at60)
		run(&p, d, 600)
		want := at60
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
func TestOfAVaryingGame(t *testing.T) {
	for _, hz := range []int{0, 360} {
		p, rng := New(at60), seeded()
		for range 200 {
			busy := milli/2 + time.Duration(rng.Int64N(int64(milli)))
			interval := busy + milli/2
			if hz > 0 {
				interval = hertz(hz)
			}
			p.Observe(interval+time.Duration(rng.Int64N(int64(milli/20))), busy, 0)
		}
		if p.paced != (hz > 0) {
			t.Errorf("%d Hz: paced %v", hz, p.paced)
		}
	}
}
