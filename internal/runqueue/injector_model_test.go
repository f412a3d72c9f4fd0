package runqueue

import (
	"errors"
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

// The injector (R1 to R6) as a model: producers and consumers on rings of two slots, the first consumer with
// popMany. Every item comes out once, each producer's items come out in their order if there is one consumer,
// nobody writes a slot that somebody else may read or write, and a push that has ended is found by a pop that begins
// after it. A quarter of a ring is one slot here, roomy looks once, and there is one spare.

type injectorMutant int

const (
	injectorSound  injectorMutant = iota
	fillAfterSeq                  // R2: the slot is announced before it is written
	freeBeforeRead                // R3: taken says that it was read before it has been
	takeUnseen                    // R3: popMany looks at the first of its slots only
	headFirst                     // R4: head is loaded before taken
	claimedIsRead                 // R4: what has been claimed counts as read
	readIsRoom                    // R4: who finds all read does not look how far the ring goes
	pushWhenClosed                // R5: a producer does not look at the closing bit
	leaveUndrained                // R5: a consumer moves on from a closed ring that is not drained
	noClose                       // R5: a full ring is left, but not closed
	spareUnread                   // R6: slots are used again that have not all been read
	spareSameLap                  // R6: a ring with used slots goes on with the index at which the old one ended
)

const (
	injectorRings = 4
	injectorItems = 6
)

type injectorSlots struct {
	turn, item [2]int8
	user       [2]int8 // who is between claim and release of the slot; 0 nobody
}

type injectorRing struct {
	slots      int8
	first      int8
	tail, head int8
	taken      int8
	closed     bool
	next       int8 // 0: none
}

type injectorProc struct{ pc, ring, at, left, item, seen, n int8 }

type injectorState struct {
	rings   [injectorRings]injectorRing
	slots   [injectorRings]injectorSlots
	used    int8 // rings that exist
	spare   int8 // 1 + the slots to use again, from the index first on; 0: none
	first   int8
	in, out int8
	prod    [2]injectorProc
	cons    [2]injectorProc
	got     [injectorItems]int8
	last    [3]int8 // the last item got from each producer
	wrong   int8
}

func (s *injectorState) fail(n int8) { s.wrong = n }

func (s *injectorState) enter(r *injectorSlots, slot, who int8) {
	if r.user[slot] != 0 {
		s.fail(1)
	}
	r.user[slot] = who
}

func (s *injectorState) produce(i int8, m injectorMutant) bool {
	p := &s.prod[i]
	r := &s.rings[p.ring]
	in := &s.slots[r.slots]
	slot := p.at & 1
	switch p.pc {
	case 0:
		if p.left == 0 {
			return false
		}
		p.ring, p.pc = s.in, 1
	case 1: // load tail
		if r.closed && m != pushWhenClosed {
			p.pc = 10
			return true
		}
		p.at, p.pc = r.tail, 2
	case 2: // roomy: the first lap, or load taken
		if p.at < r.first+2 {
			p.pc = 3
			return true
		}
		p.seen, p.pc = r.taken, 20
		if m == headFirst {
			p.seen = r.head
		}
	case 20: // load head
		taken, head := p.seen, r.head
		if m == headFirst {
			taken, head = r.taken, p.seen
		}
		p.seen, p.pc = 0, 3
		if head+2 < p.at+1 && m != readIsRoom || taken != head && m != claimedIsRead {
			p.pc = 4
		}
	case 3: // claim
		if r.tail != p.at || r.closed && m != pushWhenClosed {
			p.pc = 1
			return true
		}
		r.tail++
		p.pc = 5
		if m == fillAfterSeq {
			p.pc = 6
			return true
		}
		s.enter(in, slot, i+1)
	case 4: // close
		if r.tail != p.at || r.closed {
			p.pc = 1
			return true
		}
		r.closed = m != noClose
		p.pc = 10
	case 5: // write
		in.item[slot] = p.item + 1
		p.pc = 6
		if m == fillAfterSeq {
			p.pc = 9
		}
	case 6: // announce
		if m != fillAfterSeq {
			in.user[slot] = 0
		}
		in.turn[slot] = p.at/2 + 1
		p.pc = 9
		if m == fillAfterSeq {
			p.pc = 7
		}
	case 7: // fillAfterSeq: the late write
		s.enter(in, slot, i+1)
		in.item[slot] = p.item + 1
		in.user[slot] = 0
		p.pc = 9
	case 9:
		*p = injectorProc{left: p.left - 1, item: p.item + 1}
	case 10: // link
		if r.next == 0 {
			r.next = s.used
			s.rings[s.used] = injectorRing{slots: s.used}
			if f := s.first; s.spare != 0 {
				s.rings[s.used] = injectorRing{slots: s.spare - 1, first: f, tail: f, head: f, taken: f}
				s.spare, s.first = 0, 0
			}
			s.used++
		}
		p.pc = 11
	case 11: // move in
		if s.in == p.ring {
			s.in = r.next
		}
		p.pc = 0
	}
	return true
}

func (s *injectorState) consume(i int8, m injectorMutant) bool {
	c := &s.cons[i]
	r := &s.rings[c.ring]
	in := &s.slots[r.slots]
	slot := c.at & 1
	none := func() { *c = injectorProc{left: c.left - 1} }
	filled := func(at int8) bool { return in.turn[at&1] == at/2+1 }
	switch c.pc {
	case 0:
		if c.left == 0 {
			return false
		}
		c.ring, c.pc = s.out, 1
		if i == 0 {
			c.pc = 11
		}
	case 1:
		c.at, c.n, c.pc = r.head, 1, 2
	case 2:
		switch {
		case filled(c.at):
			c.pc = 3
		case in.turn[slot] < c.at/2+1 || r.head == c.at:
			c.pc = 7
		default:
			c.pc = 1
		}
	case 11: // popMany
		c.at, c.n, c.pc = r.head, 0, 12
	case 12: // is the next one filled?
		if !filled(c.at+c.n) && (m != takeUnseen || c.n == 0) {
			c.pc = 3
			if c.n == 0 {
				c.pc = 1 // pop
			}
			return true
		}
		if c.n++; c.n == 2 {
			c.pc = 3
		}
	case 3: // claim
		if r.head != c.at {
			c.pc = 1
			return true
		}
		r.head += c.n
		for k := range c.n {
			s.enter(in, (c.at+k)&1, i+10)
		}
		c.pc = 4
		if m == freeBeforeRead {
			r.taken += c.n
			for k := range c.n {
				in.user[(c.at+k)&1] = 0
			}
		}
	case 4, 5: // read
		k := (c.at + c.pc - 4) & 1
		s.receive(in.item[k])
		in.item[k] = 0
		if c.pc++; c.pc == 4+c.n {
			c.pc = 6
		}
	case 6:
		if m != freeBeforeRead {
			r.taken += c.n
			for k := range c.n {
				in.user[(c.at+k)&1] = 0
			}
		}
		none()
	case 7: // nothing here: is the ring at its end?
		if r.closed && (r.head == r.tail || m == leaveUndrained) && r.next != 0 {
			c.pc = 8
			return true
		}
		none()
	case 8:
		if s.out == c.ring {
			s.out = r.next
			if s.spare == 0 && (r.taken == r.tail || m == spareUnread) {
				s.spare, s.first = r.slots+1, (r.tail/2+1)*2
				if m == spareSameLap {
					s.first = r.tail
				}
			}
		}
		c.pc = 0
	}
	return true
}

func (s *injectorState) receive(item int8) {
	if item == 0 {
		s.fail(2)
		return
	}
	s.got[item-1]++
	p := (item - 1) / 2
	if s.last[p] >= item {
		s.fail(3)
	}
	s.last[p] = item
}

func injectorModel(producers, consumers int, m injectorMutant) explore.Model[injectorState] {
	var init injectorState
	init.used = 1
	var threads []explore.Thread[injectorState]
	pushes := int8(0)
	for i := range producers {
		init.prod[i] = injectorProc{left: 2, item: int8(2 * i)}
		if producers == 1 {
			init.prod[i].left = injectorItems
		}
		if producers+consumers == 4 && i == 1 {
			init.prod[i].left = 1 // two and two with two items each are four million states
		}
		pushes += init.prod[i].left
		threads = append(threads, explore.Thread[injectorState]{Name: fmt.Sprint("producer", i),
			Step: func(s *injectorState) bool { return s.produce(int8(i), m) }})
	}
	for i := range consumers {
		init.cons[i] = injectorProc{left: 4 - int8(consumers)}
		threads = append(threads, explore.Thread[injectorState]{Name: fmt.Sprint("consumer", i),
			Step: func(s *injectorState) bool { return s.consume(int8(i), m) }})
	}
	return explore.Model[injectorState]{
		Init:    init,
		Threads: threads,
		Invariant: func(s injectorState) error {
			switch {
			case s.wrong == 1:
				return errors.New("two at one slot")
			case s.wrong == 2:
				return errors.New("an empty slot was read")
			case s.wrong == 3 && consumers == 1:
				return errors.New("a producer's items came out of order")
			}
			return nil
		},
		// At the end a lone consumer that goes on must get all the rest.
		Final: func(s injectorState) error {
			s.cons[0] = injectorProc{left: 2*injectorItems + 2}
			for s.consume(0, m) {
			}
			got := int8(0)
			for i, n := range s.got {
				if n > 1 {
					return fmt.Errorf("item %d came out %d times", i, n)
				}
				got += n
			}
			if got != pushes {
				return fmt.Errorf("%d of %d items came out", got, pushes)
			}
			return nil
		},
	}
}

func TestModelInjectorLosesAndDoublesNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("a large model, and the same everywhere")
	}
	model := func(m injectorMutant, n [2]int) explore.Model[injectorState] { return injectorModel(n[0], n[1], m) }
	explore.TryIn(t, injectorSound, explore.Span(fillAfterSeq, spareSameLap), model,
		[2]int{1, 1}, [2]int{2, 1}, [2]int{1, 2}, [2]int{2, 2})
}
