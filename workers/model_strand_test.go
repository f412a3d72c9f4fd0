package workers

import (
	"errors"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

// ST1 to ST4 as a model: two goroutines that submit jobs 1 and 2, a third that submits job 3 and submits it again when
// it has run or was canceled, to the strand or to the pool, the runs and the passes, and a wait for job 2. Nobody else
// runs jobs 1 and 2 until the wait is over. A link of the list is a turn: job 3 may have two.
type strandState struct {
	head   int8 // 0: nobody has the turn; strandBusy; or the newest turn
	next   [strandTurns + 1]int8
	turn   [strandTurns + 1]uint32 // its state
	linked [strandTurns + 1]bool
	ready  int8
	holder int8 // a job
	over   int8 // the job whose end calls pass
	owed   int8 // ends of holders that nobody has passed on yet
	signal bool // passed holds a channel
	closed bool // the channel of the wait is closed

	job     [strandJobs + 1]state
	of      [strandJobs + 1]int8 // job.turn
	runs    [strandJobs + 1]int8
	order   [3]int8 // 1 and 2 as they got into the strand
	entered int8

	submit [3]strandSubmit
	cancel int8
	pass   strandPass
	wait   int8
	fault  error
	toPool bool // job 3 is submitted to the pool the second time
}

var (
	errStrandNotBehind = errors.New("a job got the turn that was not behind")
	errStrandTwice     = errors.New("a turn is in the list twice")
	errStrandOvertaken = errors.New("a job overtook another")
	errStrandNotOurs   = errors.New("the wait runs what is not the strand's")
)

type strandSubmit struct{ pc, old, rounds int8 }

type strandPass struct{ pc, t int8 }

const (
	strandJobs  = 3
	strandTurns = 4
	strandBusy  = int8(strandTurns + 1)

	strandWaited = 9
)

type strandMutant int

const (
	strandSound   strandMutant = iota
	strandStore                // the turn is given up by a store
	strandUnasked              // a turn is taken without a look whether its job was canceled
	strandSame                 // a job uses its turn again while the turn is in a list
	strandStack                // the list is not turned round
	strandForward              // a canceled job ends the pass, which gives no turn
	strandHasty                // the notice is enlisted when the holder is queued already, without a look (J1)
	strandDeaf                 // the wait looks before it stores passed
	strandMute                 // passed is taken before the holder is queued
	strandThief                // the wait does not ask whose turn the holder has
)

// turnOf returns the turn for the next submission of job j.
func (s *strandState) turnOf(j int8, m strandMutant) int8 {
	if t := s.of[j]; t != 0 && (s.turn[t] == turnFree || m == strandSame) {
		return t
	}
	if s.of[j] == 0 {
		return j
	}
	return strandTurns // a second one, for job 3
}

func strandJobOf(t int8) int8 { return min(t, strandJobs) }

// Where a submission is.
const (
	strandBegin = iota
	strandLook
	strandTake
	strandLink
	strandGive
	strandGive2
	strandGive3
	strandGive4
	strandDone
)

// give is give in its steps: it returns the next pc.
func (s *strandState) give(pc, j int8, m strandMutant) int8 {
	enlist := func() { s.over = j }
	queue := func() {
		if s.job[j] != behind {
			s.fault = errStrandNotBehind
		}
		s.job[j] = queued
	}
	tell := func() {
		s.closed = s.closed || s.signal
		s.signal = false
	}
	switch pc {
	case strandGive:
		s.holder = j
		if m == strandMute {
			tell()
		}
	case strandGive2:
		if m == strandHasty {
			queue()
		} else {
			enlist()
		}
	case strandGive3:
		if m == strandHasty {
			enlist()
		} else {
			queue()
		}
	case strandGive4:
		if m != strandMute {
			tell()
		}
	}
	return pc + 1
}

func (s *strandState) submits(who int, m strandMutant) bool {
	p := &s.submit[who]
	j := int8(who + 1)
	switch p.pc {
	case strandBegin:
		if s.job[j] != fresh && s.job[j] != finished {
			return false
		}
		if p.rounds == 1 && s.toPool {
			s.of[j], s.job[j] = 0, queued
			p.pc = strandDone
			break
		}
		s.of[j] = s.turnOf(j, m)
		s.job[j] = behind
		p.pc = strandLook
	case strandLook:
		p.old = s.head
		p.pc = strandLink
		if p.old == 0 {
			p.pc = strandTake
		}
	case strandTake:
		p.pc = strandLook
		if s.head == 0 {
			s.head = strandBusy
			s.enter(j)
			p.pc = strandGive
		}
	case strandLink: // the stores, and the swap; a Cancel between them finds the turn in no list
		t := s.of[j]
		p.pc = strandLook
		if s.head == p.old {
			if s.linked[t] {
				s.fault = errStrandTwice
			}
			s.next[t], s.turn[t], s.linked[t] = p.old, turnWaits, true
			s.head = t
			s.enter(j)
			p.pc = strandDone
		}
	case strandGive, strandGive2, strandGive3, strandGive4:
		p.pc = s.give(p.pc, j, m)
	case strandDone:
		if who != 2 || p.rounds > 0 || s.cancel != 2 || s.job[3] != finished {
			return false
		}
		p.rounds, p.pc = 1, strandBegin
	}
	return true
}

func (s *strandState) enter(j int8) {
	if j < 3 {
		s.order[s.entered] = j
		s.entered++
	}
}

// end is the end of a run, or of a Cancel: the state, and then the waiters.
func (s *strandState) end(j int8) {
	s.job[j] = finished
	if s.over == j {
		s.over = 0
		s.owed++
	}
}

// worker claims and ends what is queued, except where only the wait does.
func (s *strandState) worker() bool {
	for j := range s.job {
		switch {
		case s.job[j] == active:
			s.end(int8(j))
			return true
		case s.job[j] == queued && (j == 3 || s.wait == strandWaited):
			s.begin(int8(j))
			return true
		}
	}
	return false
}

func (s *strandState) begin(j int8) {
	s.job[j] = active
	s.runs[j]++
	if j < 3 && s.entered == 2 && s.order[1] == j && s.runs[s.order[0]] == 0 {
		s.fault = errStrandOvertaken
	}
}

func (s *strandState) cancels() bool {
	switch s.cancel {
	case 0:
		switch t := s.of[3]; {
		case s.job[3] == behind && s.turn[t] == turnWaits:
			s.turn[t] = turnCanceled
			s.cancel = 1
		case s.job[3] == queued:
			s.job[3] = settling
			s.cancel = 1
		case s.job[3] == active || s.job[3] == finished:
			s.cancel = 2
		default:
			return false
		}
	case 1:
		s.end(3)
		s.cancel = 2
	default:
		return false
	}
	return true
}

// passes is pass, by whichever goroutine has ended a holder.
func (s *strandState) passes(m strandMutant) bool {
	const idle, look, giveUp, take, claim = 0, 20, 21, 22, 23
	p := &s.pass
	switch p.pc {
	case idle:
		if s.owed == 0 {
			return false
		}
		s.owed--
		p.pc = look
	case look:
		switch {
		case s.ready != 0 && s.ready != strandBusy:
			p.pc = claim
		case s.head == strandBusy:
			p.pc = giveUp
		default:
			p.pc = take
		}
	case giveUp:
		p.pc = look
		if s.head == strandBusy || m == strandStore {
			s.head, s.holder = 0, 0
			p.pc = idle
		}
	case take:
		list := s.head
		s.head, s.ready = strandBusy, strandBusy
		if m == strandStack {
			s.ready = list
		} else {
			for t := list; t != strandBusy; {
				s.next[t], s.ready, t = s.ready, t, s.next[t]
			}
		}
		p.pc = claim
	case claim:
		p.t = s.ready
		s.ready = s.next[p.t]
		was := s.turn[p.t]
		s.turn[p.t], s.linked[p.t] = turnFree, false
		switch {
		case was == turnWaits || m == strandUnasked:
			p.pc = strandGive
		case m == strandForward:
			p.pc = idle
		default:
			p.pc = look
		}
	default:
		if p.pc = s.give(p.pc, strandJobOf(p.t), m); p.pc == strandDone {
			p.pc = idle
		}
	}
	return true
}

// waits is a wait for job 2 which nobody else runs, nor job 1.
func (s *strandState) waits(m strandMutant) bool {
	const begin, install, look, sleep = 0, 1, 2, 3
	switch s.wait {
	case begin:
		switch s.job[2] {
		case finished:
			s.wait = strandWaited
		case queued:
			s.begin(2)
		case behind:
			s.wait = install
			if m == strandDeaf {
				s.wait = look
			}
		default:
			return false
		}
	case install:
		s.signal, s.closed = true, false
		s.wait = look
		if m == strandDeaf {
			s.wait = sleep
		}
	case look:
		s.wait = sleep
		if m == strandDeaf {
			s.wait = install
		}
		if h := s.holder; h != 0 && s.job[h] == queued {
			if s.of[h] != 0 {
				s.begin(h)
				s.wait = begin
			} else if m == strandThief {
				s.fault = errStrandNotOurs
			}
		} else if s.job[2] != behind {
			s.wait = begin
		}
	case sleep:
		if !s.closed && s.job[2] != finished {
			return false
		}
		s.wait = begin
	default:
		return false
	}
	return true
}

func strandModel(m strandMutant, toPool bool) explore.Model[strandState] {
	threads := []explore.Thread[strandState]{
		{Name: "worker", Step: (*strandState).worker},
		{Name: "cancel", Step: (*strandState).cancels},
		{Name: "pass", Step: func(s *strandState) bool { return s.passes(m) }},
		{Name: "wait", Step: func(s *strandState) bool { return s.waits(m) }},
	}
	for who := range 3 {
		threads = append(threads, explore.Thread[strandState]{
			Name: "submit", Step: func(s *strandState) bool { return s.submits(who, m) },
		})
	}
	return explore.Model[strandState]{
		Init:    strandState{toPool: toPool},
		Threads: threads,
		Invariant: func(s strandState) error {
			n := 0
			for j, st := range s.job {
				if s.of[j] != 0 && (st == queued || st == active) {
					n++
				}
			}
			if n > 1 {
				return errors.New("two have the turn")
			}
			return s.fault
		},
		Final: func(s strandState) error {
			if s.runs[1] != 1 || s.runs[2] != 1 || s.job[3] != finished || s.head != 0 || s.wait != strandWaited {
				return errors.New("something was left behind, or ran twice")
			}
			return nil
		},
	}
}

func TestModelStrand(t *testing.T) {
	explore.TryIn(t, strandSound, explore.Span(strandStore, strandThief), strandModel, false, true)
}
