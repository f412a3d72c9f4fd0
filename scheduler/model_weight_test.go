package scheduler_test

// keepDebt ends what is left of a share, but not what is owed.
func (g *refGroup) keepDebt() {
	for i, c := range g.credit {
		g.credit[i] = min(c, 0)
	}
}

func (g *refGroup) setWeight(w int) {
	if g.weight == 0 || w == 0 {
		g.keepDebt()
	}
	g.weight = w
}
