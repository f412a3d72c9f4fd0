package par_test

import (
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

func TestProtocol(t *testing.T) {
	const strand = "strand.go"
	explore.Programs(t, nil,
		explore.Patch{Name: "ST1: a call of Go stores its turn", File: strand,
			Old: "if s.head.CompareAndSwap(old, t) { // ST1", New: "if s.head.Store(t); true {"},
		explore.Patch{Name: "ST1: two calls of Go begin", File: strand,
			Old: "if s.head.CompareAndSwap(nil, &held) { // ST1", New: "if s.head.Store(&held); true {"},
		explore.Patch{Name: "ST1: the turn is ended by a store", File: strand,
			Old: "if s.head.CompareAndSwap(&held, nil) {", New: "if s.head.Store(nil); true {"},
		explore.Patch{Name: "ST1: the list is taken by a load and a store", File: strand,
			Old: "		for t := s.head.Swap(&held); t",
			New: "		list := s.head.Load()\n		s.head.Store(&held)\n		for t := list; t"},
		explore.Patch{Name: "ST1: the list is not turned round", File: strand,
			Old: "			t.next, s.ready, t = s.ready, t, t.next\n",
			New: "			if s.ready == nil {\n				s.ready = t\n			}\n" +
				"			next := t.next\n			if next == &held {\n" +
				"				t.next = nil\n			}\n" +
				"			t = next\n"},
		explore.Patch{Name: "ST1: whoever takes the list gives the turn up", File: strand,
			Old: "s.head.Swap(&held)", New: "s.head.Swap(nil)"},
		explore.Patch{Name: "ST2: the pass comes before the function", File: strand,
			Old: "		s.pass(w)\n		if panicked != nil {\n" +
				"			w.Go(t.job.Priority, func() { panic(panicked) })\n		}\n	}()\n	t.f()\n",
			New: "		_ = panicked\n	}()\n	s.pass(w)\n	t.f()\n"},
		explore.Patch{Name: "ST2: now is stored after the submission", File: strand,
			Old: "	s.now = t // ST2\n	s.pool.Submit(&t.job)\n",
			New: "	s.pool.Submit(&t.job)\n	s.now = t\n"},
		explore.Patch{Name: "ST2: the pass stores now after the submission", File: strand,
			Old: "	s.now, s.ready, t.next = t, t.next, nil\n	w.Submit(&t.job) // ST2;",
			New: "	w.Submit(&t.job)\n	s.now, s.ready, t.next = t, t.next, nil //"},
		explore.Patch{Name: "ST2: a function that was passed the turn is also first in line", File: strand,
			Old: "s.now, s.ready, t.next = t, t.next, nil", New: "s.now, s.ready, t.next = t, t, nil"},
		explore.Patch{Name: "a holder that the pool does not take stays the holder", File: strand,
			Old: "		s.head.Store(nil)\n", New: ""},
	)
}
