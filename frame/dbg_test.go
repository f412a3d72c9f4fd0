package frame_test
import ("testing";"time"
"github.com/frameslice/frameslice/frame"
"github.com/frameslice/frameslice/workers"
)
func TestDbg(t *testing.T) {
	for i := range 20 {
		l := frame.New(frame.Options{Workers: workers.Options{Workers: -1}})
		ran := false
		l.Pool().Go(0, func() { ran = true; l.Close() })
			l.Begin()
			l.Slice()
			l.End()
		select { case <-l.Done(): case <-time.After(time.Second): t.Fatal("stuck", i, ran, l.Recorder().Recent(make([]frame.Record, 3))) }
	}
}
