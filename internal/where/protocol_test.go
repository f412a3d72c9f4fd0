package where_test

import (
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

func TestProtocol(t *testing.T) {
	const file, lock = "table.go", "	t.mu.Lock()\n	defer t.mu.Unlock()\n"
	explore.Programs(t, []explore.Patch{{File: file, Old: "const firstSlots = 256", New: "const firstSlots = 2"}},
		explore.Patch{Name: "N1: no lock", File: file, Old: lock, New: ""},
		explore.Patch{Name: "N1: a key is put over another", File: file,
			Old: "	for s.keys[i].id.Load() != 0 {", New: "	for false {"},
		explore.Patch{Name: "N1: the search for a free place ends with the slots", File: file,
			Old: "i = (i + 1) & (len(s.keys) - 1)", New: "i++"},
		explore.Patch{Name: "the search for a key ends with the slots", File: file,
			Old: "k := &s.keys[i&(len(s.keys)-1)]", New: "k := &s.keys[min(i, len(s.keys)-1)]"},
		explore.Patch{Name: "N3: the table from before the lock", File: file,
			Old: lock + "	s := t.at.Load()\n", New: "	s := t.at.Load()\n" + lock},
		explore.Patch{Name: "N3: the old keys stay behind", File: file,
			Old: "			more.put(k.id.Load(), k.cell)\n", New: ""},
		explore.Patch{Name: "N3: the table is seen before its keys", File: file,
			Old: "		s = s.grown()\n		t.at.Store(s)\n",
			New: "		old := s\n		if s = newSlots(firstSlots); old != nil {\n" +
				"			s = newSlots(2 * len(old.keys))\n		}\n		t.at.Store(s)\n" +
				"		for i := 0; old != nil && i < len(old.keys); i++ {\n" +
				"			if k := &old.keys[i]; k.id.Load() != 0 {\n				s.put(k.id.Load(), k.cell)\n" +
				"			}\n		}\n"},
		explore.Patch{Name: "the table fills up", File: file, Old: "	t.used++\n", New: ""},
	)
}
