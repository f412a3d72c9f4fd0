package frametest

import (
	"math/rand/v2"
	"time"
)

// A gate plays turns until it has a verdict.
type gate struct {
	o    Options
	play func(build string) (*turn, error)
	now  func() time.Time // time.Now, except in tests
	coin func() bool      // fair and of its own, except in tests
}

// run alternates between the builds, if there are two. Before each pair a coin decides which build is first. So
// whatever else happens on the machine hits both alike: see doc.go.
func (g *gate) run() (*verdict, error) {
	if g.now == nil {
		g.now, g.coin = time.Now, func() bool { return rand.IntN(2) == 0 }
	}
	v, begun := newVerdict(g.o), g.now()
	for {
		builds := []string{head}
		if v.compare {
			builds = []string{base, head}
			if g.coin() {
				builds = []string{head, base}
			}
		}
		var turns []*turn
		for _, b := range builds {
			t, err := g.play(b)
			if err != nil {
				return nil, err
			}
			turns = append(turns, t)
		}
		v.take(turns, g.now().Sub(begun))
		next := v.spent / time.Duration(len(v.rec.Turns)) * time.Duration(v.step())
		if v.end != cantTell || v.spent+next > g.o.Time {
			return v, nil
		}
	}
}
