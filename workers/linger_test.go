package workers

import (
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
)

func TestWindowIsLearned(t *testing.T) {
	w := hotFirst
	for range 60 { // frames that fork once
		w = nextWindow(w, 16*time.Millisecond)
	}
	if w != 0 {
		t.Errorf("after 60 pauses that were too long the window is %v", w)
	}
	if w = nextWindow(w, 150*time.Microsecond); w != hotMost {
		t.Errorf("after a short pause the window is %v, want %v", w, hotMost)
	}
}

// lingerer returns a worker of a crew without goroutines, within a frame, that has a place for one.
func lingerer() *Worker {
	p := &Pool{}
	for i := range p.lanes {
		p.lanes[i].init()
	}
	c := &p.crews[ordinary]
	c.pool = p
	c.heat.places.Store(1)
	c.heat.window.Store(int64(hotMost))
	p.hot.Store(true)
	return &Worker{pool: p, crew: c}
}

func TestStayingAwakeEnds(t *testing.T) {
	w := lingerer()
	h := &w.crew.heat
	if w.linger() || h.taken.Load() != 0 {
		t.Error("found work where there is none, or kept the place")
	}
	w.tick = 0
	w.pool.hot.Store(false)
	if w.linger(); w.tick != linger {
		t.Errorf("%d looks outside of a frame, want %d", w.tick, linger)
	}
	w.pool.hot.Store(true)
	for name, prepare := range map[string]func(){
		"no places": func() { h.places.Store(0) },
		"all taken": func() { h.places.Store(1); h.taken.Store(1) },
		"no window": func() { h.taken.Store(0); h.window.Store(0) },
		"descheduled": func() {
			h.window.Store(int64(hotMost))
			h.until.Store(int64(deadline.Now().Add(time.Hour)))
		},
	} {
		h.places.Store(1)
		h.taken.Store(0)
		h.window.Store(int64(hotMost))
		h.until.Store(0)
		prepare()
		if w.tick = 0; w.linger() || w.tick != linger {
			t.Errorf("%s: %d looks, want %d", name, w.tick, linger)
		}
	}
}

func TestNobodyStaysAwakeUnderAQuota(t *testing.T) {
	w := lingerer()
	w.pool.site.whole.Store(2)
	w.pool.setPlaces()
	if n := w.crew.heat.places.Load(); n != 0 {
		t.Errorf("%d places under a quota", n)
	}
}
