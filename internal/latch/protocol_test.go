package latch

import (
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

func TestProtocol(t *testing.T) {
	const file = "latch.go"
	explore.Programs(t, nil,
		explore.Patch{Name: "LT1: a waiter does not look again when it has enlisted", File: file,
			Old: "if mine.It.enlist(l) || lent {", New: "if !mine.It.enlist(l) && lent {"},
		explore.Patch{Name: "LT2: a new holder does not look again if its ticket is enlisted", File: file,
			Old: "if mine.It.enlist(l) || lent {", New: "if mine.It.enlist(l) {"},
		explore.Patch{Name: "LT2: a ticket is enlisted in every wait", File: file,
			Old: "if t.listed && !t.token.Take() {", New: "if t.token.Take(); false {"},
		explore.Patch{Name: "LT2: a ticket that had its token taken out counts as enlisted", File: file,
			Old: "t.listed = t.listed && !took", New: "_ = took"},
		explore.Patch{Name: "LT2: a token is taken out, and the ticket is not enlisted again", File: file,
			Old: "if t.listed && !t.token.Take() {", New: "if t.listed {\n		t.token.Take()"},
		explore.Patch{Name: "LT2: a ticket that has slept counts as taken off the list", File: file,
			Old: "t.listed = t.listed && !took", New: "t.listed = false"},
		explore.Patch{Name: "two are enlisted, and one is lost", File: file,
			Old: "if l.sleepers.CompareAndSwap(t.next, t) {", New: "if l.sleepers.Store(t); true {"},
		explore.Patch{Name: "one enlists while the sleepers are taken off, and is lost", File: file,
			Old: "l.sleepers.Swap(nil); t != nil; {",
			New: "l.sleepers.Load(); t != nil; {\n		l.sleepers.Store(nil)"},
		explore.Patch{Name: "the next ticket is read after the token", File: file, Race: true,
			Old: "		t = next", New: "		next = t.next\n		t = next"},
	)
}
