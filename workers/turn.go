package workers

// A turn is W9 for the lanes that no worker serves, but calls of RunUntil do: after 15 jobs in a row one of another
// lane goes first, each lane in its turn. The call may be over before that job fits; then the next call begins with it,
// until it fits or has waited for too long (see runPassed).
type turn struct {
	owed   int  // the lane whose turn it is + 1, 0 = none's
	last   int  // the lane that had it before
	inARow int  // jobs since then
	off    bool // until the next call
}

// takeTurn gives h what the last call of Pool.RunUntil has left, whichever caller that had: where jobs wait, it is
// another one each time. Calls at the same time have a turn each, and one of them leaves its own.
func (p *Pool) takeTurn(h *caller) *turn {
	t := p.turn.Swap(nil)
	if t == nil {
		t = new(turn)
	}
	h.turn = *t
	return t
}

func (p *Pool) keepTurn(h *caller, t *turn) {
	*t = h.turn
	p.turn.Store(t)
}

// first returns the lane that a call begins with.
func (t *turn) first(p *Pool) int {
	t.off = false
	if t.owed != 0 && !p.awaits(t.owed-1) {
		t.end()
	}
	return t.next()
}

// ran notes that a job of the lane has had its run, and returns the lane to look at next.
func (t *turn) ran(p *Pool, lane int) int {
	if t.owed == lane+1 {
		t.end()
		return 0
	}
	t.inARow++
	if t.owed == 0 && t.inARow >= floor {
		t.inARow = 0
		for range numLanes {
			t.last = (t.last + numLanes - 1) % numLanes // the least urgent first
			if t.last != lane && p.awaits(t.last) {
				t.owed = t.last + 1
				break
			}
		}
	}
	return t.next()
}

// none notes that nothing of the lane is to be had, or nothing more that fits, and returns the lane to look at next.
func (t *turn) none(lane int, unfit bool) int {
	switch {
	case !t.has(lane):
		return lane + 1
	case unfit:
		return t.unfit(lane)
	}
	t.end()
	return 0
}

// unfit notes that a job of the lane does not fit, and returns the lane to look at next.
func (t *turn) unfit(lane int) int {
	if !t.has(lane) {
		return lane
	}
	t.off = true
	return 0
}

// has reports whether it is the lane's turn now.
func (t *turn) has(lane int) bool { return t.owed == lane+1 && !t.off }

func (t *turn) next() int {
	if t.off {
		return 0
	}
	return max(t.owed-1, 0)
}

func (t *turn) end() { t.owed, t.inARow = 0, 0 }

// awaits reports whether jobs wait in a lane that no worker serves.
func (p *Pool) awaits(lane int) bool {
	l := &p.lanes[lane]
	return p.crewOf[lane].want.Load() == 0 &&
		(p.queued(lane) || l.extra.Load()&useYielded != 0 && !l.yielded.Empty())
}
