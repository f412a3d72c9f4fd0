package dice

import (
	"math"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestParse(t *testing.T) {
	for _, seed := range []string{
		"", "x", "-1", "1.5", "7:", "7:xyz", "7:123456789", "7:1,,2", "99999999999999999999",
	} {
		if _, err := Parse(seed); (err == nil) != (seed == "7:") {
			t.Errorf("Parse(%q): %v", seed, err)
		}
	}
	d, err := Parse("0x11")
	if err != nil || d.seed != 17 || d.only != nil {
		t.Errorf("0x11 is %+v, %v", d, err)
	}
}

// throwMany makes decisions of all kinds.
func throwMany(d *Dice) {
	for range 50 {
		d.Job("path")
		if d.Wake(5) > 0 {
			d.NoteWake("level")
		}
		if d.Slice() < math.MaxInt {
			d.NoteSlice()
			d.NoteSlice() // once is enough
		}
	}
}

// A seed decides the same again, another seed something else, and the list of its decisions does too, whatever others
// come between.
func TestSeedDecides(t *testing.T) {
	a, b, other := New(3), New(3), New(4)
	throwMany(a)
	throwMany(b)
	throwMany(other)
	if !slices.Equal(a.Made(), b.Made()) || len(a.Made()) == 0 {
		t.Errorf("seed 3 decided %v and %v", a.Made(), b.Made())
	}
	if slices.Equal(a.Made(), other.Made()) {
		t.Error("seeds 3 and 4 decided the same")
	}
	half := a.Made()[:len(a.Made())/2]
	c, err := Parse(a.Only(half))
	if err != nil {
		t.Fatal(err)
	}
	for range 50 {
		c.Job("another") // decides nothing: it is not in the list
	}
	throwMany(c)
	if !slices.Equal(c.Made(), half) {
		t.Errorf("of %v the seed decided %v", half, c.Made())
	}
	none, _ := Parse(a.Only(nil))
	throwMany(none)
	if len(none.Made()) > 0 {
		t.Errorf("a seed without decisions made %v", none.Made())
	}
}

// Over many seeds there are pools of all sizes, delays from a microsecond to a second, short slices of all lengths, and
// plays that are hardly disturbed.
func TestDecisionsVary(t *testing.T) {
	workers, most, woken, calm := map[int]int{}, map[int]int{}, map[int]int{}, 0
	shortest, longest := time.Hour, time.Duration(0)
	for seed := range uint64(1000) {
		d := New(seed)
		workers[d.Workers()]++
		for range 10 {
			w := d.Job("path")
			for _, v := range []time.Duration{w.Begin, w.End} {
				if v >= time.Microsecond {
					shortest, longest = min(shortest, v), max(longest, v)
				}
			}
			n := d.Slice()
			if most[min(n, 8)]++; n < 1 {
				t.Fatalf("a slice of %d runs", n)
			}
			woken[d.Wake(3)]++
			if p := d.Pause(time.Second); p > time.Second || p < time.Second/2 {
				t.Fatalf("a pause of a second became %v", p)
			}
		}
		if len(d.Made()) < 5 {
			calm++
		}
	}
	for _, n := range []int{-1, 1, 2, 3} {
		if workers[n] < 50 {
			t.Errorf("%d of 1000 pools have %d workers", workers[n], n)
		}
	}
	for n := 1; n <= 4; n++ {
		if most[n] < 50 {
			t.Errorf("%d slices of %d runs", most[n], n)
		}
	}
	if len(woken) != 3 || woken[0] < woken[1] || woken[2] < 1000 {
		t.Errorf("of three the first, second and third were woken %v times", woken)
	}
	if shortest > 10*time.Microsecond || longest < 500*time.Millisecond || longest > 1100*time.Millisecond {
		t.Errorf("delays from %v to %v", shortest, longest)
	}
	if calm < 100 || calm > 500 {
		t.Errorf("%d plays of 1000 are hardly disturbed", calm)
	}
}

// Goroutines that stand apart continue one after the other, always in the same order, and after the one that woke them.
func TestApart(t *testing.T) {
	one, two := standApart(t), standApart(t)
	if len(one) != 21 || one[0] != -1 || !slices.Equal(one, two) {
		t.Errorf("orders %v and %v", one, two)
	}
}

func standApart(t *testing.T) (order []int) {
	synctest.Test(t, func(t *testing.T) {
		d := New(1)
		var mu sync.Mutex // for the race detector: no two run at once
		add := func(i int) {
			mu.Lock()
			defer mu.Unlock()
			order = append(order, i)
		}
		begin := make(chan struct{})
		for i := range 20 {
			go func() {
				<-begin
				time.Sleep(d.Apart(i))
				add(i)
			}()
		}
		close(begin)
		add(-1)
		time.Sleep(2 * time.Millisecond)
	})
	return order
}

// Nil dice decide nothing.
func TestNoDice(t *testing.T) {
	var d *Dice
	if n := d.Slice(); n != math.MaxInt {
		t.Errorf("a slice of %d runs", n)
	}
}
