package play

import (
	"math/rand/v2"

	"github.com/frameslice/frameslice/demo/load"
)

// Turns returns the order of a comparison in the window: rounds in which each mode has its turn once, in an
// order drawn anew for each round. No mode follows itself from one round to the next, because what is not
// exchanged gets no fresh start.
func Turns(modes []load.Mode, rounds int, seed uint64) []load.Mode {
	rng := rand.New(rand.NewPCG(seed, 0xC0D3))
	plan := make([]load.Mode, 0, rounds*len(modes))
	for range rounds {
		at := len(plan)
		plan = append(plan, modes...)
		round := plan[at:]
		for {
			rng.Shuffle(len(round), func(i, j int) { round[i], round[j] = round[j], round[i] })
			if at == 0 || len(round) == 1 || round[0] != plan[at-1] {
				break
			}
		}
	}
	return plan
}
