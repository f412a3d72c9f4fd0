package record

import (
	"reflect"
	"testing"
)

// Every counter is in the sums of a run.
func TestEveryCountIsAdded(t *testing.T) {
	var one, by Counts
	for _, f := range reflect.ValueOf(&one).Elem().Fields() {
		if f.Kind() == reflect.Uint64 {
			f.SetUint(3)
		} else {
			f.SetInt(3)
		}
	}
	by.add(&one)
	if by != one {
		t.Errorf("add of %+v to nothing gives %+v", one, by)
	}
}
