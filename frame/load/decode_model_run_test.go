package load

import (
	"errors"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

// goOn is the job's.
func (s *loadState) goOn(f *loadDecode, m loadMutant) bool {
	switch f.job {
	case jobQueued:
		f.job = jobTaken
	case jobTaken:
		f.cancel, f.job = f.tries, jobStored
	case jobStored:
		if f.job = jobDecodes; f.unwanted && m != loadUnlooked {
			f.job, f.result = jobEnds, loadGivenUp
		}
	case jobDecodes:
		if f.over != f.tries {
			return false
		}
		f.job, f.result = jobEnds, loadGivenUp
	case jobEnds:
		f.job, f.done = jobOver, true
	default:
		return false
	}
	return true
}

// comesTo has a decode end, or hang until its context ends.
func (f *loadDecode) comesTo(result int8) bool {
	if f.job != jobDecodes || f.hangs {
		return false
	}
	if f.hangs = result == 0; !f.hangs {
		f.job, f.result = jobEnds, result
	}
	return true
}

// load is Load: the context may cancel the request before begin is on its way.
func (s *loadState) load(i int) bool {
	r := &s.asks[i]
	switch r.made {
	case 0:
	case 1:
		r.begin = true
	default:
		return false
	}
	r.made++
	return true
}

func (s *loadState) mark(i int8) bool {
	r := &s.asks[i]
	if r.canceled || r.committed {
		return false
	}
	r.canceled = true
	return true
}

// cancel is Cancel, at any moment: after the commit it is as if there were none. The context may be early.
func (s *loadState) cancel(i int) bool {
	r := &s.asks[i]
	switch {
	case r.made == 0 || r.canceler == 2:
		return false
	case r.canceler == 1:
		r.leave, r.canceler = true, 2
	default:
		r.canceler = 2
		if s.mark(int8(i)) {
			r.canceler = 1
		}
	}
	return true
}

// lower is SetPriority, to another one, at any moment.
func (s *loadState) lower(i int) bool {
	r := &s.asks[i]
	switch {
	case r.made < 2 || r.ranker == 2:
		return false
	case r.ranker == 1:
		r.reorder, r.ranker = true, 2
	default:
		r.wish, r.ranker = true, 1
	}
	return true
}

// A loadScene is what may happen: all at once would be millions of states.
type loadScene struct {
	lowers, kept bool // one changes its priority; the second request is not canceled
	keys         int8 // less one
	attempts     int8
}

func loadModel(m loadMutant, c loadScene) explore.Model[loadState] {
	var threads []explore.Thread[loadState]
	thread := func(name string, step func(s *loadState) bool) {
		threads = append(threads, explore.Thread[loadState]{Name: name, Step: step})
	}
	for i, name := range []string{"one", "two"} {
		k := int8(i) * c.keys
		thread("load "+name, func(s *loadState) bool { return s.load(i) })
		thread("cancel "+name, func(s *loadState) bool { return (i == 0 || !c.kept) && s.cancel(i) })
		thread("begin "+name, func(s *loadState) bool { return s.begin(i, k) })
		thread("leave "+name, func(s *loadState) bool { return s.leave(i, m) })
		thread("commit "+name, func(s *loadState) bool { return s.commit(i, m) })
		thread("reorder "+name, func(s *loadState) bool { return s.reorder(i) })
		thread("decode "+name, func(s *loadState) bool { return s.other(&s.decodes[i], c.attempts, m) })
		thread("job "+name, func(s *loadState) bool { return s.goOn(&s.decodes[i], m) })
		for result, what := range []string{"hang ", "value ", "error "} {
			thread(what+name, func(s *loadState) bool { return s.decodes[i].comesTo(int8(result)) })
		}
	}
	if c.lowers {
		thread("lower one", func(s *loadState) bool { return s.lower(0) })
	}
	thread("tell", func(s *loadState) bool { return s.tell(m) })
	thread("look", (*loadState).looks)
	return explore.Model[loadState]{
		Threads: threads,
		Invariant: func(s loadState) error {
			switch one, two := &s.asks[0], &s.asks[1]; {
			case one.wrong && one.committed || two.wrong && two.committed:
				return errors.New("L1: a commit gets what it was not for")
			case one.committed && one.canceled || two.committed && two.canceled:
				return errors.New("L1: committed and canceled")
			case s.decodes[0].ahead && s.decodes[1].ahead:
				return errors.New("L4: two are ahead of one place")
			}
			return nil
		},
		Final: func(s loadState) error {
			if at := s.asks[1].decode; c.kept && at != 0 && s.decodes[at-1].job == jobDecodes {
				return nil // it waits for what hangs
			}
			for i, f := range s.decodes {
				switch r := s.asks[i]; {
				case f.job == jobDecodes:
					return errors.New("L3: a job hangs that nobody wants")
				case !r.canceled && !r.committed:
					return errors.New("L1: a request is neither committed nor canceled")
				case f.mapped || f.held || f.ahead || r.decode != 0:
					return errors.New("L2, L4: a decode is left over")
				}
			}
			return nil
		},
	}
}

func TestModelARequestCommitsOnceOrWasCanceled(t *testing.T) {
	if testing.Short() {
		t.Skip("a large model, and the same everywhere")
	}
	explore.TryIn(t, loadSound, explore.Span(loadUnlooked, loadForces), loadModel,
		loadScene{attempts: 2}, loadScene{attempts: 1, lowers: true},
		loadScene{attempts: 1, lowers: true, keys: 1, kept: true})
}
