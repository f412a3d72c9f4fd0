package workers

import (
	"time"

	"github.com/frameslice/frameslice/internal/dice"
)

// In a test with a seed the pool does what dice decide: see package dice. Without dice nothing here costs more than a
// look at a field.

// Roll has d decide what is left open, for Options.Seed of package frame, and then hires n ordinary workers. The pool
// has none, and has had no job.
func (p *internals) Roll(d *dice.Dice, n int) {
	p.dice, p.opt.Workers = d, n
	p.classes[ordinary].resize(p.machine.workersWanted())
}

// standApart has the worker look for work at an instant of its own.
func (w *Worker) standApart() {
	if d := w.pool.dice; d != nil {
		time.Sleep(d.Apart(w.index))
	}
}

// holdBack delays cur before its claim. It reports false if the pool has gone meanwhile, and cur was dropped.
func (w *Worker) holdBack(j *Job) (delay dice.Delay, ok bool) {
	if j != nil && !j.lookFrom(w.class) { // to read its name
		return delay, true // a stale entry
	}
	delay = w.pool.dice.Job(w.pool.kinds.nameOf(w.cur))
	if j != nil {
		j.unlook(false) // w has the entry
	}
	time.Sleep(delay.Begin)
	if w.pool.state.Load() == gone {
		w.pool.failures.drop(w.cur, &w.pool.lanes[w.lane])
		return delay, false
	}
	return delay, true
}

// delayIO returns how long a function of SubmitIO waits before it begins, and when it has ended.
func (p *Pool) delayIO(j *Job) (d dice.Delay) {
	if p.dice != nil {
		d = p.dice.Job(p.kinds.nameOf(jobItem(j)))
	}
	return d
}

// holdIO delays j, a function of SubmitIO. It reports false if its context has ended meanwhile, and j was dropped: IO5.
func (p *Pool) holdIO(j *Job, delay time.Duration) bool {
	time.Sleep(delay)
	if p.lives.pool.Err() == nil {
		return true
	}
	p.failures.lose(jobItem(j))
	return false
}
