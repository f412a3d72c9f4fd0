package frametest

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/frameslice/frameslice/internal/words"
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
	name, unit string
	figure     int     // or aPart
	limit      float64 // of a limit; 0 for a comparison
	allowed    float64 // of the latest pair
	head, base float64 // sums over turns
	squares    float64 // the sum of the squares of head - base
}

// aPart is in place of a figure in the row of a part: a kind of task, or a section.
const aPart = -1

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
	lost    string    // why there is no base to compare with any more, or ""
	seen    map[string]map[string]*lone
}

func newVerdict(o Options) *verdict {
	v := &verdict{
		end: cantTell, frames: map[string]int{}, void: map[string]*[causes]int{base: {}, head: {}},
		seen:    map[string]map[string]*lone{base: {}, head: {}},
		compare: o.base != "", o: o,
	}
	v.addLimits(o.Limits)
	if v.compare {
		v.addFigures()
	}
	return v
}

// loseBase ends the comparison. The limits of head are still judged.
func (v *verdict) loseBase(why string) {
	v.lost, v.compare = why, false
	v.rows = slices.DeleteFunc(v.rows, func(r *row) bool { return r.limit == 0 })
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
		for name, p := range x.parts {
			if v.seen[t.Build][name] == nil {
				v.seen[t.Build][name] = new(lone)
			}
			v.seen[t.Build][name].add(p)
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
		p99: words.Millis(l.P99), missed: l.Missed, hitch: l.HitchRatio, own: words.Millis(l.Own),
		cpu: words.Millis(l.CPU), allocs: l.Allocs,
	} {
		if limit > 0 {
			v.rows = append(v.rows, &row{name: figureNames[i].name, unit: figureNames[i].unit, figure: i, limit: limit})
		}
	}
}

func (v *verdict) addFigures() {
	for i, f := range figureNames {
		v.rows = append(v.rows, &row{name: f.name, unit: f.unit, figure: i})
	}
}

// mostKept is a share of frames that the system held up. With more a turn says nothing about limits: neighbours that
// take so much time also slow down the other frames.
const mostKept = 0.2

// addTurn tells the limits of a turn of head.
func (v *verdict) addTurn(x values) {
	all := 0
	for _, n := range x.void {
		all += n
	}
	calm := float64(x.kept) <= mostKept*float64(all)
	for _, r := range v.rows {
		if r.limit == 0 || r.settled {
			continue
		}
		figure := x.figure[r.figure]
		if math.IsNaN(figure) || r.figure != cpu && r.figure != allocs && !calm {
			continue
		}
		r.head += figure
		if r.figure == p99 {
			r.addTurn(x.over, 1) // 1 % of the frames may be longer
		} else {
			r.addTurn(figure, r.limit)
		}
	}
}

// The differences that are allowed whatever Options.Tolerance is.
const (
	allowedP99    = 0.25 // of the target
	allowedMissed = 0.5  // percentage points
	allowedHitch  = 5    // ms of lateness in a second
	leastOwn      = 0.02
	leastPart     = 0.005
	leastAllocs   = 1
)

// addPair tells the comparisons of a pair. The allowed difference is the same if head and base change places: the proof
// of the error rate needs that.
func (v *verdict) addPair(h, b values, target time.Duration) {
	v.addParts(h, b)
	for _, r := range v.rows {
		if r.limit > 0 {
			continue
		}
		var x, y float64
		if r.figure == aPart {
			x, y = known(h.parts, r.name), known(b.parts, r.name)
		} else {
			x, y = h.figure[r.figure], b.figure[r.figure]
		}
		if math.IsNaN(x) || math.IsNaN(y) || r.settled {
			continue
		}
		r.allowed = v.o.Tolerance * (x + y) / 2
		free := freeShare
		switch r.figure {
		case p99:
			r.allowed, free = allowedP99*words.Millis(target), 0
		case missed:
			r.allowed, free = allowedMissed, 0
		case hitch:
			r.allowed, free = allowedHitch, 0
		case own, cpu:
			r.allowed = max(r.allowed, leastOwn)
		case allocs:
			r.allowed = max(r.allowed, leastAllocs)
		case aPart:
			r.allowed = max(r.allowed, leastPart)
		}
		r.head += x
		r.base += y
		r.squares += (x - y) * (x - y)
		r.addPair(x, y, r.allowed, free)
	}
}

