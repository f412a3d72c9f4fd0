package overlay

import (
	"time"

	"github.com/frameslice/frameslice/internal/words"
	"github.com/frameslice/frameslice/workers"
)

// work is what the workers did lately, and which kinds of jobs and tasks cost the most.
type work struct {
	share [maxRows][columns]float32 // how busy a row of workers was
	kind  [maxRows][columns]uint8   // and with what: an index of kinds
	head  int

	busy  []time.Duration // of each worker, at the latest look
	doing []uint8         // the kind of job that each worker was last seen with

	kinds  [maxKinds]kind
	known  int
	order  [shownKinds]uint8 // the costliest ones first
	ranked int
}

const (
	maxRows    = 8 // of workers: if there are more, a row is the mean of several
	columns    = 120
	maxKinds   = 32
	shownKinds = 5
	other      = 0 // the index in kinds of jobs too short to be seen at work
)

// kind is a kind of job or of task, or a section of the game's own work.
type kind struct {
	name string
	of   source
	cost time.Duration // since the latest look
	rate float32       // milliseconds a second, of the last seconds

	shown float32 // rate when the kinds were sorted
}

// source is what a kind is of.
type source uint8

const (
	aJob source = iota
	aTask
	aSection
)

var sources = [...]string{"job ", "task ", "section "}

// row returns the row of the i-th of n workers.
func row(i, n int) int {
	if n <= maxRows {
		return i
	}
	return i * maxRows / n
}

// rows returns how many rows n workers have.
func rows(n int) int { return min(n, maxRows) }

// look adds a column for the time since the last look.
func (w *work) look(per []workers.WorkerStats, span time.Duration) {
	if w.known == 0 {
		w.kinds[other], w.known = kind{name: "short jobs"}, 1
	}
	if len(per) != len(w.busy) { // workers come and go
		w.busy, w.doing = w.busy[:0], w.doing[:0]
		for i := range per {
			w.busy, w.doing = append(w.busy, per[i].Busy), append(w.doing, other)
		}
	}
	w.head = (w.head + 1) % columns
	var sum, most [maxRows]float32
	var in [maxRows]int
	for i := range sum {
		w.share[i][w.head], w.kind[i][w.head] = 0, other
	}
	for i := range per {
		one := &per[i]
		if one.Running {
			w.doing[i] = w.find(one.Label, aJob)
		}
		cost := max(one.Busy-w.busy[i], 0) // below 0 if another worker has come into the place
		w.busy[i] = one.Busy
		w.kinds[w.doing[i]].cost += cost
		r := row(i, len(per))
		share := min(float32(cost)/float32(span), 1)
		sum[r] += share
		in[r]++
		if share >= most[r] {
			most[r], w.kind[r][w.head] = share, w.doing[i]
		}
		w.share[r][w.head] = sum[r] / float32(in[r])
	}
	w.settle(span)
}

// add adds the cost of a task, or of a section.
func (w *work) add(of source, label string, cost time.Duration) {
	if cost > 0 && w.known > 0 {
		w.kinds[w.find(label, of)].cost += cost
	}
}

// find returns the index of a kind. A new kind takes the place of the cheapest one if there are too many.
func (w *work) find(name string, of source) uint8 {
	if name == "" {
		name = "without a name"
	}
	for i := range w.kinds[:w.known] {
		if k := &w.kinds[i]; k.of == of && k.name == name {
			return uint8(i)
		}
	}
	at := w.known
	if at == maxKinds {
		at = other + 1
		for i := at; i < maxKinds; i++ {
			if w.kinds[i].rate < w.kinds[at].rate {
				at = i
			}
		}
	} else {
		w.known++
	}
	w.kinds[at] = kind{name: name, of: of}
	return uint8(at)
}

// settle turns costs into rates, with the lag of some two seconds.
func (w *work) settle(span time.Duration) {
	k := min(float32(span.Seconds())/2, 1)
	for i := range w.kinds[:w.known] {
		one := &w.kinds[i]
		now := float32(words.Millis(one.cost) / span.Seconds())
		one.rate += (now - one.rate) * k
		one.cost = 0
	}
}

// rank sorts the costliest kinds.
func (w *work) rank() {
	w.ranked = 0
	for i := range w.kinds[:w.known] {
		rate := w.kinds[i].rate
		w.kinds[i].shown = rate
		if rate < 0.005 {
			continue
		}
		at := w.ranked
		for at > 0 && w.kinds[w.order[at-1]].rate < rate {
			at--
		}
		if at == shownKinds {
			continue
		}
		w.ranked = min(w.ranked+1, shownKinds)
		copy(w.order[at+1:w.ranked], w.order[at:])
		w.order[at] = uint8(i)
	}
}

// running returns how many workers are within a job.
func running(per []workers.WorkerStats) (n int) {
	for i := range per {
		if per[i].Running {
			n++
		}
	}
	return n
}
