// Package handback has results that are handed back, and some that are not.
package handback

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/hajimehoshi/ebiten/v2"

	"github.com/frameslice/frameslice"
)

var found int

type game struct {
	loop             *frameslice.Loop
	path, next, seen []int
	ready            bool
	mu               sync.Mutex
	locked           int
	count            atomic.Int64
	posted           int
	sum              []int
}

func (g *game) Update() error {
	g.move()
	if g.ready {
		println(len(g.next))
	}
	g.mu.Lock()
	println(g.locked)
	g.mu.Unlock()
	println(g.count.Load())
	g.loop.ParallelFor(len(g.sum), 1, func(lo, hi int) { g.sum[lo] = hi })
	return nil
}

func (g *game) move() { println(g.path, found) }

func (g *game) Draw(screen *ebiten.Image) { println(g.posted, g.sum, g.seen[0]) }

func (g *game) Layout(w, h int) (int, int) { return w, h }

func (g *game) start(co *frameslice.Co) {
	p := g.loop.Pool()
	p.Go(frameslice.Low, func() { g.path = append(g.path, 1) }) // want "a job writes path, which move reads"
	p.Go(frameslice.Low, func() { found++ })                    // want "a job writes found"
	p.Go(frameslice.Low, func() { g.seen[0] = 1 })              // want "a job writes seen, which Draw reads"
	p.Go(frameslice.Low, func() {
		g.next = nil
		g.mu.Lock()
		g.locked++
		g.mu.Unlock()
		g.count.Add(1)
	})
	p.Go(frameslice.Low, func() {
		n := len(g.path)
		g.loop.Post(frameslice.Low, func() { g.posted = n })
	})
	best := 0
	f := frameslice.Submit(g.loop, frameslice.Low, func(context.Context) (int, error) {
		best = 4 // want "a job writes best, which the function around it reads"
		return 0, nil
	})
	println(best)
	frameslice.Await(co, f)
	worst := 0
	frameslice.Background(co, g.loop, func(context.Context) (int, error) { worst = 4; return 0, nil })
	println(worst)
}