const (
	mostParts  = 12   // are judged
	leastShare = 0.01 // of the time: a part that takes less in both builds is not judged
)

// addParts takes parts that have come up in a pair, the costliest first. Which ones does not depend on the coin.
func (v *verdict) addParts(h, b values) {
	var names []string
	share := func(name string) float64 { return h.parts[name].share + b.parts[name].share }
	for name := range h.parts {
		_, both := b.parts[name]
		known := slices.ContainsFunc(v.rows, func(r *row) bool { return r.figure == aPart && r.name == name })
		if both && !known && share(name) >= 2*leastShare {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(x, y string) int { return cmp.Or(cmp.Compare(share(y), share(x)), cmp.Compare(x, y)) })
	for _, name := range names[:min(len(names), v.empty())] {
		v.rows = append(v.rows, &row{name: name, unit: "ms", figure: aPart})
	}
}

// A lone sums up a part over the turns of one build. A part that only one build has cannot be compared, but told.
type lone struct {
	turns       int
	cost, share float64
}

func (l *lone) add(p part) {
	l.turns++
	l.cost += p.cost
	l.share += p.share
}

// onlyIn names the parts that only one build has and that take a hundredth of its time, the costliest first.
func (v *verdict) onlyIn(build, other string) string {
	all := v.seen[build]
	turns := 0
	for _, t := range v.rec.Turns {
		turns += count(t.Build == build)
	}
	var names []string
	for name, l := range all {
		if v.seen[other][name] == nil && l.share >= leastShare*float64(turns) {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(x, y string) int {
		return cmp.Or(cmp.Compare(all[y].share, all[x].share), cmp.Compare(x, y))
	})
	var says []string
	for _, name := range names[:min(len(names), mostParts)] {
		r := row{name: name, figure: aPart}
		says = append(says, fmt.Sprintf("%s, %.4g ms", r.title(), all[name].cost/float64(all[name].turns)))
	}
	return strings.Join(says, "; ")
}

// empty is how many more parts have room.
func (v *verdict) empty() int {
	if !v.compare {
		return 0
	}
	n := mostParts
	for _, r := range v.rows {
		n -= count(r.figure == aPart)
	}
	return n
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

// decide looks for an end.
func (v *verdict) decide() {
	empty := float64(v.empty()) // each has its capital of 1
	sum, settled, worse := empty, true, false
	for _, r := range v.rows {
		sum += math.Exp(r.worse)
		settled = settled && (r.settled || r.unknown())
		worse = worse || r.isWorse()
	}
	v.proof = sum / (empty + float64(len(v.rows)))
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

// unknown reports whether the system does not tell the figure.
func (r *row) unknown() bool { return r.figure == cpu && r.pairs == 0 }

// extrapolate says how much longer CAN'T TELL would take.
func (v *verdict) extrapolate() {
	pairs, target := 0.0, math.Log(failAt*float64(v.empty()+len(v.rows)))
	for _, r := range v.rows {
		if !r.settled && !r.unknown() {
			pairs = max(pairs, r.more(target))
		}
	}
	v.more = 0
	if s := v.spent.Seconds() * pairs * float64(v.step()) / float64(len(v.rec.Turns)); s < 3600 {
		v.more = time.Duration(s * float64(time.Second))
	}
}

// known returns the cost of the part, or NaN.
func known(parts map[string]part, name string) float64 {
	if p, ok := parts[name]; ok {
		return p.cost
	}
	return math.NaN()
}
