package workers

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// A worker that runs its batch in rows begins the same jobs in the same order as one that looks at everything before
// each, whatever comes meanwhile: its own, others', what RunUntil has put back, what background workers submit, and a
// lane that is overdue.
func TestARowIsWhatLongerLooksWouldFind(t *testing.T) {
	for seed := range uint64(60) {
		looks := begun(seed, func(w *Worker) bool { return w.next() })
		rows := begun(seed, func(w *Worker) bool { return w.again() || w.next() })
		if !slices.Equal(rows, looks) {
			at := 0
			for at < min(len(rows), len(looks)) && rows[at] == looks[at] {
				at++
			}
			t.Fatalf("seed %d: in rows, from job %d on: %v, by looks %v", seed, at,
				rows[at:min(at+4, len(rows))], looks[at:min(at+4, len(looks))])
		}
	}
}

// begun returns what a worker that finds jobs so begins, while a script of the seed adds others.
func begun(seed uint64, find func(w *Worker) bool) (jobs []string) {
	rng := rand.New(rand.NewPCG(seed, 7))
	w := lone()
	w.brief = true
	p, c := w.pool, w.class
	c.lanes, c.fork = []int{0, 1, 2, 3, 4}, 2
	for i := range p.classOf {
		p.classOf[i] = c
	}
	v := &Worker{pool: p, class: c, index: 1}
	c.slots[0].Store(w)
	c.slots[1].Store(v)
	c.used.Store(2)
	c.want.Store(int32(1 + rng.IntN(2)))
	lanes := 1 + rng.IntN(numLanes)
	rare := []int{20, 300, 3000}[rng.IntN(3)]
	n := 0
	one := func() item {
		n++
		return jobItem(&Job{Label: fmt.Sprint(n)})
	}
	for range 3000 {
		lane := rng.IntN(lanes)
		l := &p.lanes[lane]
		switch rng.IntN(rare) {
		case 0:
			l.use(useOlder)
			l.older.Push(one())
		case 1:
			l.push(one(), true)
		case 2:
			v.add(lane, one())
		case 3:
			w.add(lane, one())
		case 4:
			w.overdue = lane
		case 5, 6, 7:
			for range rng.IntN(200) {
				l.push(one(), false)
			}
		}
		if find(w) {
			jobs = append(jobs, fmt.Sprint(w.cur.job().Label, " of lane ", w.lane))
			w.cur = item{}
		} else {
			jobs = append(jobs, "none")
		}
	}
	return jobs
}
