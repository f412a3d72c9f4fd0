package autopsy

import (
	"fmt"
	"slices"
	"time"
)

const (
	// silent is how close a SIGCONT comes after the process continued.
	silent    = 20 * time.Millisecond
	leastStop = time.Millisecond
	// lateWake is what the system does where a thread is to run the frame, and does not do so yet.
	lateWake = "woke a thread late"
)

// stop returns when a SIGSTOP stopped the process between two times, and when it continued: no thread did anything
// meanwhile.
func (r *recording) stop(from, to int64) (longest [2]int64) {
	slices.Sort(r.resumed)
	next := 0 // the first SIGCONT that is not before b
	for i, turn := 1, (turns{}); i < r.events.n; i++ {
		turn.yield()
		a, b := r.events.nth(int32(i-1)).at, r.events.nth(int32(i)).at
		for next < len(r.resumed) && r.resumed[next] < b {
			next++
		}
		if next == len(r.resumed) {
			break
		}
		if b < from || a > to || r.resumed[next]-b > int64(silent) {
			continue
		}
		if b-a > max(int64(leastStop), longest[1]-longest[0]) {
			longest = [2]int64{a, b}
		}
	}
	return longest
}

// system moves what the system took from the frame's thread out of the time in which the trace saw code run, or saw a
// system call. A page fault takes so long.
func (r *recording) system(t *tally, fault int64) {
	a, b := t.first, t.last
	if a == nil {
		t.either = t.sum(kindWork) + t.sum(kindAssist)
		return
	}
	if t.moved || a.m != t.m || b.m != t.m {
		r.process(t)
		return
	}
	late := r.texts.number(lateWake)
	others := r.texts.number(ranOthers)
	quota, throttled := r.texts.number(quotaKept), b.quota-a.quota
	work, woke := t.sum(kindWork)+t.sum(kindAssist), t.sum(kindSystem)
	off := min(max(0, t.threads[t.m]-(b.cpu-a.cpu)), work)
	delay := b.delay - a.delay // the thread could run, and the system ran others
	if a.delay < 0 || b.delay < 0 {
		delay = off
	}
	waited := min(off, delay)
	t.move(kindSystem, others, waited, kindWork, kindAssist)
	t.move(kindSystem, others, delay-waited-woke, kindSyscall)
	if off -= waited; b.major > a.major {
		pages := r.texts.number(fmt.Sprintf("%d pages from disk", b.major-a.major))
		t.move(kindFaults, pages, off, kindWork, kindAssist)
	} else {
		t.move(kindSystem, r.texts.number("paused the thread, or the hypervisor did"), off, kindWork, kindAssist)
	}
	if faults := b.minor - a.minor; faults >= leastFaults && fault > 0 {
		t.move(kindFaults, r.texts.number(fmt.Sprintf("%d page faults", faults)), faults*fault, kindWork, kindAssist)
	}
	r.kept(t)
	for _, by := range []int32{others, late} {
		throttled -= t.rename(kindSystem, by, quota, throttled)
	}
}

// ranOthers is what the system does where a thread that could run does not.
const ranOthers = "ran other threads or processes"

// process finds what the system took from a frame whose goroutine went from one thread to another. Then only the use of
// the whole process is known. If the trace saw code run for longer than the process had processors, the system took the
// rest, and it may have taken all of it from the frame. It took at least what the process cannot have used for the
// frame.
func (r *recording) process(t *tally) {
	a, b := t.first, t.last
	work := t.sum(kindWork) + t.sum(kindAssist)
	if a.process <= 0 || b.process <= 0 {
		t.either = work
		return
	}
	used, ran := b.process-a.process, int64(0)
	for _, d := range t.threads {
		ran += d
	}
	sure := min(max(0, work-used), work)
	t.move(kindSystem, r.texts.number(ranOthers), sure, kindWork, kindAssist)
	t.either = min(max(0, ran-used-sure), work-sure)
	r.kept(t)
	throttled := b.quota - a.quota
	for _, by := range []string{ranOthers, lateWake} {
		throttled -= t.rename(kindSystem, r.texts.number(by), r.texts.number(quotaKept), throttled)
	}
}

// postponed accounts for a wait of the loop's own that was to end after the frame's target. With Options.Pace a frame
// that woke up late by more than half an interval stands for the next tick, too. So the frame after it begins a tick
// later. The reason for its long wait is what the system took from the wake-up of the frame before.
func (r *recording) postponed(l later, before, late []*tally) {
	last, woke := late[len(late)-1], before[len(before)-1]
	if !last.overdue || !woke.overdue || l.target <= 0 || woke.to-woke.planned[1] <= l.target/2 {
		return
	}
	took := int64(0)
	for k, d := range together(before).parts {
		if k.kind == kindSystem && k.by >= 0 && (r.texts.all[k.by] == lateWake || r.texts.all[k.by] == quotaKept) {
			took += d
		}
	}
	took = min(took, last.planned[1]-late[0].from-l.target)
	last.move(kindSystem, r.texts.number("had woken the frame before late"), took, kindWait)
}

// quotaKept is what the system does where the control group has used up its quota.
const quotaKept = "kept the process to its CPU quota"

// kept moves what the system took from the goroutines for which the frame waited: who had the Ps, or was to stop. Their
// threads are not known. So their share is that of the process in all the time in which the trace saw code run.
func (r *recording) kept(t *tally) {
	used, ran := t.last.process-t.first.process, int64(0)
	for _, d := range t.threads {
		ran += d
	}
	if t.first.process <= 0 || t.last.process <= 0 || ran <= 0 || used >= ran {
		return
	}
	share := 1 - float64(used)/float64(ran)
	for _, kind := range []string{kindRunnable, kindStopped} {
		t.move(kindSystem, r.texts.number(ranOthers), int64(share*float64(t.sum(kind))), kind)
	}
}

// sum returns the time of a kind.
func (t *tally) sum(kind string) (sum int64) {
	for k, d := range t.parts {
		if k.kind == kind {
			sum += d
		}
	}
	return sum
}

const leastFaults = 64 // fewer are not told

// move gives d of the time of some kinds to another kind, from the longest part first.
func (t *tally) move(to string, by int32, d int64, from ...string) {
	for d > 0 {
		var longest key
		most := int64(0)
		for k, n := range t.parts {
			if slices.Contains(from, k.kind) && (n > most || n == most && (k.in < longest.in || k.by < longest.by)) {
				longest, most = k, n
			}
		}
		n := min(d, most)
		if n <= 0 {
			return
		}
		if t.parts[longest] -= n; t.parts[longest] == 0 {
			delete(t.parts, longest)
		}
		t.parts[key{to, longest.in, by}] += n
		d -= n
	}
}

// rename gives at most d of what a cause took to another cause, and returns how much.
func (t *tally) rename(kind string, by, to int32, d int64) (renamed int64) {
	for k, n := range t.parts {
		if n = min(n, d-renamed); k.kind == kind && k.by == by && n > 0 {
			if t.parts[k] -= n; t.parts[k] == 0 {
				delete(t.parts, k)
			}
			t.parts[key{kind, k.in, to}] += n
			renamed += n
		}
	}
	return renamed
}
