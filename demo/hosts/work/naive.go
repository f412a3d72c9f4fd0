package work

import (
	"context"
	"image"
	"runtime"
	"sync"
)

// naive is the same work without tasks and jobs: a goroutine for each item, and one on each processor for the heavy
// job. The frame takes what they have finished, all at once.
type naive struct {
	mu       sync.Mutex
	finished []func()
}

// deliver queues f for the next frame, and wakes the host.
func (w *Work) deliver(f func()) {
	w.naive.mu.Lock()
	w.naive.finished = append(w.naive.finished, f)
	w.naive.mu.Unlock()
	w.loop.Scheduler().RequestDraw()
}

// receive calls what was delivered.
func (w *Work) receive() {
	w.naive.mu.Lock()
	all := w.naive.finished
	w.naive.finished = nil
	w.naive.mu.Unlock()
	for _, f := range all {
		f()
	}
}

func (w *Work) loadNaive(ctx context.Context, number int) {
	go func() {
		item, err := decode(ctx, number, nil)
		w.deliver(func() { w.add(ctx, item, err) })
	}()
}

func (w *Work) heavyNaive() {
	go func() {
		img := image.NewRGBA(image.Rect(0, 0, FractalSide, FractalSide))
		var wait sync.WaitGroup
		n := runtime.NumCPU()
		for i := range n {
			wait.Go(func() { fractal(img, i*FractalSide/n, (i+1)*FractalSide/n) })
		}
		wait.Wait()
		w.deliver(func() { w.finish(img, nil) })
	}()
}
