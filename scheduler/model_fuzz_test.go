package scheduler_test

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/frameslice/frameslice/deadline"
)

// FuzzSchedulerMatchesTheReference is TestSchedulerMatchesTheReference with scripts that are drawn from what reached
// new code before.
func FuzzSchedulerMatchesTheReference(f *testing.F) {
	for seed := range uint64(8) {
		rng := rand.New(rand.NewPCG(seed, 0))
		data := make([]byte, 4000) // what rapid draws from, 8 at a time; beyond them a script ends
		for i := range data {
			data[i] = byte(rng.Uint32())
		}
		f.Add(seed%2 == 0, data)
	}
	f.Fuzz(func(t *testing.T, byPriority bool, data []byte) {
		policy := deadline.ByExpiration
		if byPriority {
			policy = deadline.ByPriority
		}
		rapid.MakeFuzz(func(t *rapid.T) { matchReference(t, policy) })(t, data)
	})
}
