package frametest

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"time"
)

// An end is what a gate says.
type end string

const (
	pass     end = "PASS"
	fail     end = "FAIL"
	cantTell end = "CAN'T TELL"
)

// A row is one measure of a gate.
type row struct {
	measure
	name       string  // of a figure, or a kind
	limit      float64 // of a limit; 0 for a comparison
	allowed    float64 // of the latest pair
	weight     float64
	head, base float64 // sums over turns
	optional   bool    // unknown on some systems
}

// A verdict is what take makes of turns. It depends on nothing else.
type verdict struct {
	end     end
	rows    []*row
	proof   float64       // the mean capital: failAt is enough
	spent   time.Duration // by the gate
	more    time.Duration // what CAN'T TELL would need; 0 if unknown
	frames  map[string]int
	void    map[string]*[causes]int
	compare bool // with a base
	o       Options
	rec     recording // what was taken
}

func newVerdict(o Options) *verdict {
	v := &verdict{
		end: cantTell, frames: map[string]int{}, void: map[string]*[causes]int{base: {}, head: {}},
		compare: o.base != "", o: o,
	}
	v.addLimits(o.Limits)
	if v.compare {
		v.addFigures()
	}
	return v
}

// judge takes a recording until there is an end.
func judge(rec recording, o Options) *verdict {
	v := newVerdict(o)
	for n := v.step(); len(rec.Turns) >= n && v.end == cantTell; rec.Turns = rec.Turns[n:] {
		v.take(rec.Turns[:n], 0)
	}
	return v
}

// step is how many turns take takes: one of each build.
func (v *verdict) step() int {
	if v.compare {
		return 2
	}
	return 1
}

// take takes the next turns, in the order that a coin has chosen. So far the gate has run for spent.
func (v *verdict) take(turns []*turn, spent time.Duration) {
	v.rec.Turns, v.spent = append(v.rec.Turns, turns...), spent
	pair := map[string]values{}
	for _, t := range turns {
		x := measureTurn(t, v.o.Limits.P99)
		pair[t.Build] = x
		v.frames[t.Build] += x.frames
		for c, n := range x.void {
			v.void[t.Build][c] += n
		}
	}
	v.addTurn(pair[head])
	if v.compare {
		v.addPair(pair[head], pair[base], turns[0].Target)
	}
	v.decide()
	v.extrapolate()
}

func (v *verdict) addLimits(l Limits) {
	for i, limit := range [figures]float64{
		p99: ms(l.P99), missed: l.Missed, hitch: l.HitchRatio, own: ms(l.Own), cpu: ms(l.CPU), allocs: l.Allocs,
	} {
		if limit > 0 {
			v.rows = append(v.rows, &row{name: figureNames[i], limit: limit, weight: 1, optional: i == cpu})
		}
	}
}

func (v *verdict) addFigures() {
	for i, name := range figureNames {
		v.rows = append(v.rows, &row{name: name, weight: 1, optional: i == cpu})
	}
}

// mostVoid is the share of void frames from which a turn says nothing about limits: neighbours that take so much time
// also slow down the frames that are not void.
const mostVoid = 0.2

// addTurn tells the limits of a turn of head.
func (v *verdict) addTurn(x values) {
	all := 0
	for _, n := range x.void {
		all += n
	}
	calm := float64(all-x.frames) <= mostVoid*float64(all)
	for _, r := range v.rows {
		if r.limit == 0 {
			continue
		}
		i := slices.Index(figureNames[:], r.name)
		if i != cpu && i != allocs && !calm {
			continue
		}
		r.head += orZero(x.figure[i])
		if i == p99 {
			r.addTurn(x.over, 1) // 1 % of the frames may be longer
		} else {
			r.addTurn(x.figure[i], r.limit)
		}
	}
}

// The differences that are allowed whatever Options.Tolerance is.
const (
	allowedP99    = 0.25 // of the target
	allowedMissed = 0.5  // percentage points
	allowedHitch  = 5    // ms of lateness in a second
	leastOwn      = 0.02
	leastKind     = 0.005
	leastAllocs   = 1
)

// addPair tells the comparisons of a pair. The allowed difference is the same if head and base change places: the proof
// of the error rate needs that.
func (v *verdict) addPair(h, b values, target time.Duration) {
	if len(v.rec.Turns) == 2 {
		v.addKinds(h, b)
	}
	for _, r := range v.rows {
		if r.limit > 0 {
			continue
		}
		i := slices.Index(figureNames[:], r.name)
		var x, y, least float64
		if i >= 0 {
			x, y = h.figure[i], b.figure[i]
		} else {
			x, y, least = known(h.kinds, r.name), known(b.kinds, r.name), leastKind
		}
		if math.IsNaN(x) || math.IsNaN(y) || r.settled {
			continue
		}
		r.allowed = max(v.o.Tolerance*(x+y)/2, least)
		switch i {
		case p99:
			r.allowed = allowedP99 * ms(target)
		case missed:
			r.allowed = allowedMissed
		case hitch:
			r.allowed = allowedHitch
		case own, cpu:
			r.allowed = max(r.allowed, leastOwn)
		case allocs:
			r.allowed = max(r.allowed, leastAllocs)
		}
		r.head += x
		r.base += y
		r.addPair(x, y, r.allowed)
	}
}

// mostKinds is how many kinds of work are judged.
const mostKinds = 8

// addKinds takes the kinds that cost most in the first pair. Together they weigh as much as another measure.
func (v *verdict) addKinds(h, b values) {
	var names []string
	for name := range maps.Keys(h.kinds) {
		if _, ok := b.kinds[name]; ok {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(x, y string) int {
		return cmp.Or(-cmp.Compare(h.kinds[x]+b.kinds[x], h.kinds[y]+b.kinds[y]), cmp.Compare(x, y))
	})
	names = names[:min(len(names), mostKinds)]
	for _, name := range names {
		v.rows = append(v.rows, &row{name: name, weight: 1 / float64(len(names)), optional: true})
	}
}

// decide looks for an end.
func (v *verdict) decide() {
	var sum, weights float64
	settled, worse := true, false
	for _, r := range v.rows {
		weights += r.weight
		sum += r.weight * math.Exp(r.worse)
		settled = settled && (r.settled || r.optional && r.pairs == 0)
		worse = worse || r.isWorse()
	}
	v.proof = sum / weights
	switch {
	case v.proof >= failAt && worse:
		v.end = fail
	case settled:
		v.end = pass
	}
}

// isWorse reports whether the measure alone would be evidence enough, and the difference more than what is allowed.
func (r *row) isWorse() bool {
	return !r.settled && r.pairs > 0 && r.worse >= math.Log(failAt) && r.size() >= 1
}

// extrapolate says how much longer CAN'T TELL would take.
func (v *verdict) extrapolate() {
	var weights, pairs float64
	for _, r := range v.rows {
		weights += r.weight
	}
	for _, r := range v.rows {
		if !r.settled && !(r.optional && r.pairs == 0) {
			pairs = max(pairs, r.more(math.Log(failAt*weights/r.weight)))
		}
	}
	v.more = 0
	if s := v.spent.Seconds() * pairs * float64(v.step()) / float64(len(v.rec.Turns)); s < 3600 {
		v.more = time.Duration(s * float64(time.Second))
	}
}

// known returns m[name], or NaN.
func known(m map[string]float64, name string) float64 {
	if x, ok := m[name]; ok {
		return x
	}
	return math.NaN()
}

func orZero(x float64) float64 {
	if math.IsNaN(x) {
		return 0
	}
	return x
}
