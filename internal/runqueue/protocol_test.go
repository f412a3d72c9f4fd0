package runqueue_test

import (
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

func TestProtocols(t *testing.T) {
	const deque, ring, injector = "deque.go", "ring.go", "injector.go"
	small := []explore.Patch{
		{File: deque, Old: "const dequeMin = 64", New: "const dequeMin = 2"},
		{File: ring, Old: "roomTries = 64", New: "roomTries = 1"},
		{File: ring, Old: "	it = s.it\n	var none", // a step between a claim and the read
			New: "	s.turn.Load()\n	it = s.it\n	var none"},
		{File: injector, Old: "ringMin   = 256 ", New: "ringMin   = 2 "},
		{File: injector, Old: "ringMax   = 1 << 13", New: "ringMax   = 2"},
		{File: injector, Old: "sparesMax = 32 ", New: "sparesMax = 1 "},
	}
	explore.Programs(t, small,
		explore.Patch{Name: "D2: an index is published before its place is written", File: deque,
			Old: "	d.slots[d.top&d.mask] = it\n	d.top++\n	return true",
			New: "	d.public.Store(d.top + 1)\n	d.head.Load()\n" +
				"	d.slots[d.top&d.mask] = it\n	d.top++\n	return true"},
		explore.Patch{Name: "D3: not strictly less", File: deque,
			Old: "d.head.Load() < split {", New: "d.head.Load() <= split {"},
		explore.Patch{Race: true, Name: "D4: a thief reads before its claim", File: deque,
			Old: "	if !d.head.CompareAndSwap(head, head+1) {\n		return it, false, true\n	}\n" +
				"	slots := *d.array.Load() // after the claim: D4\n	it = slots[head&uint64(len(slots)-1)]\n",
			New: "	slots := *d.array.Load()\n	it = slots[head&uint64(len(slots)-1)]\n" +
				"	if !d.head.CompareAndSwap(head, head+1) {\n		return it, false, true\n	}\n"},
		explore.Patch{Name: "D4: head is loaded before taken", File: deque,
			Old: "	taken := d.taken.Load()\n	head := d.head.Load()\n	if n > 0",
			New: "	head := d.head.Load()\n	taken := d.taken.Load()\n	if n > 0"},
		explore.Patch{Name: "D4: claimed counts as read", File: deque,
			Old: "n > 0 && taken == head", New: "n > 0 && taken <= head"},
		explore.Patch{Name: "D5: growing copies from head on", File: deque,
			Old: "from := d.limit - n // and not head: D5", New: "from := head"},

		explore.Patch{Name: "R2: a place is announced before it is written", File: ring,
			Old: "			s.it = it\n			s.turn.Store(at>>r.shift + 1)",
			New: "			s.turn.Store(at>>r.shift + 1)\n	r.head.Load()\n			s.it = it"},
		explore.Patch{Name: "R3: taken counts what has not been read", File: ring,
			Old: "				it = s.take()\n				r.taken.Add(1)",
			New: "				r.taken.Add(1)\n	r.head.Load()\n				it = s.take()"},
		explore.Patch{Name: "R3: popMany looks at the first place only", File: ring,
			Old: "r.slots[(at+n)&mask].turn.Load() == (at+n)>>r.shift+1",
			New: "r.slots[at&mask].turn.Load() == at>>r.shift+1"},
		explore.Patch{Name: "R4: head is loaded before taken", File: ring,
			Old: "		taken := r.taken.Load() // before head: if they are equal, all that is " +
				"below head had been read\n" +
				"		head := r.head.Load()\n",
			New: "		head := r.head.Load()\n		taken := r.taken.Load()\n"},
		explore.Patch{Name: "R4: claimed counts as read", File: ring,
			Old: "if taken == head {", New: "if taken <= head {"},
		explore.Patch{Name: "R4: all is read, but the ring does not go that far", File: ring,
			Old: "if head+size < at+n {", New: "if head > at {"},
		explore.Patch{Name: "R5: a producer does not look whether the ring is closed", File: ring,
			Old: "		if at&closed != 0 {\n			return false\n		}\n		if at&(mask>>2) == 0 && ",
			New: "		if at&closed == 0 && "},
		explore.Patch{Name: "R5: a full ring is left open", File: ring,
			Old: "r.tail.CompareAndSwap(at, at|closed)", New: "r.tail.CompareAndSwap(at, at)"},
		explore.Patch{Name: "R5: a consumer leaves a ring that is not drained", File: injector,
			Old: "tail&closed == 0 || r.head.Load() != tail&^closed", New: "tail&closed == 0"},
		explore.Patch{Name: "R6: a ring is used again that has not been read", File: injector,
			Old: "len(r.slots) == ringMax && r.taken.Load() == end", New: "len(r.slots) == ringMax"},
		explore.Patch{Name: "R6: a ring is used again from where it ended", File: injector,
			Old: "r.reuseSlots((end>>r.shift + 1) << r.shift)", New: "r.reuseSlots(end)"},
	)
}
