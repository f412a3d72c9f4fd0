package counter_test

import (
	"iter"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/internal/counter"
)

// trusted returns a machine whose counter is in use.
func trusted(t *testing.T) *machine {
	t.Helper()
	m := newMachine(2700, 1)
	m.run(13, 100)
	if m.share() == 0 {
		t.Fatal("13 ms were not enough")
	}
	return m
}

func TestNothingIsCountedBeforeTwoMeasurementsAgree(t *testing.T) {
	m := newMachine(2700, 1)
	m.run(7, 100)
	if s := m.share(); s > 0 {
		t.Errorf("%.2f of the readings of the first 7 ms are the counter's", s)
	}
	m.run(4, 100)
	if s := m.share(); s == 0 {
		t.Error("none of those of the next 4 ms are")
	}
}

func TestK2(t *testing.T) {
	for name, disturb := range map[string]func(m *machine){
		"the rate changes":              func(m *machine) { m.mhz *= 1.001 },
		"the machine slept":             func(m *machine) { m.offset += 2700e3 },
		"the counter began again":       func(m *machine) { m.offset -= m.count() },
		"the clock was set back":        func(m *machine) { m.steps -= 100_000 },
		"another processor, 5 µs ahead": func(m *machine) { m.offset += 13_500 },
	} {
		m := trusted(t)
		disturb(m)
		m.run(5, 100)
		m.share()
		m.c.Begin()
		m.run(2, 100)
		if s := m.share(); s > 0 {
			t.Errorf("%s: %.2f of the readings are the counter's", name, s)
		}
		m.run(10, 100)
		if s := m.share(); s < 0.3 {
			t.Errorf("%s: %.2f of the readings later", name, s)
		}
	}
}

func TestK2AfterASecondTheRateIsMeasuredAgain(t *testing.T) {
	m := trusted(t)
	m.pass(1001e9)
	m.read()
	m.share()
	m.run(3, 100)
	if s := m.share(); s > 0 {
		t.Errorf("%.2f of the readings are the counter's", s)
	}
	m.run(3, 100)
	if m.share() == 0 {
		t.Error("none are later")
	}
}

func TestK2TrustEndsForGood(t *testing.T) {
	m := trusted(t)
	for range 40 { // the rate is never twice the same
		m.mhz *= 1.01
		m.run(5, 100)
	}
	m.share()
	m.run(100, 100)
	if s := m.share(); s > 0 || m.c.Due() {
		t.Errorf("%.2f of the readings are the counter's", s)
	}
	if m.ahead > 5000 { // 1 or 2 % of 250 µs
		t.Errorf("%d ns ahead", m.ahead)
	}
}

// An emulated counter takes a µs a reading: not worth it, and not for long.
func TestK3WideAnchorsAreNone(t *testing.T) {
	m := newMachine(2700, 1)
	m.gap = 1_000_000
	m.run(20, 100)
	if s := m.share(); s > 0 || m.c.Due() {
		t.Errorf("%.2f of the readings are the counter's", s)
	}
	m = trusted(t)
	m.gap = 1_000_000
	m.c.Begin()
	for range 500 {
		m.read()
	}
	if s := m.share(); s > 0 {
		t.Errorf("%.2f of the readings are the counter's", s)
	}
	m.gap = 13_000
	m.run(1, 100)
	if s := m.share(); s == 0 {
		t.Error("none are, although the reason has passed")
	}
}

func TestASliceOfFewReadingsHasNoAnchor(t *testing.T) {
	m := trusted(t)
	m.c.Begin()
	for range 3 {
		if m.read(); m.c.Ready() {
			t.Fatal("an anchor for what may be the last reading")
		}
	}
	if m.read(); !m.c.Ready() {
		t.Error("no anchor")
	}
	m.c.Stop()
	m.run(1, 100)
	if s := m.share(); s > 0 {
		t.Errorf("%.2f of the readings after Stop are the counter's", s)
	}
}

func TestRatesThatNoCounterHas(t *testing.T) {
	for _, mhz := range []float64{0.001, 20, 40_000} {
		m := newMachine(mhz, uint64(mhz))
		m.run(30, 100)
		if s := m.share(); s > 0 {
			t.Errorf("%v MHz: %.2f of the readings are the counter's", mhz, s)
		}
	}
}

func TestK4VirtualTimeIsSeen(t *testing.T) {
	if counter.Virtual() {
		t.Fatal("here?")
	}
	outside, stop := iter.Pull(func(yield func(bool) bool) {
		for yield(counter.Virtual()) {
		}
	})
	defer stop()
	if v, _ := outside(); v {
		t.Error("on a coroutine here?")
	}
	synctest.Test(t, func(t *testing.T) {
		for range 3 {
			if !counter.Virtual() {
				t.Error("not in a bubble, at ", time.Now())
			}
			done := make(chan bool)
			go func() { done <- counter.Virtual() }()
			if !<-done {
				t.Error("not on a goroutine of a bubble")
			}
			next, stop := iter.Pull(func(yield func(bool) bool) { yield(counter.Virtual()) })
			if v, _ := next(); !v {
				t.Error("not on a coroutine of a bubble")
			}
			stop()
			time.Sleep(time.Until(time.Date(2026+time.Now().Year()-2000, 11, 1, 0, 0, 0, 0, time.UTC)))
		}
	})
}

// TestThisMachine: what simulations cannot tell. The bounds are wide, because the goroutine may be stopped anywhere.
func TestThisMachine(t *testing.T) {
	if !counter.Available() {
		t.Skip("no counter")
	}
	var c counter.Clock
	base := time.Now()
	now := func() int64 { return int64(time.Since(base)) }
	quick, last := 0, int64(0)
	for c.Begin(); last < 100e6 && quick < 10_000; {
		before := now()
		if c.Ready() {
			if at, ok := c.At(counter.Read()); ok {
				quick++
				if after := now(); at > after+5_000 || at < before-int64(time.Second) {
					t.Fatalf("%d by the counter, from %d to %d by the clock", at, before, after)
				}
				continue
			}
		}
		if c.Due() {
			b := counter.Read()
			last = now()
			c.Note(last, b, counter.Read())
		}
		last = now()
	}
	t.Log(quick, "readings of the counter")
}
