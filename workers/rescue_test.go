package workers

import (
	"context"
	"runtime"
	"testing"

	"github.com/frameslice/frameslice/deadline"
)

// An OnPanic that ends its goroutine, as one that calls testing.T.Fatal does, costs no worker, and Close returns.
func TestGoexitInOnPanicCostsNoWorker(t *testing.T) {
	needsWorkers(t)
	for _, o := range []Options{{Workers: 1}, {Workers: 1, Pin: PinThread}, {Workers: 1, Insight: true},
		{Workers: 1, MaxWaiting: 9}} {
		o.OnPanic = func(*PanicError) { runtime.Goexit() }
		p := New(o)
		for range 3 {
			p.Go(deadline.Normal, func() { panic("a job's") })
		}
		<-Submit(p, deadline.Low, func() (int, error) { return 0, nil }).Done()
		if err := p.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}
}
