package record_test

import (
	"slices"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

func TestProtocol(t *testing.T) {
	const ring, shown, recorder = "recorder_ring.go", "shown.go", "recorder.go"
	small := []explore.Patch{{File: ring, Old: "const ringChunk = 64", New: "const ringChunk = 2"}}
	rings := explore.By("TestExploreTheRingGivesTheLatestRecords",
		explore.Patch{Name: "RC1: a record is counted before it is written", File: ring,
			Old: "	c.records[n] = *r\n",
			New: "	c.n.Store(n + 1)\n	g.current.Load()\n	c.records[n] = *r\n"},
		explore.Patch{Name: "RC1: a chunk that is taken over is not emptied", File: ring,
			Old: "		c.n.Store(0)\n", New: ""},
		explore.Patch{Name: "RC2: the writer looks at holders, and then stores", File: ring,
			Old: "		if !c.holders.CompareAndSwap(0, -1) {\n			continue\n		}\n",
			New: "		if c.holders.Load() != 0 {\n			continue\n		}\n		c.holders.Store(-1)\n"},
		explore.Patch{Name: "RC2: the writer lets go of a chunk before it has emptied it", File: ring,
			Old: "		c.n.Store(0)\n		c.holders.Store(0)\n",
			New: "		c.holders.Store(0)\n		c.n.Store(0)\n"},
		explore.Patch{Name: "RC2: a reader holds what the writer takes over", File: ring,
			Old: "		if h < 0 {\n			return false\n		}\n", New: ""},
		explore.Patch{Name: "RC2: a reader does not hold a chunk when it looks at it", File: ring,
			Old: "		n := uint64(c.n.Load())\n",
			New: "		c.release()\n		n := uint64(c.n.Load())\n		c.holders.Add(1)\n"},
		explore.Patch{Name: "RC2: a reader does not hold a chunk when it copies", File: ring,
			Old: "			newest, want = false, c.first\n",
			New: "			newest, want = false, c.first\n			c.release()\n			c.holders.Add(1)\n"},
		explore.Patch{Name: "RC2: of two readers one lets go for both", File: ring, Race: true,
			Old: "c.holders.Add(-1)", New: "c.holders.Store(0)"},
		explore.Patch{Name: "RC3: a reader does not look at the order numbers", File: ring,
			Old: "if newest || c.first+n == want {", New: "if newest || c.first+n == want || true {"},
		explore.Patch{Name: "RC3: a reader that cannot hold what was current does not look again", File: ring,
			Old: "if newest { // the writer", New: "if false { // the writer"},
		explore.Patch{Name: "RC3: a chunk is current before the writer lets go of it", File: ring,
			Old: "		c.n.Store(0)\n		c.holders.Store(0)\n		g.current.Store(int32(i))\n",
			New: "		g.current.Store(int32(i))\n		c.n.Store(0)\n		c.holders.Store(0)\n"},
	)
	times := explore.By("TestExploreAFrameHasItsOwnDisplayTime",
		explore.Patch{Name: "RC7: Presented takes a frame that has not begun", File: shown,
			Old: "frame > latest+1 || ", New: ""},
		explore.Patch{Name: "RC7: Presented takes a frame that is not kept any more", File: shown,
			Old: "frame+d.kept() <= latest || ", New: ""},
		explore.Patch{Name: "RC7: the words of another host are thrown away", File: shown,
			Old: "r.shown.CompareAndSwap(nil, newDisplays(r.records))", New: "r.shown.Store(newDisplays(r.records))"},
		explore.Patch{Name: "RC8: Add clears nothing", File: shown,
			Old: "d.at(frame + 2*d.kept()).Store(0)", New: "d.at(frame + 2*d.kept()).Load()"},
		explore.Patch{Name: "RC8: Add clears the word of the frame itself", File: shown,
			Old: "d.at(frame + 2*d.kept()).Store(0)", New: "d.at(frame).Store(0)"},
		explore.Patch{Name: "RC9: a reader does not look at latest", File: shown,
			Old: " || r.latest.Load() >= rec.Number+2*d.kept() {", New: " {"},
		explore.Patch{Name: "RC9: a reader does not look at latest after it has loaded the word", File: shown,
			Old: "		at := deadline.Instant(word.Load())\n" +
				"		if at == 0 || rec.Number == 0 || r.latest.Load() >= rec.Number+2*d.kept() {\n",
			New: "		late := r.latest.Load() >= rec.Number+2*d.kept()\n" +
				"		at := deadline.Instant(word.Load())\n		if at == 0 || rec.Number == 0 || late {\n"},
		explore.Patch{Name: "RC9: a time before the frame is taken", File: shown,
			Old: "if at < rec.Start {", New: "if false {"},
		explore.Patch{Name: "RC9: two readers count a wrong time, and take a better one out", File: shown,
			Old: "if word.CompareAndSwap(int64(at), 0) {", New: "if word.Store(0); true {"},
	)
	totals := explore.By("TestExploreTheTotalsAreOneCut",
		explore.Patch{Name: "RC4: the writer makes phase even before it has written", File: recorder,
			Old: "	r.active.Load().count(&rec, target, own, host, r.exclude, kept)\n	r.phase.Store(p + 2)\n",
			New: "	s := r.active.Load()\n	r.phase.Store(p + 2)\n	r.phase.Load()\n" +
				"	s.count(&rec, target, own, host, r.exclude, kept)\n"},
		explore.Patch{Name: "RC4: the writer loads active before it makes phase odd", File: recorder,
			Old: "	r.phase.Store(p + 1)\n	r.active.Load().count(",
			New: "	s := r.active.Load()\n	r.phase.Store(p + 1)\n	s.count("},
		explore.Patch{Name: "RC4: the writer does not make phase odd", File: recorder, Race: true,
			Old: "	r.phase.Store(p + 1)\n", New: ""},
		explore.Patch{Name: "RC5: a reader does not wait for an odd phase to end", File: recorder, Race: true,
			Old: "p&1 == 1 && r.phase.Load() == p", New: "p&1 == 1 && false"},
		explore.Patch{Name: "RC5: a reader looks at phase, and then swaps", File: recorder, Race: true,
			Old: "	old := r.active.Swap(r.mu.idle)\n	for p := r.phase.Load(); p",
			New: "	p := r.phase.Load()\n	old := r.active.Swap(r.mu.idle)\n	for ; p"},
		explore.Patch{Name: "RC5: a reader does not take mu", File: recorder,
			Old: "	r.mu.Lock()\n	defer r.mu.Unlock()\n	now", New: "	now"},
		explore.Patch{Name: "RC5: Reset does not take mu", File: recorder,
			Old: "	r.mu.Lock()\n	defer r.mu.Unlock()\n	r.collect()", New: "	r.collect()"},
		explore.Patch{Name: "RC6: collect does not clear what it has collected", File: recorder,
			Old: "	old.reset()\n", New: ""},
		explore.Patch{Name: "RC6: Reset does not collect", File: recorder,
			Old: "	defer r.mu.Unlock()\n	r.collect()\n", New: "	defer r.mu.Unlock()\n"},
		explore.Patch{Name: "RC6: Reset forgets all records, and not those that it has collected", File: recorder,
			Old: "r.ring.base.Store(r.mu.gone)", New: "r.ring.base.Store(r.latest.Load())"},
		explore.Patch{Name: "RC6: Reset does not clear the totals", File: recorder,
			Old: "	r.mu.total.reset()\n", New: ""},
		explore.Patch{Name: "RC6: a Snapshot takes the records before mu", File: recorder,
			Old: "func (r *Recorder) Snapshot() *Snapshot {\n",
			New: "func (r *Recorder) Snapshot() (early *Snapshot) {\n" +
				"	records := r.ring.tail(make([]Record, r.records))\n" +
				"	defer func() { early.Records = records }()\n"},
		explore.Patch{Name: "RC6: a Snapshot takes the counts of others before mu", File: recorder,
			Old: "	r.mu.Lock()\n	defer r.mu.Unlock()\n" +
				"	now := readBeside(r.mu.pool) // before anything is allocated\n" +
				"	now.minus(&r.mu.since)\n",
			New: "	now := readBeside(r.mu.pool)\n	now.minus(&r.mu.since)\n	r.mu.Lock()\n" +
				"	defer r.mu.Unlock()\n"},
	)
	explore.Programs(t, small, slices.Concat(rings, times, totals)...)
}
