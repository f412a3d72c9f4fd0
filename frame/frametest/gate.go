package frametest

import (
	"errors"
	"math/rand/v2"
	"slices"
	"time"
)

// A gate plays turns until it has a verdict.
type gate struct {
	o    Options
	play func(build string) (*turn, error)
	// unlike says why the two builds cannot be compared, or is empty.
	unlike string
	now    func() time.Time // time.Now, except in tests
	coin   func() bool      // fair and of its own, except in tests
}

// run alternates between the builds, if there are two. Before each pair a coin decides which build is first. So
// whatever else happens on the machine hits both alike: see doc.go.
//
// A base that gives nothing to compare with is no fault of head, which may be its repair. Then head must still play a
// turn, and continues alone if it has limits to keep.
func (g *gate) run() (*verdict, error) {
	if g.now == nil {
		g.now, g.coin = time.Now, func() bool { return rand.IntN(2) == 0 }
	}
	v, begun := newVerdict(g.o), g.now()
	if g.unlike != "" {
		v.loseBase(g.unlike)
	}
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
			none, without := errors.AsType[*noTurn](err)
			switch {
			case err == nil:
				turns = append(turns, t)
			case without && b == base && !errors.Is(err, errNoTest):
				v.loseBase(none.Error() +
					"\nIf the base lacks its test data: its binary must lie in the folder of its package")
			default:
				return nil, err
			}
		}
		if len(turns) == 2 && turns[0].Target != turns[1].Target {
			v.loseBase("the loops of head and base have different intervals")
			turns = slices.DeleteFunc(turns, func(t *turn) bool { return t.Build == base })
		}
		v.take(turns, g.now().Sub(begun))
		next := v.spent / time.Duration(len(v.rec.Turns)) * time.Duration(v.step())
		ended := v.end != cantTell || v.spent+next > g.o.Time
		if v.lost != "" && v.end == pass {
			v.end = cantTell // the limits are kept, and nothing is compared
		}
		if ended {
			return v, nil
		}
	}
}
