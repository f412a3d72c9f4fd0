package frametest

import "math"

// Error rates. Without a regression at most 1 gate of 100 says FAIL. At most 1 of 20 calls a measure good that is worse
// by what is allowed.
const (
	failAt = 100
	passAt = 20
)

// How much of its capital a bet stakes. More finds clear cases sooner, and loses more to noise.
const (
	stakeWorse = 0.8
	stakeMean  = 0.3 // below 1/(clipMean-1), so that capital stays positive
	clipMean   = 4
)

// freeShare is the part of what is allowed that is no evidence against head. At 3 % that is 2.25 %: the layout of code
// alone can make 2 %. With less, 5 % is found sooner.
const freeShare = 0.75

// A measure collects evidence about one figure, pair by pair. worse and good are the logarithms of two capitals. Each
// starts at 1 and is staked on every pair: worse on "head is worse", good on "head is not worse by the allowed amount".
// See doc.go for the rules of the game and the proof of the error rates.
type measure struct {
	pairs       int
	worse, good float64
	sum         float64 // of z, clipped
	settled     bool    // good has reached passAt: the measure is out of the game
}

// addPair takes the figures of head and base from one pair of turns, and the difference that is allowed. free is the
// part of it that is no evidence against head.
func (m *measure) addPair(head, base, allowed, free float64) {
	z := (head - base) / allowed
	m.add(z, math.Log1p(stakeWorse*clip(z-free, 1)))
}

// addTurn takes the figure of a turn, for which limit is allowed.
func (m *measure) addTurn(x, limit float64) {
	z := x / limit
	m.add(z, math.Log1p(stakeMean*(clip(z, clipMean)-1)))
}

func (m *measure) add(z, worse float64) {
	if m.settled || math.IsNaN(z) {
		return
	}
	z = clip(z, clipMean)
	m.pairs++
	m.sum += z
	m.worse += worse
	m.good += math.Log1p(stakeMean * (1 - z))
	m.settled = m.good >= math.Log(passAt)
}

// size is the mean difference, in units of what is allowed.
func (m *measure) size() float64 {
	if m.pairs == 0 {
		return 0
	}
	return m.sum / float64(m.pairs)
}

// more returns how many further pairs would settle the measure at its present pace, +Inf if it does not move to either
// end. target is the logarithm of the capital that means worse.
func (m *measure) more(target float64) float64 {
	n, best := float64(m.pairs), math.Inf(1)
	if m.good > 0 {
		best = (math.Log(passAt) - m.good) * n / m.good
	}
	if m.worse > 0 && m.size() >= 1 {
		best = min(best, (target-m.worse)*n/m.worse)
	}
	return max(best, 1)
}

// clip bounds z to -bound..bound.
func clip(z, bound float64) float64 { return max(-bound, min(z, bound)) }
