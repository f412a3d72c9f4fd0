package freelist_test

import (
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

func TestProtocol(t *testing.T) {
	const file = "freelist.go"
	explore.Programs(t, nil,
		explore.Patch{Name: "taking is a load and a store", File: file, Old: "l.taken.CompareAndSwap(false, true) {",
			New: "!l.taken.Swap(true) || true {"},
		explore.Patch{Race: true, Name: "a successor is set when the thing is in the list", File: file,
			Old: "		l.next = s.first.Load()\n		if s.first.CompareAndSwap(l.next, l) {",
			New: "		if old := s.first.Load(); s.first.CompareAndSwap(old, l) {\n	l.next = old"},
		explore.Patch{Name: "a new thing is marked when it is in the list", File: file,
			Old: "	l.taken.Store(true)\n	for {", New: "	for { defer l.taken.Store(true)"},
		explore.Patch{Name: "a new thing is put in by a store", File: file,
			Old: "s.first.CompareAndSwap(l.next, l)", New: "s.first.Swap(l) != l"},
	)
}
