package sleep

import (
	"math"
	"runtime/metrics"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/park"
)

var spin = Spin{Looks: 20, Most: 200 * time.Microsecond, First: 50 * time.Microsecond, Torn: 100 * time.Microsecond,
	Pause: 64 * time.Millisecond, Hot: 5000}

func TestWindowIsLearned(t *testing.T) {
	w := spin.First
	for range 60 { // frames that fork once
		w = spin.next(w, 16*time.Millisecond)
	}
	if w != 0 {
		t.Errorf("after 60 pauses that were too long the window is %v", w)
	}
	if w = spin.next(w, 150*time.Microsecond); w != spin.Most {
		t.Errorf("after a short pause the window is %v, want %v", w, spin.Most)
	}
}

// An idler finds work at one of its looks, or never.
type idler struct{ looks, work int }

func (w *idler) Search() bool { w.looks++; return w.looks == w.work }

func (w *idler) More(int) int { return 0 }

func (w *idler) Leaving() bool { return true }

func (w *idler) Settle() {}

func (w *idler) Asleep() {}

func (w *idler) Awake() {}

// lone returns the only member of a Set, within a burst, with a place for it.
func lone() (*Set, *Sleeper, *idler) {
	s, x, w := new(Set), new(Sleeper), new(idler)
	s.SetSpin(spin)
	s.SetPlaces(1)
	s.SetBurst(true)
	parker, kind := park.New(park.Chan, false)
	x.Join(s, 0, w, parker, kind)
	return s, x, w
}

func TestStayingAwakeEnds(t *testing.T) {
	for name, c := range map[string]struct {
		prepare func(s *Set)
		looks   int // 0: more than Looks
	}{
		"the window is over": {func(*Set) {}, 0},
		"no burst":           {func(s *Set) { s.SetBurst(false) }, 20},
		"no places":          {func(s *Set) { s.SetPlaces(0) }, 20},
		"all taken":          {func(s *Set) { s.burst.taken.Store(1) }, 20},
		"no window":          {func(s *Set) { s.burst.window.Store(0) }, 20},
		"descheduled":        {func(s *Set) { s.burst.until.Store(int64(deadline.Now().Add(time.Hour))) }, 20},
	} {
		s, x, w := lone()
		c.prepare(s)
		taken := s.burst.taken.Load()
		if x.look() || s.burst.taken.Load() != taken {
			t.Errorf("%s: found work where there is none, or kept the place", name)
		}
		if w.looks != c.looks && (c.looks != 0 || w.looks <= 20) {
			t.Errorf("%s: %d looks", name, w.looks)
		}
	}
}

// In virtual time the clock stands still while a worker looks.
func TestStayingAwakeEndsWhereTimeStands(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, x, w := lone()
		s.burst.until.Store(math.MinInt64) // now is long before 0 there
		if x.look() || w.looks != 20+spin.Hot-1 {
			t.Errorf("%d looks", w.looks)
		}
	})
}

// Sleep returns with work, whenever it comes, or if the worker shall leave; and leaves no trace in the Set.
func TestSleepEnds(t *testing.T) {
	for _, work := range []int{0, 1, 15, 21} { // never, at the first look, later, at the look before the wait
		s, x, w := lone()
		s.SetBurst(false)
		w.work = work
		if x.Sleep() != (work > 0) || s.Searching() || s.idle.Load() != 0 {
			t.Errorf("work at look %d: searching %d, idle %b", work, s.searching.Load(), s.idle.Load())
		}
	}
}

// A worker that the network poller has woken sends for somebody who waits there in its place, if there are other
// members.
func TestAWorkerWokenByThePollerSendsAnother(t *testing.T) {
	started := func() uint64 {
		s := []metrics.Sample{{Name: "/sched/goroutines-created:goroutines"}}
		metrics.Read(s)
		if s[0].Value.Kind() != metrics.KindUint64 {
			t.Skip("the runtime does not count goroutines")
		}
		return s[0].Value.Uint64()
	}
	s, x, _ := lone()
	x.relay = true
	new(Sleeper).Join(s, 1, nil, nil, park.Chan)
	before := started()
	for range 1000 {
		x.Post()
		x.Wait()
	}
	if n := started() - before; n < 1000 {
		t.Errorf("1000 wake-ups, %d goroutines", n)
	}
}
