package frame

import (
	"fmt"

	"github.com/frameslice/frameslice/internal/bridge"
	"github.com/frameslice/frameslice/internal/bubble"
	"github.com/frameslice/frameslice/internal/dice"
	"github.com/frameslice/frameslice/workers"
)

// dice returns the dice of Options.Seed, or nil without one. It panics if the seed is none, or is used outside of a
// bubble.
func (o *Options) dice() *dice.Dice {
	if o.Seed == "" {
		return nil
	}
	d, err := dice.Parse(o.Seed)
	switch {
	case err != nil:
		panic(fmt.Sprintf("frame: New with Options.Seed of %q: %v", o.Seed, err))
	case !bubble.Here():
		panic("frame: New with Options.Seed outside of a testing/synctest bubble")
	}
	return d
}

// newPool returns the loop's own pool. With dice the pool gets them before its workers.
func (o *Options) newPool(d *dice.Dice) *workers.Pool {
	w := o.Workers
	if w.Profile == 0 {
		w.Profile = o.Profile
	}
	if d == nil {
		return workers.New(w)
	}
	n := w.Workers
	if n == 0 {
		n = d.Workers()
	}
	w.Workers, w.Background = -1, 0
	p := workers.New(w)
	bridge.Of(p).Roll(d, n)
	return p
}
