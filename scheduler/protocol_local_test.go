package scheduler_test

import (
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

// Local as a model (S35): what the frame goroutine does to items past the inbox, beside others who have a Handle.

// localState: the frame goroutine posts one item twice by Local, and cancels the first life at any moment; another
// cancels that life, too, and a third changes its priority. It is lifeState, and when the moment comes.
type localState struct {
	lifeState
	wish   int8 // 1: cancel now, 2: done
	direct requester
}

func localModel(mutant string) explore.Model[localState] {
	life := lifeModelOf(mutant, func(s *lifeState) { // nextLife, in the step of the code that ends the life
		s.fn, s.free, s.ready = 0, true, true
		if mutant != "life is not counted" {
			s.life++
		}
	})
	life.Init.life, life.Init.ready = 1, true
	step := func(t explore.Thread[lifeState]) explore.Thread[localState] {
		return explore.Thread[localState]{Name: t.Name, Step: func(s *localState) bool {
			return s.post.n > 0 && t.Step(&s.lifeState) // before that there is no Handle
		}}
	}
	read := life.Threads[3] // the frame goroutine as of the other model: it reads the inbox, claims, runs, ends
	word := func(s *localState) requester {
		return requester{0, s.life, s.ready, s.run, s.inbox, s.fresh, s.kill}
	}
	frame := explore.Thread[localState]{Name: "frame", Step: func(s *localState) bool {
		f, d := &s.f, &s.direct
		switch {
		case f.pc == 0 && s.wish == 1 && s.life == 1 && s.post.n == 1: // Local.Cancel: word.Load, and a look
			s.wish = 2
			*d = word(s)
			plain := d.ready && !d.kill && (!d.inbox || mutant == "whatever is linked")
			if f.pc = 12; plain && s.queued {
				f.pc = 10
			}
		case f.pc == 10: // CompareAndSwap
			if *d != word(s) && mutant != "store" {
				f.pc = 12
				break
			}
			s.inbox, s.fresh, s.kill = false, false, false
			s.canceled = true
			if mutant != "life is not counted" {
				s.life++
			}
			f.pc = 11
		case f.pc == 11: // unlink, put
			s.queued, s.fn, s.free = false, 0, true
			f.pc = 0
		case f.pc == 12: // Handle.Cancel: word.Load
			*d = word(s)
			if f.pc = 13; d.life != 1 || !d.ready {
				f.pc = 0
			}
		case f.pc == 13: // CompareAndSwap, and push
			if *d != word(s) {
				f.pc = 12
				break
			}
			s.ready, s.fresh, s.kill, s.inbox = false, false, true, true
			s.canceled = true
			if f.pc = 0; !d.inbox {
				s.linked++
			}
		case f.pc == 0 && s.linked == 0 && s.post.n < 2 && s.free: // Local.Post: the inbox is empty
			s.post.n++
			s.free, s.fn, s.queued = false, s.post.n, true
		default:
			return read.Step(&s.lifeState)
		}
		return true
	}}
	return explore.Model[localState]{
		Init: localState{lifeState: life.Init},
		Threads: []explore.Thread[localState]{
			step(life.Threads[1]), step(life.Threads[2]), frame,
			{Name: "moment", Step: func(s *localState) bool {
				if s.wish != 0 {
					return false
				}
				s.wish = 1
				return true
			}},
		},
		Invariant: func(s localState) error { return life.Invariant(s.lifeState) },
		Final:     func(s localState) error { return life.Final(s.lifeState) },
	}
}

func TestS35_ALocalLifeEndsOnce(t *testing.T) {
	try(t, localModel, "store", "whatever is linked", "life is not counted",
		"recycle what is linked")
}
