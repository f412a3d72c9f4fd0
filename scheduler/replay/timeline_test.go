package replay_test

import (
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/scheduler/replay"
)

// A modal loop's run is in progress while the runs in it are.
func TestTimelineOfANest(t *testing.T) {
	r := replay.Play(1, replay.Options{Interval: 12 * ms}, func(w *replay.World) {
		s := w.Scheduler()
		s.Submit(&scheduler.Task{Label: "dialog", Func: func() {
			w.Spend(2 * ms)
			s.Submit(&scheduler.Task{Label: "inner", Func: func() { w.Spend(3 * ms) }})
			s.Nest(func() { s.RunUntil(deadline.Deadline{}) })
			w.Spend(2 * ms)
		}})
		w.Frame(nil)
	})
	const want = `
frame  |^
dialog |#######
inner  |  ###
`
	if got := "\n" + r.Timeline(ms); got != want {
		t.Errorf("timeline:%swant:%s", got, want)
	}
}
