package scheduler

import (
	"math/bits"
	"reflect"
	"testing"
)

// TestLayout: what the cost of many tasks depends on. A run touches three cache lines of a Task in a slice, or
// two of a posted function, and one of one that was delayed.
func TestLayout(t *testing.T) {
	if bits.UintSize != 64 {
		t.Skip("lines are laid out for 64 bits")
	}
	const line = 64
	task, it := reflect.TypeFor[Task](), reflect.TypeFor[item]()
	if size := task.Size(); size%line != 0 {
		t.Errorf("a Task has %d bytes, so tasks in a slice begin within a line", size)
	}
	if size := it.Size(); size != 2*line {
		t.Errorf("an item has %d bytes, want two lines", size)
	}
	at := func(s reflect.Type, name string) uintptr {
		f, ok := s.FieldByName(name)
		if !ok {
			t.Fatalf("no field %s", name)
		}
		return f.Offset
	}
	if at(task, "item")%line != 0 || at(reflect.TypeFor[block](), "items")%(2*line) != 0 {
		t.Error("an item does not begin a line")
	}
	// What a delayed function needs when it comes due.
	second := map[string]uintptr{}
	for _, name := range []string{"word", "fn", "index", "where", "skips"} {
		second[name] = at(it, name)
	}
	for _, name := range []string{"Value", "start", "exp", "seq", "index", "level", "where", "own"} {
		second["node."+name] = at(it, "node") + at(reflect.TypeFor[node](), name)
	}
	for name, offset := range second {
		if offset/line != 1 {
			t.Errorf("%s is not in an item's second line", name)
		}
	}
	for _, name := range []string{"Func", "Step", "Co", "Idle", "Period", "kind", "done", "awaitedGeneration"} {
		if at(task, name)/line != at(task, "item")/line-1 {
			t.Errorf("%s is not in the line before item", name)
		}
	}
}
