package frame_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/scheduler"
)

// worker keeps coroutines busy that work for half a millisecond and yield, and counts what they have done.
func busy(l *frame.Loop) *time.Duration {
	spent := new(time.Duration)
	for range 50 {
		l.Go(deadline.Normal, func(co *scheduler.Co) {
			for {
				time.Sleep(ms / 2)
				*spent += ms / 2
				co.Yield()
			}
		})
	}
	return spent
}

// Where the rate is not reached, work gets an eighth of the time at least, or what Budget.Share says, and half in
// frames marked Loading: whatever the game's own work and its host are, with a display and without, and also where the
// slice lies in the shadow.
func TestWorkHasItsShareOfASlowHost(t *testing.T) {
	type course struct {
		own, flush, period time.Duration
		share              float64
		loading            bool
		least              float64
	}
	courses := []course{
		{30 * ms, ms, time.Second / 60, 0, false, 1. / 8},
		{60 * ms, ms, time.Second / 60, 0, false, 1. / 8},
		{60 * ms, ms, 0, 0, false, 1. / 8},
		{5 * ms, 60 * ms, 0, 0, false, 1. / 8},
		{5 * ms, 200 * ms, 0, 0, false, 1. / 8},
		{12 * ms, ms, time.Second / 144, 0, false, 1. / 8},
		{30 * ms, ms, time.Second / 60, 0.3, false, 0.3},
		{5 * ms, 200 * ms, 0, 0.3, false, 0.3},
		{30 * ms, ms, time.Second / 60, 0, true, 1. / 2},
		{5 * ms, 200 * ms, 0, 0, true, 1. / 2},
	}
	try := func(t *testing.T, place frame.Placement, c course) {
		o := frame.Options{Placement: place, Interval: c.period}
		o.Budget.Share = c.share
		bubble(t, o, func(t *testing.T, l *frame.Loop) {
			w := &window{l: l, own: c.own, flush: c.flush, period: c.period}
			spent := busy(l)
			begin := deadline.Now()
			for deadline.Now().Sub(begin) < 20*time.Second {
				if c.loading {
					l.Mark(record.Loading)
				}
				w.frame()
			}
			passed := deadline.Now().Sub(begin)
			l.Close() // the slice in the shadow ends
			if got := float64(*spent) / float64(passed); got < c.least {
				t.Errorf("%v, %+v: work has %.1f %% of the time", place, c, 100*got)
			}
		})
	}
	for _, c := range courses {
		try(t, frame.PlaceAfterDraw, c)
		try(t, frame.PlaceShadow, c)
		try(t, frame.PlaceFirst, c)
	}
}

// What the next Begin leaves to a slice in the shadow counts as a wait of the loop, and not as the game's own work. It
// is within Budget.Max.
func TestTheShareInTheShadowIsNoOwnWork(t *testing.T) {
	needsThreads(t)
	for _, most := range []time.Duration{0, 2 * ms} {
		o := frame.Options{Placement: frame.PlaceShadow, Interval: time.Second / 60}
		o.Budget.Max = most
		bubble(t, o, func(t *testing.T, l *frame.Loop) {
			w := &window{l: l, own: 33 * ms, flush: ms / 10}
			busy(l)
			w.run(200)
			longest := time.Duration(0)
			for _, r := range l.Recorder().Recent(make([]record.Record, 100)) {
				longest = max(longest, r.Waited)
				if own := r.SliceBegin.Sub(r.Start); own != w.own || r.Interval != w.own+w.flush+r.Waited {
					t.Fatalf("Max %v: an interval of %v, own work %v, waited %v", most, r.Interval, own, r.Waited)
				}
			}
			if longest < ms || most > 0 && longest > most {
				t.Errorf("Max %v: waited up to %v", most, longest)
			}
		})
	}
}

// Without a share the slices of a slow game are as small as those of a late frame.
func TestAShareCanBeRefused(t *testing.T) {
	o := frame.Options{Placement: frame.PlaceAfterDraw}
	o.Budget.Share = -1
	bubble(t, o, func(t *testing.T, l *frame.Loop) {
		w := &window{l: l, own: 60 * ms, flush: ms}
		spent := busy(l)
		w.run(200)
		if *spent > 200*ms {
			t.Errorf("%v of work in 200 frames, want at most 1 ms in each", *spent)
		}
	})
}

