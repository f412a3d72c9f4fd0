package frame_test

import (
	"runtime"
	"testing"

	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// A goroutine that loads asks for Host while the game is being wrapped: whichever of the two decides, the one that it
// gets is the host's from then on (D1).
func TestHostBesideAWrap(t *testing.T) {
	pool := workers.New(workers.Options{Workers: -1})
	defer pool.Close(bg)
	for i := range 300 {
		l := frame.New(frame.Options{Pool: pool, Recorder: record.Options{Records: 1}})
		begin, got := make(chan struct{}), make(chan *scheduler.Scheduler)
		go func() {
			close(begin)
			if i%2 == 0 { // or decide
				for l.Placement() == frame.PlaceAuto {
					runtime.Gosched()
				}
			}
			got <- l.Host()
		}()
		<-begin
		frame.Wrap[fakeFinal, fakeGeoM](&plainGame{}, l)
		if host := <-got; host != l.Host() {
			t.Fatalf("%v: the host's scheduler is another one than Host has returned", l.Placement())
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
