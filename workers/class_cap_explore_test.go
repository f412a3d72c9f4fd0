//go:build explore

package workers

import (
	"errors"
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/atomic"
	"github.com/frameslice/frameslice/internal/explore"
)

// An office is a crew whose only lane is capped. It counts the workers that serve other lanes: those that are neither
// within a job of the lane nor gone. A worker within Blocking that has a spare is within its job.
type office struct {
	*crew
	program *explore.Program
	serving atomic.Int32
	begun   atomic.Int32 // jobs other than that which blocks
	left    atomic.Int32 // jobs that have not ended
	over    atomic.Bool
	clerks  [3]*clerk
}

func newOffice(p *explore.Program, workers int) *office {
	o := &office{crew: newCrew(p, deadline.Idle, workers), program: p}
	o.serving.Store(int32(workers))
	o.pool.launch = func(w *Worker) {
		o.serving.Add(1)
		o.starts[w.index].Store(true)
	}
	o.main = func(w *Worker) {
		o.serve(w)
		o.leave()
	}
	for i := range workers {
		o.seat(o.worker(i))
	}
	return o
}

// seat makes the worker a clerk.
func (o *office) seat(w *Worker) {
	k := &clerk{searcher: searcher{w}}
	k.search = func() bool { return w.find.takeFromLane(o.lane.at) }
	k.leaving = func() bool { return o.over.Load() || w.isUnwanted() }
	k.sit(o.class)
	o.clerks[w.index] = k
}

// serve is a clerk's work until it leaves.
func (o *office) serve(w *Worker) {
	for {
		for o.clerks[w.index].findOrSleep() {
			o.do(w)
		}
		o.class.wakeInStead()
		if w.alive.Store(false); o.over.Load() || !o.wantsAgain(w) {
			return
		}
	}
}

// wantsAgain is how depart keeps a worker that is wanted again.
func (o *office) wantsAgain(w *Worker) bool {
	return o.class.want.Load() > int32(w.index) && w.alive.CompareAndSwap(false, true)
}

// do runs the worker's job, and gives its place back.
func (o *office) do(w *Worker) {
	w.cur.job().Func(w)
	w.releaseCap()
}

// leave is for a worker that serves other lanes no more.
func (o *office) leave() {
	if o.serving.Add(-1) == 0 && o.left.Load() > 0 {
		o.program.Fail("nobody serves the other lanes")
	}
}

// job returns a job that does what f does.
func (o *office) job(f func(w *Worker)) *Job {
	o.left.Add(1)
	return &Job{Func: func(w *Worker) {
		o.leave()
		f(w)
		o.serving.Add(1)
		o.left.Add(-1)
	}}
}

// brief returns a job that ends at once.
func (o *office) brief() *Job { return o.job(func(*Worker) { o.begun.Add(1) }) }

// begin has worker 0 within a job of the lane, which does what f does. When the job has ended, all jobs have, and
// worker 2 has left for which there is no place, the worker makes all leave.
func (o *office) begin(p *explore.Program, f func(w *Worker)) {
	w := o.worker(0)
	w.cur = jobItem(o.job(f))
	w.resumeCap()
	p.Go("worker 0", func() {
		o.do(w)
		for o.left.Load() > 0 || o.worker(2).alive.Load() {
			explore.Yield()
		}
		o.over.Store(true)
		o.class.wakeAll()
	})
}

// check is how it all ends.
func (o *office) check() error {
	if n := o.class.capped.Load(); n != 0 {
		return fmt.Errorf("%d places are taken for good", n)
	}
	if o.lane.hasJob() {
		return errors.New("a job is left")
	}
	return nil
}

// A job of a capped lane blocks, and a spare takes its worker's place. In one case the job waits for another one of the
// lane, and the spare is within a job of another lane until then (H2). In the other case it waits for nothing, so its
// worker continues at any time (H2, H3).
func TestExploreTheCapLeavesOneWorker(t *testing.T) {
	for _, waits := range []bool{true, false} {
		t.Run(fmt.Sprint("waits ", waits), func(t *testing.T) {
			explore.Explore(t, 1, func(p *explore.Program) {
				o := newOffice(p, 2)
				await := func() {
					for waits && o.begun.Load() == 0 {
						o.begun.Await()
					}
				}
				spare := o.class.newWorker(2)
				o.seat(spare)
				if waits {
					o.pool.start(spare)
				}
				o.lane.push(jobItem(o.brief()), false)
				o.begin(p, func(w *Worker) { w.Blocking(await) })
				p.Go("worker 1", func() { o.main(o.worker(1)) })
				p.Go("worker 2", func() {
					await()
					for !o.over.Load() {
						if o.starts[2].CompareAndSwap(true, false) {
							o.main(spare)
						} else {
							explore.Yield()
						}
					}
				})
				p.End(o.check)
			})
		})
	}
}

// A producer has claimed a slot of the capped lane, and fills it later. A worker that has taken a place, and finds no
// job, wakes nobody because of that slot (H2). Otherwise it would wake itself again and again.
func TestExploreAClaimedSlotWakesNobody(t *testing.T) {
	explore.Explore(t, 3, func(p *explore.Program) {
		o := newOffice(p, 2)
		j := o.job(func(*Worker) { o.over.Store(true) })
		p.Go("producer", func() { o.lane.inject(jobItem(j), false) })
		p.Go("worker", func() { o.main(o.worker(1)) })
		p.End(o.check)
	})
}

// A class of three workers is made smaller while one is within a job of the capped lane, and another job waits. If
// that job has begun, it ends when the class is smaller (H1, H3).
func TestExploreASmallerClassLeavesOneWorker(t *testing.T) {
	explore.Explore(t, 2, func(p *explore.Program) {
		o := newOffice(p, 3)
		var smaller atomic.Bool
		o.lane.push(jobItem(o.job(func(*Worker) {
			for !smaller.Load() {
				smaller.Await()
			}
		})), false)
		o.begin(p, func(*Worker) {
			o.class.resize(2)
			smaller.Store(true)
		})
		for i := 1; i < 3; i++ {
			p.Go(fmt.Sprint("worker ", i), func() { o.main(o.worker(i)) })
		}
		p.End(o.check)
	})
}
