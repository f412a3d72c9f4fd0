package frametest

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestCapitalIsFair tries all falls of twelve coins: whatever the differences are, the mean capital is 1 if head and
// base are the same build. So it exceeds 100 in at most one of 100 gates (Ville).
func TestCapitalIsFair(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		var slots [12][2]float64
		for i := range slots {
			slots[i] = [2]float64{rng.ExpFloat64() * 100, rng.ExpFloat64() * 100}
		}
		var sum float64
		red := 0
		for coins := range 1 << len(slots) {
			var m measure
			reached := false
			for i, x := range slots {
				side := coins >> i & 1
				m.settled = false // never leave the game
				m.addPair(x[side], x[1-side], 3, 0)
				reached = reached || m.worse >= math.Log(failAt)
			}
			sum += math.Exp(m.worse)
			red += count(reached)
		}
		n := float64(int(1) << len(slots))
		if math.Abs(sum/n-1) > 1e-9 || float64(red)/n > 1.0/failAt {
			t.Errorf("mean capital %v, want 1; %v of all falls are red", sum/n, float64(red)/n)
		}
	}
}

// TestCapitalWithinWhatIsFree: head costs more by what is free, as an amount or as a factor. Then each pair of turns
// takes from the capital, in the mean over the coin, or leaves it as it is.
func TestCapitalWithinWhatIsFree(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const tolerance, least = 0.03, 0.02
	for range 10_000 {
		x, y := math.Exp(rng.NormFloat64()-1), 0.0
		if y = math.Exp(rng.NormFloat64() - 1); rng.IntN(2) == 0 {
			y = x * (1 + 0.1*rng.NormFloat64())
		}
		amount := freeShare * max(least, tolerance*(x+y)/2)
		for name, slower := range map[string]func(float64) float64{
			"amount": func(x float64) float64 { return x + amount },
			"factor": func(x float64) float64 { return x * (1 + freeShare*tolerance) },
			"part":   func(x float64) float64 { return x * (1 + tolerance/3) },
		} {
			mean := 0.0
			for _, slot := range [][2]float64{{x, y}, {y, x}} {
				var m measure
				h, b := slower(slot[0]), slot[1]
				m.addPair(h, b, max(least, tolerance*(h+b)/2), freeShare)
				mean += math.Exp(m.worse) / 2
			}
			if mean > 1+1e-9 {
				t.Fatalf("%s: turns of %v and %v have a mean capital of %v, want at most 1", name, x, y, mean)
			}
		}
	}
}

// TestGoodCapitalAtTheBorder: head is worse by just what is allowed, in the mean. Then the mean capital is at most 1,
// even if most turns are free of it.
func TestGoodCapitalAtTheBorder(t *testing.T) {
	for _, c := range []struct {
		z, share float64
	}{{1, 1}, {2, 0.5}, {4, 0.25}, {clipMean, 0.3}} {
		var hit, miss measure
		hit.addPair(c.z, 0, 1, 0)
		miss.addPair(0, 0, 1, 0)
		mean := c.share*math.Exp(hit.good) + (1-c.share)*math.Exp(miss.good)
		if mean > 1+1e-9 {
			t.Errorf("%+v: mean capital %v, want at most 1", c, mean)
		}
	}
}

// TestLimitCapitalAtTheLimit is the same for turns that keep the limit just so.
func TestLimitCapitalAtTheLimit(t *testing.T) {
	for _, c := range []struct{ x, share float64 }{{5, 1}, {10, 0.5}, {20, 0.25}, {500, 0.01}} {
		var hit, miss measure
		hit.addTurn(c.x, 5)
		miss.addTurn(0, 5)
		if mean := c.share*math.Exp(hit.worse) + (1-c.share)*math.Exp(miss.worse); mean > 1+1e-9 {
			t.Errorf("%+v: mean capital %v, want at most 1", c, mean)
		}
	}
}

func TestHowManyPairsAClearCaseTakes(t *testing.T) {
	var worse, same measure
	for range 12 {
		worse.addPair(9, 0, 1, freeShare)
		same.addPair(0, 0, 1, 0)
		if m := same.more(math.Log(700)); same.pairs < 10 && math.Abs(m+float64(same.pairs)-11.4) > 0.1 {
			t.Errorf("after %d pairs %v more, want 11.4 together", same.pairs, m)
		}
	}
	if worse.settled || worse.worse < math.Log(700) || !same.settled {
		t.Errorf("%+v and %+v", worse, same)
	}
	var odd measure
	odd.addPair(math.NaN(), 0, 1, 0)
	odd.addPair(math.Inf(1), 0, 1, 0)
	odd.addPair(math.Inf(-1), 0, 1, 0)
	if odd.pairs != 2 || math.IsInf(odd.worse, 0) || math.IsInf(odd.good, 0) || odd.size() != 0 {
		t.Errorf("%+v", odd)
	}
}
