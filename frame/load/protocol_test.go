package load_test

import (
	"slices"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

func TestProtocol(t *testing.T) {
	const request, wait, decode = "request.go", "wait.go", "decode.go"
	jobs := explore.By("TestExploreNoJobGoesOnThatNobodyWants",
		explore.Patch{Name: "L3: a job does not look whether anybody wants the value", File: decode,
			Old: "	return !i.unwanted.Load()\n", New: "	return true\n"},
		explore.Patch{Name: "L3: a job looks whether anybody wants the value, and then stores cancel", File: decode,
			Old: "	i.cancel.Store(cancel)\n	return !i.unwanted.Load()\n",
			New: "	wanted = !i.unwanted.Load()\n	i.cancel.Store(cancel)\n	return wanted\n"},
		explore.Patch{Name: "L3: a task loads cancel, and then stores unwanted", File: decode,
			Old: "	i.unwanted.Store(true)\n	return i.cancel.Load()\n",
			New: "	cancel = i.cancel.Load()\n	i.unwanted.Store(true)\n	return cancel\n"},
	)
	waits := explore.By("TestExploreWhoWaitsIsCalledOnce",
		explore.Patch{Name: "L1: a commit looks at the state, and then stores", File: request,
			Old: "	if !r.state.CompareAndSwap(uint32(Pending), uint32(committing)) {\n		return\n	}\n",
			New: "	if r.state.Load() != uint32(Pending) {\n		return\n	}\n" +
				"	r.state.Store(uint32(committing))\n"},
		explore.Patch{Name: "L1: a commit does not ask whether the request was canceled", File: request,
			Old: "	if !r.state.CompareAndSwap(uint32(Pending), uint32(committing)) {\n",
			New: "	if r.state.Swap(uint32(committing)); false {\n"},
		explore.Patch{Name: "L1: a cancellation looks at the state, and then stores", File: request,
			Old: "	ok := r.state.CompareAndSwap(uint32(Pending), uint32(Canceled))\n	if ok {\n",
			New: "	ok := r.state.Load() == uint32(Pending)\n	if ok {\n" +
				"		r.state.Store(uint32(Canceled))\n"},
		explore.Patch{Name: "L5: Notify does not look whether the request has ended", File: wait,
			Old: "	if e.ended {\n		e.mu.Unlock()\n		f()\n		return\n	}\n", New: ""},
		explore.Patch{Name: "L5: Notify looks whether the request has ended, and then takes the lock", File: wait,
			Old: "	e.mu.Lock()\n	if e.ended {\n		e.mu.Unlock()\n		f()\n		return\n	}\n",
			New: "	e.mu.Lock()\n	ended := e.ended\n	e.mu.Unlock()\n	if ended {\n		f()\n" +
				"		return\n	}\n" +
				"	e.mu.Lock()\n"},
		explore.Patch{Name: "L5: Notify calls with the lock", File: wait,
			Old: "	if e.ended {\n		e.mu.Unlock()\n		f()\n",
			New: "	if e.ended {\n		f()\n		e.mu.Unlock()\n"},
		explore.Patch{Name: "L5: nobody looks for Close", File: wait,
			Old: "		e.stop = r.life.AfterFunc(r.closed)\n",
			New: "		e.stop = func() bool { return true }\n"},
		explore.Patch{Name: "L5: the watch of Close does not look at the state", File: wait,
			Old: "	if r.State() == Canceled {\n		r.over", New: "	if true {\n		r.over"},
		explore.Patch{Name: "L5: the end comes before the commit has returned", File: request,
			Old: "	d.close()\n	r.commit(value, err)\n",
			New: "	d.close()\n	r.over.end(nil)\n	r.commit(value, err)\n"},
		explore.Patch{Name: "L5: the end comes before the state", File: request,
			Old: "	r.state.Store(uint32(s))\n	r.over.end(err)\n",
			New: "	r.over.end(err)\n	r.state.Store(uint32(s))\n"},
		explore.Patch{Name: "L5: a commit does not end the request", File: request,
			Old: "	r.state.Store(uint32(s))\n	r.over.end(err)\n", New: "	r.state.Store(uint32(s))\n"},
		explore.Patch{Name: "L5: an end takes the list, and says so later", File: wait,
			Old: "	e.ended, e.err = true, err\n	waiting, stop := e.waiting, e.stop\n" +
				"	e.waiting, e.stop = nil, nil\n	e.mu.Unlock()\n",
			New: "	waiting, stop := e.waiting, e.stop\n	e.waiting, e.stop = nil, nil\n	e.mu.Unlock()\n" +
				"	e.mu.Lock()\n	e.ended, e.err = true, err\n	e.mu.Unlock()\n"},
	)
	explore.Programs(t, nil, slices.Concat(jobs, waits)...)
}
