package bridge_test

import (
	"reflect"
	"testing"

	"github.com/frameslice/frameslice/internal/bridge"
)

type verbs struct{ n int }

func (v *verbs) Add(n int) { v.n += n }

type door = bridge.Door[*verbs]

type house struct{ door }

// Of finds the verbs by their type alone, and the type with a Door has no method that a user could call.
func TestOf(t *testing.T) {
	v := new(verbs)
	h := &house{bridge.New(v)}
	bridge.Of(h).Add(2)
	bridge.Of(h).Add(3)
	if v.n != 5 {
		t.Errorf("the verbs have added %d, not 5", v.n)
	}
	if n := reflect.TypeOf(h).NumMethod(); n != 0 {
		t.Errorf("the house has %d methods that users see", n)
	}
}
