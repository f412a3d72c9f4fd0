package taskqueue

import (
	"math/bits"
	"reflect"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// A wheel takes memory for the moments at which something is due, not for all of eight seconds.
func TestWheelTakesPagesAsNeeded(t *testing.T) {
	var q Queue[int]
	nodes := make([]Node[int], 4*wheelFrom)
	for i := range nodes {
		q.Push(&nodes[i], deadline.Normal, 0, 10*time.Millisecond+time.Duration(i)*time.Microsecond, 0)
	}
	w := q.wheels[nodes[0].level]
	if w == nil {
		t.Fatal("no wheel")
	}
	pages := 0
	for _, p := range w.pages {
		if p != nil {
			pages++
		}
	}
	if pages != 1 {
		t.Errorf("%d pages, want 1: all are due within a millisecond", pages)
	}
	if err := q.Check(); err != nil {
		t.Error(err)
	}
}

// A page is 4 KB, which is a size that the allocator has, and its slots are lines of the cache.
func TestPagesAreLines(t *testing.T) {
	if bits.UintSize != 64 {
		t.Skip("lines are laid out for 64 bits")
	}
	if size := reflect.TypeFor[page[*int]]().Size(); size != 4096 {
		t.Errorf("a page has %d bytes", size)
	}
	if size := reflect.TypeFor[slot[*int]]().Size(); size != 64 {
		t.Errorf("a slot has %d bytes", size)
	}
}
