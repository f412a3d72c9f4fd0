// Package pure has functions of ticks that differ from run to run.
package pure

import (
	"math/rand/v2"
	"time"

	"github.com/frameslice/frameslice/frame/ticks"
)

type world struct {
	units map[int]int
	runs  int
}

func start(clock *ticks.Clock, w *world) {
	ticks.NewKind(clock, "path", 4, w.path, w.set)
	ticks.NewKind(clock, "dice", 4, func(n int) int {
		return n + rand.IntN(6) // want "a random number"
	}, w.set)
	ticks.NewKind(clock, "seeded", 4, func(n uint64) int { return rand.New(rand.NewPCG(n, n)).IntN(6) }, func(uint64, int) {})
}

func (w *world) path(n int) (sum int) {
	if time.Now().Second() == 0 { // want "a clock"
		return 0
	}
	for _, u := range w.units { // want "a range over a map"
		sum += u * n
	}
	w.runs++ // want "a write to runs"
	return sum
}

func (w *world) set(n, sum int) { w.units[n] = sum }
