package frame_test

import (
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/workers"
)

// Where there are no workers, a job that yields is spread over slices, none of which is longer than granted: it does
// not count as a job that never fits. After its end no frame names it.
func TestAJobThatYieldsMakesNoSliceLong(t *testing.T) {
	o := frame.Options{
		Placement: frame.PlaceAfterDraw, Budget: deadline.Budget{Interval: r}, Workers: workers.Options{Workers: -1},
		Recorder: record.Options{WarmUp: -1},
	}
	bubble(t, o, func(t *testing.T, l *frame.Loop) {
		framesOf(l, 5)
		var ended uint64
		l.Pool().Submit(&workers.Job{Label: "path", Func: func(w *workers.Worker) {
			for range 200 {
				if w.ShouldYield() {
					w.Yield()
				}
				time.Sleep(time.Millisecond)
			}
			ended = l.Frame()
		}})
		framesOf(l, 50)
		if ended == 0 {
			t.Fatal("the job has not ended")
		}
		for _, r := range l.Recorder().Recent(make([]record.Record, 50)) {
			if over := r.Used() - r.Budget(); over > 2*time.Millisecond {
				t.Errorf("the slice of frame %d was %v too long", r.Number, over)
			}
			if named := r.WorstJob == "path"; named != (r.WorstJobCost > 0) || named && r.Number > ended {
				t.Errorf("frame %d names %q, %v; the job ended in frame %d", r.Number, r.WorstJob, r.WorstJobCost,
					ended)
			}
		}
	})
}
