package frametest

import (
	"testing"

	"github.com/frameslice/frameslice/frame"
)

// FirstFailure returns what Search finds: an empty seed if the game is good. again says that the whole seed failed
// again.
func FirstFailure(
	t *testing.T, n int, game func(*frame.Loop) func() error,
) (seed, text string, decisions int, again bool) {
	f := firstFailure(t, n, game)
	if f == nil {
		return "", "", 0, false
	}
	return f.seed, f.text, len(f.made), f.again
}

// PlaySeed plays one seed, and returns how the game failed and what the seed decided.
func PlaySeed(t *testing.T, seed string, game func(*frame.Loop) func() error) (made []string, err error) {
	p := playSeed(t, seed, game)
	for _, m := range p.made {
		made = append(made, m.Text)
	}
	return made, p.err
}
