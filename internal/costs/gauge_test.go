package costs

import (
	"fmt"
	"testing"
)

// A kind in whose place another one comes is still one of its stretch.
func TestAStretchKeepsAKindThatLostItsPlace(t *testing.T) {
	var table Table[struct{}]
	var gauges Gauges[struct{}]
	const stretch = 7
	first := gauges.Find(&table, "first", 0)
	first.Stretch = stretch
	kind := first.Kind
	for i := 0; ; i++ {
		if label := fmt.Sprint(i); KeyOf(label, 0).Slot() == KeyOf("first", 0).Slot() {
			if second := gauges.Find(&table, label, 0); second.Kind == kind || second.Skip != 0 {
				t.Fatalf("%+v", second)
			}
			break
		}
	}
	found := 0
	for g := range gauges.Of(stretch) {
		if g.Kind != kind {
			t.Errorf("%q is of the stretch", g.Kind.Label)
		}
		found++
	}
	if found != 1 {
		t.Errorf("%d kinds are of the stretch", found)
	}
}
