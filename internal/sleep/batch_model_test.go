package sleep

import (
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

// Batches (M1) as a model: the sleeping protocol of sleeper_model_test.go with three items, of which the second and
// the third become visible at once, and workers that take all that is visible, run the first and publish the rest, also
// between two jobs, when they do not count as searchers. The first job ends at once, the others only when all have
// been taken: so an item that lies visible, or hidden, while a worker sleeps for good is a terminal state.

type batchMutant int

const (
	batchSound       batchMutant = iota
	batchSilent                  // M1: what has been published is not notified of
	batchNotifyFirst             // M1: notify before the publication
	batchKept                    // M1: the rest is private until the first job has ended
)

const batchItems = 3

type batchState struct {
	park   parkState
	hidden [parkWorkers]int8 // claimed and not yet published
	after  [parkWorkers]int8 // the pc after the publication
	job    [parkWorkers]int8 // the number of the item that it runs
}

// Program counters besides those of sleeper_model_test.go.
const (
	wNext    int8 = 60 + iota // a look between two jobs
	wPublish                  // of what is hidden
	wTell    int8 = 70        // to 76: notify
)

// take claims all that is visible, and goes on at the publication if there is something to publish.
func (s *batchState) take(i int, then, none int8, m batchMutant) {
	p := &s.park
	if p.visible == 0 {
		p.pc[i] = none
		return
	}
	p.taken++
	s.job[i] = p.taken
	s.hidden[i], s.after[i] = p.visible-1, then
	p.visible = 0
	switch {
	case s.hidden[i] == 0 || m == batchKept:
		p.pc[i], s.after[i] = then, 0
	case m == batchNotifyFirst:
		p.pc[i] = wTell
	default:
		p.pc[i] = wPublish
	}
}

func (s *batchState) work(i int, m batchMutant) bool {
	p := &s.park
	pc := &p.pc[i]
	switch {
	case *pc == wNext:
		s.take(i, wRun, wSearch, m)
	case *pc == wLinger:
		s.take(i, wFound, wLeave, m)
	case *pc == wSweep:
		s.take(i, wUpFound1, wWait, m)
		p.waits[i] = *pc == wWait
	case *pc == wRetry:
		s.take(i, wFound, wSearch, m)
	case *pc == wPublish:
		p.visible += s.hidden[i]
		s.hidden[i] = 0
		*pc = wTell
		if m != batchSound {
			*pc, s.after[i] = s.after[i], 0
		}
	case *pc >= wTell:
		n := notifySteps(p, parkItems+i, *pc-wTell, parkSound)
		*pc = wTell + n
		if n == 5 {
			*pc = s.after[i]
			if m == batchNotifyFirst {
				*pc = wPublish
			} else {
				s.after[i] = 0
			}
		}
	case *pc == wRun:
		if s.job[i] > 1 && p.taken < batchItems {
			return false
		}
		s.job[i] = 0
		p.visible += s.hidden[i] // batchKept
		s.hidden[i] = 0
		*pc = wNext
	default:
		return parkWorkerStep(p, i, parkSound)
	}
	return true
}

// publish is one publisher, which makes one item visible, and then two.
func (s *batchState) publish() bool {
	p := &s.park
	switch pc := p.pub[0]; {
	case p.pub[1] == 2:
		return false
	case pc == 0:
		p.visible += 1 + p.pub[1]
		p.pub[0] = 20
	default:
		p.pub[0] = notifySteps(p, 0, pc-20, parkSound) + 20
		if p.pub[0] == 25 {
			p.pub[0] = 0
			p.pub[1]++
		}
	}
	return true
}

func batchModel(m batchMutant) explore.Model[batchState] {
	var threads []explore.Thread[batchState]
	add := func(name string, step func(s *batchState) bool) {
		threads = append(threads, explore.Thread[batchState]{Name: name, Step: func(s *batchState) bool {
			if !step(s) {
				return false
			}
			s.park.canon()
			return true
		}})
	}
	add("publish", func(s *batchState) bool { return s.publish() })
	for i := range parkWorkers {
		add(fmt.Sprint("worker", i), func(s *batchState) bool { return s.work(i, m) })
	}
	return explore.Model[batchState]{
		Threads: threads,
		Final: func(s batchState) error {
			if s.park.taken != batchItems {
				return fmt.Errorf("%d of %d items taken, and nobody moves", s.park.taken, batchItems)
			}
			return nil
		},
	}
}

func TestModelBatchesLoseNoWakeUp(t *testing.T) {
	explore.Try(t, batchSound, explore.Span(batchSilent, batchKept), batchModel)
}
