package workers

import (
	"testing"

	"github.com/frameslice/frameslice/deadline"
)

// While the urgent never ends every lane that waits has its turns, and none has to wait until a less urgent one is
// empty.
func TestTheFloorGoesRound(t *testing.T) {
	for _, flood := range []deadline.Priority{deadline.Immediate, deadline.UserBlocking} {
		w := lone()
		w.class.want.Store(1)
		w.class.lanes = []int{0, 1, 2, 3, 4}
		w.class.fork = 2
		var begun [numLanes]int
		for i := range numLanes * (floor + 1) * 8 {
			for _, prio := range deadline.Priorities() {
				if lane := prio.Lane(); lane == flood.Lane() || lane > flood.Lane() && i == 0 {
					for range 100 {
						w.pool.lanes[lane].push(funcItem(func() {}), false)
					}
				}
			}
			if !w.next() {
				t.Fatal("nothing to do")
			}
			begun[w.lane]++
			w.cur = item{}
		}
		for lane := flood.Lane() + 1; lane < numLanes; lane++ {
			if begun[lane] < 8 {
				t.Errorf("a flood of %v: begun %v", flood, begun)
			}
		}
	}
}
