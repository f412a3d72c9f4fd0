package load

// L1 to L4 as a model: two requests, each made, lowered and canceled at any moment by goroutines of their own, the
// tasks of their loader, and the jobs. A task is one step, as tasks exclude each other. Only its words to a job are
// steps of their own. Tasks come in any order, of which the inbox is one. There is a place for one decode ahead, and a
// second attempt.
type loadState struct {
	asks    [2]loadAsk
	decodes [2]loadDecode
	n       int8 // decodes so far
	drops   int8 // 1 + the decode that a task tells that nobody wants it any more
	pc      int8 // of that
	told    bool // it has loaded cancel early (a mutant)
	look    bool // await's task is on its way
}

type loadAsk struct {
	made, canceler, ranker      int8 // pcs
	canceled, committed         bool
	wish, rank                  bool // less urgent
	begin, leave, reorder, task bool // tasks that are on their way
	decode                      int8 // 1 + its index
	wrong                       bool // committed with what was not for it
}

type loadDecode struct {
	key, tries, job, result    int8
	wanted                     [2]bool
	mapped, ended, held, ahead bool
	low                        bool // its rank
	done, replaced, timer      bool // tasks that are on their way
	unwanted, hangs            bool
	cancel, over               int8 // attempts: whose cancel the job has stored, and which one has been called
}

// Where a job is.
const (
	jobNone = iota
	jobHeld
	jobQueued
	jobTaken
	jobStored
	jobDecodes
	jobEnds
	jobOver
)

// The results of a job.
const (
	loadValue = 1 + iota
	loadError
	loadGivenUp
)

type loadMutant int

const (
	loadSound       loadMutant = iota
	loadUnlooked               // a job does not look whether it is unwanted when it has stored cancel
	loadCancelFirst            // a task loads cancel before it stores unwanted
	loadStays                  // a decode that nobody wants stays open for others
	loadKeeps                  // and keeps its place
	loadTakesAll               // the end of a job that was replaced counts
	loadNoLook                 // no look at what is held when a place is free
	loadLeaves                 // nor when somebody has left
	loadForces                 // a commit does not ask whether it was canceled
)

func (s *loadState) unhold() {
	for {
		first := -1
		for i := range s.decodes {
			if f := &s.decodes[i]; f.held && (first < 0 || s.decodes[first].low && !f.low) {
				first = i
			}
			if s.decodes[i].ahead {
				return
			}
		}
		if first < 0 {
			return
		}
		f := &s.decodes[first]
		f.held, f.ahead, f.job = false, true, jobQueued
	}
}

// start is start: it looks, unless another held one comes first.
func (s *loadState) start(f *loadDecode) {
	f.tries++
	f.timer, f.held, f.job, f.result = false, true, jobHeld, 0
	for i := range s.decodes {
		if g := &s.decodes[i]; g != f && g.held && (f.low || !g.low) {
			return
		}
	}
	s.unhold()
}

// rerank is rerank.
func (s *loadState) rerank(f *loadDecode) bool {
	low := true
	for i := range s.asks {
		low = low && (!f.wanted[i] || s.asks[i].rank)
	}
	if low == f.low {
		return false
	}
	if f.low = low; f.job == jobQueued { // Cancel succeeds
		f.ahead, f.held, f.job = false, true, jobHeld
		f.replaced = true
	}
	return true
}

func (s *loadState) begin(i int, key int8) bool {
	r := &s.asks[i]
	if !r.begin || s.pc != 0 {
		return false
	}
	if r.begin = false; r.canceled {
		return true
	}
	at := -1
	for k := range s.decodes {
		if f := &s.decodes[k]; f.mapped && f.key == key && (!f.ended || f.result == loadValue) {
			at = k
		}
	}
	fresh := at < 0
	if fresh {
		for k := range s.decodes {
			s.decodes[k].mapped = s.decodes[k].mapped && s.decodes[k].key != key
		}
		at = int(s.n)
		s.n++
		s.decodes[at] = loadDecode{key: key, mapped: true}
	}
	f := &s.decodes[at]
	r.decode, r.rank, f.wanted[i] = int8(at+1), r.wish, true
	if s.rerank(f) {
		s.unhold()
	}
	if r.task = f.ended; fresh {
		s.start(f)
	}
	return true
}

