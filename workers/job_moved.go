package workers

// An entry of a queue outlives what it was made for: a job that was canceled, or that its waiter claimed, leaves it
// behind (J6), and may be submitted again, to another pool or to another class of workers.
//
//	J4  A job that has been queued for one class, and then for another, is from then on in the state moved where
//	    others are queued. A queue's entry claims such a job only by looking (J2). If the job turns out to be for
//	    others, it is sent home, which is the put back of J2, to a lane of its own.
//
// So a goroutine that claims a job by an entry is one that the job was submitted to: if the job is queued there has
// been no other, and if it is moved the goroutine has looked. If the right entry was thrown away meanwhile, there is
// another one, as in J2. Wait and Cancel, which do not come by an entry, claim the job in either state.
//
// model_moved_test.go explores it: two owners of entries, a stale one among them, with three mutants.

// queuedAs returns the state in which j waits for a worker of p, and remembers the class. The owner's, while settling.
func (j *Job) queuedAs(p *Pool) state {
	if c := p.classOf[j.Priority.Lane()]; j.home != c {
		j.moves = j.home != nil
		j.home = c
	}
	return j.queued()
}

// queued returns the state in which j waits.
func (j *Job) queued() state {
	if j.moves {
		return moved
	}
	return queued
}

// claimFrom is claim by an entry of a queue of p, by a worker of c, or by who is none, when c is nil.
func (j *Job) claimFrom(p *Pool, c *class) bool {
	if j.move(queued, active) {
		j.started()
		return true
	}
	if j.at() != moved || !j.lookFrom(p, c) {
		return false
	}
	j.unlook(true)
	return true
}

// lookFrom is look by an entry as in claimFrom.
func (j *Job) lookFrom(p *Pool, c *class) bool {
	if !j.look() {
		return false
	}
	if !j.moves || j.home == c || c == nil && j.home.pool == p {
		return true
	}
	j.pool.putOlder(j.Priority.Lane(), jobItem(j))
	return false
}
