package frame

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/frameslice/frameslice/frame/record"
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

func (d *display) frame(p *period) {
	slice := time.Duration(0)
	if d.backlog {
		slice = max(p.value-d.own-d.reserve, milli/2)
		if most := p.sliceCap(); most > 0 {
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
	p.observe(interval, busy, slice)
}

// rates are those that displays and browsers have.
var rates = [...]int{
	24, 25, 30, 40, 48, 50, 60, 72, 75, 85, 90, 100, 120, 144, 160, 165, 170, 175, 180, 200, 240,
	280, 300, 360, 480, 500, 540, 1000,
}

func seeded() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

func run(p *period, d *display, frames int) {
	for range frames {
		d.frame(p)
	}
}

func TestPeriodFindsTheRefreshRate(t *testing.T) {
	for _, hz := range rates {
		for _, backlog := range []bool{false, true} {
			own := time.Second / time.Duration(hz) / 5
			if hz > 240 && !backlog {
				continue // nothing tells it from a free host: see freedom
			}
			d := &display{hz: hz, own: own, flush: own / 2, reserve: own, backlog: backlog, rng: seeded()}
			p := newPeriod(record.DefaultInterval)
			run(&p, d, 120)
			want := time.Second / time.Duration(hz)
			if !near(p.value, want, 500) || !p.paced {
				t.Errorf("%d Hz, backlog %v: period %v paced %v, want %v", hz, backlog, p.value, p.paced, want)
			}
		}
	}
}

// An interval that was given holds from the first frame on, with a probe in 64 frames, and not against what a display
// shows.
func TestPeriodThatWasGiven(t *testing.T) {
	for _, hz := range rates {
		own, want := time.Second/time.Duration(hz)/5, time.Second/time.Duration(hz)
		for _, backlog := range []bool{false, true} {
			if hz > 240 && !backlog {
				continue // nothing tells it from a free host: see freedom
			}
			d := &display{hz: hz, own: own, flush: own / 2, reserve: own, backlog: backlog, rng: seeded()}
			right, wrong := newPeriod(want), newPeriod(record.DefaultInterval)
			right.trust()
			wrong.trust()
			small := 0
			for i := range 240 {
				if right.sliceCap() > 0 && hz < 240 { // above, it may also be a free host: see freedom
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
func TestPeriodOfAFastDisplay(t *testing.T) {
	for _, unheld := range []int{0, 8, 60} {
		p, rng := newPeriod(record.DefaultInterval), seeded()
		for range unheld {
			p.observe(milli, milli/2, 0)
		}
		for range 600 {
			p.observe(time.Second/240+time.Duration(rng.NormFloat64()*float64(200*time.Microsecond)), milli, milli/4)
		}
		// Each frame's wait scatters by itself here, as no display's does, so the error is that of the mean.
		if !p.paced || !near(p.value, time.Second/240, 100) {
			t.Errorf("240 Hz after %d frames that did not wait: period %v, paced %v", unheld, p.value, p.paced)
		}
	}
}

func TestPeriodFollowsAChangeOfRateUnderABacklog(t *testing.T) {
	for _, c := range [][2]int{{60, 144}, {144, 60}, {60, 30}, {30, 60}, {60, 120}} {
		d := &display{hz: c[0], own: milli, flush: milli, reserve: 2 * milli, backlog: true, rng: seeded()}
		p := newPeriod(record.DefaultInterval)
		run(&p, d, 600)
		d.hz = c[1]
		run(&p, d, 600)
		if want := time.Second / time.Duration(c[1]); !near(p.value, want, 1000) {
			t.Errorf("%d to %d Hz: period %v after 600 frames, want %v", c[0], c[1], p.value, want)
		}
	}
}

func TestPeriodIsNotLockedAtHalfTheRateByItsOwnSlice(t *testing.T) {
	// With no reserve at all, every full slice misses its refresh: the intervals say 30 Hz, the display is 60.
	d := &display{hz: 60, own: 4 * milli, flush: 3 * milli, reserve: 0, backlog: true, rng: seeded()}
	p := newPeriod(record.DefaultInterval)
	run(&p, d, 3600)
	if !near(p.value, time.Second/60, 500) {
		t.Errorf("period %v, want 1/60 s", p.value)
	}
}

func TestPeriodOfAFreeHostIsTheTarget(t *testing.T) {
	for _, before := range []int{0, 144, 30} { // paced by a display, until it no longer waits for that
		for _, backlog := range []bool{false, true} {
			d := &display{hz: before, own: milli / 2, flush: 2 * milli, reserve: 4 * milli, rng: seeded()}
			d.backlog = backlog
			p := newPeriod(time.Second / 50)
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
func TestPeriodOfAFreeHostThatIsAllWork(t *testing.T) {
	for _, busy := range []time.Duration{time.Microsecond, 3 * milli} {
		p := newPeriod(record.DefaultInterval)
		for range 2 * periodEnough {
			p.observe(busy+busy/10, busy, busy/2)
		}
		if p.paced || p.value != record.DefaultInterval {
			t.Errorf("frames of %v: period %v paced %v", busy, p.value, p.paced)
		}
	}
}

func TestPeriodIgnoresRareMisses(t *testing.T) {
	p := newPeriod(record.DefaultInterval)
	for i := range 600 {
		d := time.Second / 60
		if i%5 == 0 {
			d *= 2
		}
		p.observe(d, milli, 0)
	}
	if !near(p.value, time.Second/60, 500) {
		t.Errorf("period %v with one miss in five, want 1/60 s", p.value)
	}
}

func TestPeriodProbesOnlyUnderABacklog(t *testing.T) {
	small := func(backlog bool) (n int) {
		d := &display{hz: 60, own: milli, flush: milli, reserve: 4 * milli, backlog: backlog, rng: seeded()}
		p := newPeriod(record.DefaultInterval)
		run(&p, d, 100)
		for range 6400 {
			if p.sliceCap() > 0 {
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
