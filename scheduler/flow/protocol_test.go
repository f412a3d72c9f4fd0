package flow_test

import (
	"slices"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

func TestProtocol(t *testing.T) {
	const signal, topic, latest, pulse, completed = "signal.go", "topic.go", "latest.go", "debounce.go", "completed.go"
	signals := explore.By("TestExploreEachSignalIsHeard",
		explore.Patch{Name: "S25: a signal is answered by a load and a store", File: signal,
			Old: "return b.word.Swap(0)", New: "w := b.word.Load()\n	b.word.Store(0)\n	return w"},
		explore.Patch{Name: "S25: each raise submits the task", File: signal,
			Old: "		if w == 0 {\n", New: "		if true {\n"},
		explore.Patch{Name: "S25: a signal is raised by a store", File: signal,
			Old: "n != w && !b.word.CompareAndSwap(w, n) {\n			continue\n		}\n",
			New: "n != w {\n			b.word.Store(n)\n		}\n"},
		explore.Patch{Name: "S25: the task is submitted before the wish is there", File: signal,
			Old: "		if n := next(w); n != w && !b.word.CompareAndSwap(w, n) {\n			continue\n" +
				"		}\n" +
				"		if w == 0 {\n			s.Submit(&b.task)\n		}\n",
			New: "		if w == 0 {\n			s.Submit(&b.task)\n		}\n" +
				"		if n := next(w); n != w && !b.word.CompareAndSwap(w, n) {\n			continue\n		}\n"},
	)
	topics := explore.By("TestExploreEachValueIsDelivered",
		explore.Patch{Name: "S43: the message is sent before the value is there", File: topic,
			Old: "	for {\n		if u.values.Put(v) {\n			u.send()\n",
			New: "	u.send()\n	for {\n		if u.values.Put(v) {\n"},
		explore.Patch{Name: "S43: a message is counted as gone when the value has been taken", File: topic,
			Old: "	u.sent.Add(-1)\n	v, ok := u.values.Take()\n",
			New: "	v, ok := u.values.Take()\n	u.sent.Add(-1)\n"},
		explore.Patch{Name: "S43: a number is added and taken back", File: topic,
			Old: "		n := u.sent.Load()\n		if n >= int64(u.values.Cap()) {\n			return\n" +
				"		}\n" +
				"		if u.sent.CompareAndSwap(n, n+1) {\n			break\n		}\n",
			New: "		if u.sent.Add(1) <= int64(u.values.Cap()) {\n			break\n		}\n" +
				"		u.sent.Add(-1)\n		return\n"},
		explore.Patch{Name: "S43: a message is counted in two steps", File: topic,
			Old: "u.sent.CompareAndSwap(n, n+1) {", New: "u.sent.Store(n + 1); true {"},
	)
	latests := explore.By("TestExploreNoKeyIsRefusedBecauseOfItself",
		explore.Patch{Name: "S42: the slot is given back when the key has gone", File: latest,
			Old: "	l.used.Add(-1)\n	b := l.bucket(key)\n",
			New: "	defer l.used.Add(-1)\n	b := l.bucket(key)\n"},
		explore.Patch{Name: "S42: a key goes though its value is another goroutine's", File: latest,
			Old: "		if !n.first {\n", New: "		if false {\n"},
		explore.Patch{Name: "S42: a key that is one too many has no slot", File: latest,
			Old: "			l.used.Add(1) // one too many\n", New: ""},
		explore.Patch{Name: "S42: a key takes its slot before it is put in", File: latest,
			Old: "			if b.CompareAndSwap(head, " +
				"&latestNode[K, V]{key: key, value: value, first: true, next: head}) {\n" +
				"				return l.admit(b, key)\n			}\n",
			New: "			if !l.take() {\n				return ErrFull\n			}\n" +
				"			if b.CompareAndSwap(head, " +
				"&latestNode[K, V]{key: key, value: value, first: true, next: head}) {\n" +
				"				l.submit(key)\n				return nil\n			}\n" +
				"			l.used.Add(-1)\n"},
		explore.Patch{Name: "S42: a slot is taken in two steps", File: latest,
			Old: "l.used.CompareAndSwap(n, n+1) {", New: "l.used.Store(n + 1); true {"},
		explore.Patch{Name: "S24: a key is put in by a store", File: latest,
			Old: "			if b.CompareAndSwap(head, " +
				"&latestNode[K, V]{key: key, value: value, first: true, next: head}) {\n",
			New: "			if b.Store(" +
				"&latestNode[K, V]{key: key, value: value, first: true, next: head}); true {\n"},
		explore.Patch{Name: "S24: a key is taken out by a store", File: latest,
			Old: "		if b.CompareAndSwap(head, head.replace(n, n.next)) {\n			l.f",
			New: "		if b.Store(head.replace(n, n.next)); true {\n			l.f"},
	)
	pulses := explore.By("TestExploreNoCallIsLostBetweenTwoLooks|TestExploreACancelTakesBackNoLaterCall",
		explore.Patch{Name: "S36: a call raises the signal before the times", File: pulse,
			Old: "	for last := p.last.Load(); last < now && !p.last.CompareAndSwap(last, now); {\n" +
				"		last = p.last.Load()\n	}\n" +
				"	if p.first.Load() == 0 {\n		p.first.CompareAndSwap(0, now|1)\n	}\n",
			New: "	defer func() {\n" +
				"		for last := p.last.Load(); last < now && !p.last.CompareAndSwap(last, now); {\n" +
				"			last = p.last.Load()\n		}\n" +
				"		if p.first.Load() == 0 {\n			p.first.CompareAndSwap(0, now|1)\n		}\n	}()\n"},
		explore.Patch{Name: "S36: a call sets first before last", File: pulse,
			Old: "	for last := p.last.Load(); last < now && !p.last.CompareAndSwap(last, now); {\n" +
				"		last = p.last.Load()\n	}\n" +
				"	if p.first.Load() == 0 {\n		p.first.CompareAndSwap(0, now|1)\n	}\n",
			New: "	if p.first.Load() == 0 {\n		p.first.CompareAndSwap(0, now|1)\n	}\n" +
				"	for last := p.last.Load(); last < now && !p.last.CompareAndSwap(last, now); {\n" +
				"		last = p.last.Load()\n	}\n"},
		explore.Patch{Name: "S36: last goes back", File: pulse,
			Old: "	for last := p.last.Load(); last < now && !p.last.CompareAndSwap(last, now); {\n" +
				"		last = p.last.Load()\n	}\n",
			New: "	p.last.Store(now)\n"},
		explore.Patch{Name: "S36: first is the newest", File: pulse,
			Old: "	if p.first.Load() == 0 {\n		p.first.CompareAndSwap(0, now|1)\n	}\n",
			New: "	p.first.Store(now | 1)\n"},
		explore.Patch{Name: "S36: first is taken before the answer", File: pulse,
			Old: "	w = p.signal.answer()\n	if w&wantCalls != 0 {\n" +
				"		first, last = deadline.Instant(p.first.Swap(0)), deadline.Instant(p.last.Load())\n	}\n",
			New: "	first = deadline.Instant(p.first.Swap(0))\n	w = p.signal.answer()\n" +
				"	last = deadline.Instant(p.last.Load())\n"},
		explore.Patch{Name: "S36: last is loaded before first is taken", File: pulse,
			Old: "first, last = deadline.Instant(p.first.Swap(0)), deadline.Instant(p.last.Load())",
			New: "last, first = deadline.Instant(p.last.Load()), deadline.Instant(p.first.Swap(0))"},
		explore.Patch{Name: "S36: the clock is read before first is taken", File: pulse,
			Old: "	w = p.signal.answer()\n	if w&wantCalls != 0 {\n" +
				"		first, last = deadline.Instant(p.first.Swap(0)), deadline.Instant(p.last.Load())\n	}\n" +
				"	now = p.s.Now()\n",
			New: "	w = p.signal.answer()\n	now = p.s.Now()\n	if w&wantCalls != 0 {\n" +
				"		first, last = deadline.Instant(p.first.Swap(0)), deadline.Instant(p.last.Load())\n	}\n"},
		explore.Patch{Name: "S36: first is read and stays", File: pulse,
			Old: "deadline.Instant(p.first.Swap(0))", New: "deadline.Instant(p.first.Load())"},
		explore.Patch{Name: "S38: a run does not look whether a Cancel is wanted", File: pulse,
			Old: "p.signal.word.Load()&wantCancel == 0 {", New: "p.signal.word.Load() != 1<<31 {"},
		explore.Patch{Name: "S38: a Cancel takes the queued run back, and a run does not look", File: pulse,
			Old: "func(uint32) uint32 { return wantCancel })\n}\n\n" +
				"// unlessCanceled returns the run's function: f, unless a Cancel is wanted.\n" +
				"func (p *pulse) unlessCanceled(f func()) func() {\n	return func() {\n		p.queued = false\n" +
				"		if p.signal.word.Load()&wantCancel == 0 {\n",
			New: "func(uint32) uint32 { return wantCancel })\n	p.run.Cancel()\n}\n\n" +
				"func (p *pulse) unlessCanceled(f func()) func() {\n	return func() {\n		p.queued = false\n" +
				"		if true {\n"},
		explore.Patch{Name: "S38: a Cancel takes the queued run back", File: pulse,
			Old: "func(uint32) uint32 { return wantCancel })\n",
			New: "func(uint32) uint32 { return wantCancel })\n	p.run.Cancel()\n"},
		explore.Patch{Name: "S38: a look cancels what it has heard of", File: pulse,
			Old: "	if w&wantCancel != 0 {\n		p.e.cancel()\n		p.run.Cancel()\n" +
				"		p.queued = false\n	}\n" +
				"	if w&wantCall != 0 && p.e.call(first, last, now) {\n		p.start()\n	}\n",
			New: "	if w&wantCall != 0 && p.e.call(first, last, now) {\n		p.start()\n	}\n" +
				"	if w&wantCancel != 0 {\n		p.e.cancel()\n		p.run.Cancel()\n" +
				"		p.queued = false\n	}\n"},
		explore.Patch{Name: "S38: a look that cancels leaves the queued run", File: pulse,
			Old: "		p.run.Cancel()\n		p.queued = false\n", New: ""},
	)
	orders := explore.By("TestExploreEachIndexComesOnce",
		explore.Patch{Name: "AC2: an end does not compare the numbers", File: completed,
			Old: "w == nil || uint64(w.taken) >= n {", New: "w == nil {"},
		explore.Patch{Name: "AC1: an end counts before its index is in the list", File: completed,
			Old: "	for {\n		old := c.last.Load()\n		n = old>>32 + 1\n" +
				"		c.after[i] = uint32(old)\n" +
				"		if c.last.CompareAndSwap(old, n<<32|uint64(i+1)) { // AC1\n			break\n		}\n" +
				"	}\n",
			New: "	n = c.last.Add(1<<32) >> 32\n	defer func() {\n		for {\n" +
				"			old := c.last.Load()\n" +
				"			c.after[i] = uint32(old)\n" +
				"			if c.last.CompareAndSwap(old, old>>32<<32|uint64(i+1)) {\n				return\n" +
				"			}\n" +
				"		}\n	}()\n"},
		explore.Patch{Name: "AC1: an end is counted by a store", File: completed,
			Old: "c.last.CompareAndSwap(old, n<<32|uint64(i+1)) { // AC1",
			New: "c.last.Store(n<<32 | uint64(i+1)); true {"},
		explore.Patch{Name: "AC3: an end takes the waiter away by a store", File: completed,
			Old: "		if c.waiter.CompareAndSwap(w, nil) { // AC3\n",
			New: "		if c.waiter.Store(nil); true {\n"},
		explore.Patch{Name: "AC2: Notify does not look when it has stored its waiter", File: completed,
			Old: "len(c.ready) > 0 || uint32(c.last.Load()) != 0) &&", New: "len(c.ready) > 0) &&"},
		explore.Patch{Name: "AC2: Notify looks before it stores its waiter", File: completed,
			Old: "	if old := c.waiter.Swap(w); old != nil {\n" +
				"		old.f() // if it still waits after all, its Result panics\n	}\n" +
				"	if (c.taken == c.total || len(c.ready) > 0 || uint32(c.last.Load()) != 0) &&",
			New: "	there := c.taken == c.total || len(c.ready) > 0 || uint32(c.last.Load()) != 0\n" +
				"	if old := c.waiter.Swap(w); old != nil {\n		old.f()\n	}\n	if there &&"},
		explore.Patch{Name: "AC3: Notify calls its waiter and leaves it there", File: completed,
			Old: "!= 0) && c.waiter.CompareAndSwap(w, nil) {", New: "!= 0) {"},
		explore.Patch{Name: "AC1: the newest index comes first", File: completed,
			Old: "	n := len(c.ready) - 1\n	i := c.ready[n]\n	c.ready = c.ready[:n]\n",
			New: "	i := c.ready[0]\n	c.ready = c.ready[1:]\n"},
		explore.Patch{Name: "AC1: Result empties the list by a store", File: completed,
			Old: "if !c.last.CompareAndSwap(old, old>>32<<32) {", New: "if c.last.Store(old >> 32 << 32); false {"},
	)
	explore.Programs(t, nil, slices.Concat(signals, topics, latests, pulses, orders)...)
}
