package deadline_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
)

func BenchmarkNow(b *testing.B) {
	for b.Loop() {
		deadline.Now()
	}
}

func BenchmarkEstimate(b *testing.B) {
	costs := make([]time.Duration, 1024)
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range costs {
		costs[i] = time.Duration(1e5 * rng.ExpFloat64())
	}
	b.Run("Observe", func(b *testing.B) {
		var e deadline.Estimate
		i := 0
		for b.Loop() {
			e.Observe(costs[i&1023])
			i++
		}
	})
	b.Run("High", func(b *testing.B) {
		var e deadline.Estimate
		e.Observe(ms)
		for b.Loop() {
			_ = e.High()
		}
	})
}

func BenchmarkBudgetSlice(b *testing.B) {
	var budget deadline.Budget
	now := deadline.Now()
	for b.Loop() {
		budget.Slice(now, now, ms)
	}
}