// A loop of its own that does not reach its interval gives work its share, too.
func TestWorkHasItsShareInRun(t *testing.T) {
	for _, place := range append(placements(), frame.PlaceFirst) {
		bubble(t, frame.Options{Placement: place}, func(t *testing.T, l *frame.Loop) {
			spent := busy(l)
			begin := deadline.Now()
			play(t, l, 300, func(int) { time.Sleep(30 * ms) })
			if got := float64(*spent) / float64(deadline.Now().Sub(begin)); got < 1./8 {
				t.Errorf("%v: work has %.1f %% of the time", place, 100*got)
			}
		})
	}
}

// A coroutine that yields after each picture loads beside a host whose frames are uneven by themselves, within nine
// times the time of its work and uploads.
func TestALoadBesideAnUnevenHost(t *testing.T) {
	for _, display := range []time.Duration{0, time.Second / 60} {
		for _, base := range []time.Duration{8, 12, 16, 25, 40, 100} {
			for _, upload := range []time.Duration{0, ms} {
				worst := time.Duration(0)
				for seed := range uint64(5) {
					bubble(t, frame.Options{Placement: frame.PlaceAfterDraw}, func(t *testing.T, l *frame.Loop) {
						worst = max(worst, unevenLoad(l, seed, base*ms, upload, display))
					})
				}
				if most := 9 * 570 * (ms + upload); worst > most {
					t.Errorf("base %v, upload %v, display %v: the load took %v, want at most %v",
						base*ms, upload, display, worst, most)
				}
			}
		}
	}
}

// unevenLoad returns the time that 570 pictures take.
func unevenLoad(l *frame.Loop, seed uint64, base, upload, display time.Duration) time.Duration {
	r := rand.New(rand.NewPCG(seed, 1))
	w := &window{l: l, own: 2 * ms, period: display}
	left, done := time.Duration(0), false
	next := func() {
		u := r.Float64()
		w.flush = time.Duration(float64(base)*(0.55+0.25*u/(1.08-u))) + left
		left = 0
		w.frame()
	}
	for range 30 {
		next()
	}
	begin := deadline.Now()
	l.Go(deadline.UserBlocking, func(co *scheduler.Co) {
		for range 570 {
			time.Sleep(ms/2 + time.Duration(r.Int64N(int64(ms))))
			left += upload
			co.Yield()
		}
		done = true
	})
	for !done {
		next()
	}
	return deadline.Now().Sub(begin)
}

// A steady host without a vertical synchronization or with one is no reason to give work more than fits.
func TestAHostThatReachesItsRateHasNoShare(t *testing.T) {
	for _, period := range []time.Duration{time.Second / 60, time.Second / 144} {
		t.Run(fmt.Sprint(period), func(t *testing.T) {
			bubble(t, frame.Options{Placement: frame.PlaceAfterDraw}, func(t *testing.T, l *frame.Loop) {
				w := &window{l: l, own: period / 2, flush: period / 10, period: period}
				busy(l)
				w.run(1200)
				if missed := w.missed(240); missed > 0.015 {
					t.Errorf("%.1f %% of the refreshes missed", 100*missed)
				}
			})
		})
	}
}

// A game that marks its frames Loading in its update, after Begin, has half of the time for a load of short steps from
// the first second on, also if the load is all that the loop has ever seen of its host.
func TestALoadFromTheFirstFrameOn(t *testing.T) {
	o := frame.Options{Placement: frame.PlaceAfterDraw, Interval: time.Second / 60}
	bubble(t, o, func(t *testing.T, l *frame.Loop) {
		w := &window{l: l, own: 2 * ms, flush: 200 * ms}
		done := false
		l.Go(deadline.UserBlocking, func(co *scheduler.Co) {
			for range 2400 {
				time.Sleep(ms / 4)
				co.Yield()
			}
			done = true
		})
		begin := deadline.Now()
		for !done {
			l.Begin()
			l.Mark(record.Loading)
			time.Sleep(w.own)
			l.Slice()
			l.End()
			time.Sleep(w.flush)
			w.flush = 60 * ms
		}
		took := deadline.Now().Sub(begin)
		if took > 1450*ms {
			t.Errorf("600 ms of work took %v, want at most 1.45 s", took)
		}
	})
}