// depart is depart and drop: it leaves to tell what comes after a decode is unwanted.
func (s *loadState) depart(i int, m loadMutant) {
	r := &s.asks[i]
	at := r.decode - 1
	f := &s.decodes[at]
	r.decode, f.wanted[i] = 0, false
	if f.wanted != [2]bool{} {
		s.rerank(f)
		return
	}
	f.mapped = f.mapped && m == loadStays
	f.ahead = f.ahead && m == loadKeeps
	if !f.ended {
		s.drops, s.pc = at+1, 1
	}
}

// tell is what drop has to say to a job.
func (s *loadState) tell(m loadMutant) bool {
	if s.pc == 0 {
		return false
	}
	f := &s.decodes[s.drops-1]
	s.pc++
	switch s.pc - 1 {
	case 1:
		if m == loadCancelFirst {
			s.told = f.cancel != 0
		}
		if m != loadCancelFirst {
			f.unwanted = true
		}
	case 2:
		f.unwanted, f.timer = true, false
		if f.held {
			f.held, f.job = false, jobNone
			s.drops, s.pc = 0, 0
		}
	case 3:
		if f.job == jobQueued {
			f.job, f.result = jobEnds, loadGivenUp
		}
	case 4:
		if f.cancel != 0 && (m != loadCancelFirst || s.told) {
			f.over = f.cancel
		}
		s.drops, s.pc, s.told = 0, 0, false
	}
	return true
}

func (s *loadState) leave(i int, m loadMutant) bool {
	r := &s.asks[i]
	if !r.leave || s.pc != 0 {
		return false
	}
	if r.leave = false; r.decode == 0 {
		return true
	}
	r.task = false
	s.depart(i, m)
	s.look = s.look || m != loadLeaves
	return true
}

func (s *loadState) commit(i int, m loadMutant) bool {
	r := &s.asks[i]
	if !r.task || s.pc != 0 {
		return false
	}
	r.task = false
	f := &s.decodes[r.decode-1]
	r.wrong = f.result != loadValue && f.result != loadError
	if s.depart(i, m); m != loadNoLook {
		s.unhold()
	}
	if !r.canceled || m == loadForces {
		r.committed, f.mapped = true, false
	}
	return true
}

func (s *loadState) reorder(i int) bool {
	r := &s.asks[i]
	if !r.reorder || s.pc != 0 {
		return false
	}
	if r.reorder = false; r.decode != 0 {
		r.rank = r.wish
		s.rerank(&s.decodes[r.decode-1])
		s.unhold()
	}
	return true
}

// other are a decode's tasks: done, of a job that counts or not, and a retry.
func (s *loadState) other(f *loadDecode, attempts int8, m loadMutant) bool {
	switch {
	case s.pc != 0:
		return false
	case f.replaced:
		if f.replaced = false; m == loadTakesAll && !f.ended {
			f.result = loadGivenUp
			s.end(f)
		}
	case f.done:
		f.done = false
		failed := f.result != loadValue
		f.ahead = f.ahead && !failed
		if m != loadNoLook {
			s.unhold()
		}
		switch {
		case f.unwanted:
		case f.result == loadError && f.tries < attempts:
			f.timer = true
		default:
			s.end(f)
		}
	case f.timer:
		s.start(f)
	default:
		return false
	}
	return true
}

func (s *loadState) looks() bool {
	if !s.look || s.pc != 0 {
		return false
	}
	s.look = false
	s.unhold()
	return true
}

func (s *loadState) end(f *loadDecode) {
	f.ended = true
	for i := range s.asks {
		s.asks[i].task = s.asks[i].task || f.wanted[i]
	}
}
