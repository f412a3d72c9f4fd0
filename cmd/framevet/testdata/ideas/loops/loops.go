// Package loops has coroutines that are long, and some that are not.
package loops

import (
	"encoding/json"
	"runtime"
	"sync/atomic"

	"github.com/frameslice/frameslice"

	"planted/fresh/assets"
)

type world struct {
	rows  [][]float64
	ready atomic.Bool
	small [4][4]int
}

func (w *world) start(loop *frameslice.Loop) {
	loop.Go(frameslice.Low, func(co *frameslice.Co) {
		for !w.ready.Load() { // want "waits for its condition"
			runtime.Gosched()
		}
		for _, row := range w.rows { // want "loops of unknown length"
			for i := range row {
				row[i]++
			}
		}
		for _, row := range w.rows {
			for i := range row {
				row[i]++
			}
			co.Yield()
		}
		for i := range w.small {
			for j := range w.small[i] {
				w.small[i][j]++
			}
		}
		for i := range w.rows {
			w.rows[i] = nil
		}
		for i := range 1_000_000 { // want "loops of unknown length"
			w.small[i&3][0] = i
		}
		w.parts(co)
	})
	loop.Go(frameslice.Low, w.decode)
}

// parts is a part of the coroutine.
func (w *world) parts(co *frameslice.Co) {
	for i := 0; i < len(w.rows); i++ { // want "loops of unknown length"
		w.relax(i)
	}
	for i := 0; i < len(w.rows) && !co.ShouldYield(); i++ {
		w.relax(i)
	}
	for {
		if w.step(co) {
			return
		}
	}
}

func (w *world) step(co *frameslice.Co) bool { co.NextFrame(); return w.ready.Load() }

func (w *world) relax(i int) {
	for j := range w.rows[i] {
		w.rows[i][j] /= 2
	}
}

func (w *world) decode(co *frameslice.Co) {
	names := []string{"a", "b"}
	for _, name := range names { // want "loops of unknown length"
		var row []float64
		json.Unmarshal(assets.Read(name), &row) // want "assets.Read"
		w.rows = append(w.rows, row)
	}
}
