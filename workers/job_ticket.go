package workers

// A ticket wakes a goroutine that sleeps in Job.Wait: it is a waiter (J1) that leaves a token. A wait that its context
// has ended cannot take its waiter off the job's list, so it leaves the ticket there for the next wait. A job that is
// waited for again and again has as many tickets as there have ever been waits at a time.
//
// The tickets of a job are a free list (V2, V3), so each is one waiter's at a time.
//
//	J5  The holder of a ticket enlists its waiter, unless that has been done since its token was last taken out. It
//	    looks at the job's state again when it has taken the token.
//
// So no waiter is in a list twice: its token comes when it has been taken off the list, and called, after which nobody
// who calls waiters touches it any more. And nobody sleeps over a job that has finished. If the waiter has been
// enlisted and is not in the list, somebody is about to leave the token, or has. A token that comes from an earlier run
// has the waiter enlisted again (model_ticket_test.go).
type ticket struct {
	waiter
	token  chan struct{}
	listed bool // the owner's: enlisted since the token was last taken out
}

// ticket returns a ticket of j that is the caller's until giveBack.
func (j *Job) ticket() *lent[ticket] {
	if l := j.tickets.free(); l != nil {
		return l
	}
	l := &lent[ticket]{it: ticket{token: make(chan struct{}, 1)}}
	l.it.f = l.it.ring
	return j.tickets.add(l)
}

// ring leaves the token.
func (t *ticket) ring() {
	select {
	case t.token <- struct{}{}:
	default:
	}
}

// await sees to it that the token comes when j has finished, or before.
func (t *ticket) await(j *Job) {
	if t.listed {
		select {
		case <-t.token:
		default:
			return
		}
	}
	t.listed = true
	j.enlist(&t.waiter)
}
