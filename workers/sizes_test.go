package workers

import (
	"testing"
	"unsafe"

	"github.com/frameslice/frameslice/internal/mpmc"
)

// What the documentation says of memory, on 64-bit systems.
func TestSizesAreAsDocumented(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) != 8 {
		t.Skip("other sizes")
	}
	closure := 3 * unsafe.Sizeof(uintptr(0)) // of place.waiter
	for _, c := range []struct {
		what           string
		got, low, high uintptr
	}{
		{"a Stream's place, besides a T", unsafe.Sizeof(mpmc.Cell[place[[8]byte]]{}) - 8 + closure, 300, 320},
		{"a Queue's place, besides a value", unsafe.Sizeof(mpmc.Cell[[8]byte]{}) - 8, 8, 8},
		{"a Queue's place for an empty value", unsafe.Sizeof(mpmc.Cell[struct{}]{}), 16, 16},
		{"a Group's function", unsafe.Sizeof(scopeJob{}), 200, 220},
	} {
		if c.got < c.low || c.got > c.high {
			t.Errorf("%s takes %d bytes, not %d to %d", c.what, c.got, c.low, c.high)
		}
	}
}
