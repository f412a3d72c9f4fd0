package frametest

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// A world makes turns, under a seed. Slots of time are as busy as others make them: this is what a gate must not take
// for a fault of the game.
type world struct {
	*rand.Rand
	busy  float64 // how much others slow the machine down; it comes and goes
	noisy float64 // how much it may
	luck  float64 // of each process
	n     int     // frames so far
	crowd bool    // others take something of every other frame
	drift float64 // by which each turn is slower than the one before
	roams float64 // by how much the speed of one turn differs from that of the turn before
	pace  float64 // the sum of that
	twoUp bool    // every other frame has three times as much to do
}

// faults are what head has and base has not.
type faults struct {
	own, kind float64 // factors, less 1
	late      int     // one of so many frames is 20 ms late
	allocs    float64
}

const simFrames = 60

// turn plays a turn of a second, at 60 Hz.
func (w *world) turn(build string, f faults) *turn {
	t := &turn{Build: build, Target: time.Second / 60, Kinds: map[string][]time.Duration{}}
	if w.Float64() < 0.3 {
		w.busy = w.noisy * w.Float64() * float64(w.IntN(3))
	}
	w.pace = 0.95*w.pace + w.drift + w.roams*w.NormFloat64()
	slow := (1 + w.busy) * (1 + w.luck*(2*w.Float64()-1)) * math.Exp(w.pace)
	unit := func(ms float64) time.Duration {
		return time.Duration(ms * slow * (1 + 0.05*w.ExpFloat64()) * float64(time.Millisecond))
	}
	for range simFrames {
		ms := 2 * (1 + f.own)
		if w.twoUp && w.n%2 == 0 {
			ms *= 3
		}
		s := sample{Interval: t.Target, Own: unit(ms)}
		if w.Float64() < w.busy/20 { // a stall that nobody accounts for
			s.Interval += unit(30)
		}
		if w.Float64() < w.busy/4 || w.crowd && w.n%2 == 0 {
			s.Kept = unit(10)
			s.Interval += s.Kept
			s.By = byWaiting
		}
		if w.n++; f.late > 0 && w.n%f.late == 0 {
			s.Interval += 20 * time.Millisecond
		}
		t.Frames = append(t.Frames, s)
		t.Kinds["path"] = append(t.Kinds["path"], unit(1+f.kind))
		t.CPU += s.Own + t.Kinds["path"][len(t.Kinds["path"])-1]
	}
	t.Mallocs = uint64(simFrames * (40 + f.allocs))
	return t
}

// simulate plays a gate in the world, of at most a minute.
func (w *world) simulate(o Options, f faults) *verdict {
	var clock time.Time
	g := &gate{o: o, now: func() time.Time { return clock }, coin: func() bool { return w.IntN(2) == 0 }}
	g.play = func(build string) (*turn, error) {
		clock = clock.Add(1100 * time.Millisecond)
		if build == base {
			return w.turn(base, faults{}), nil
		}
		return w.turn(head, f), nil
	}
	v, _ := g.run()
	return v
}

func simulations() int {
	if testing.Short() {
		return 100
	}
	return 300
}

func TestTheSameBuildDoesNotFail(t *testing.T) {
	for name, w := range map[string]world{
		"quiet": {luck: 0.01}, "busy": {noisy: 1, luck: 0.02}, "very busy": {noisy: 4, luck: 0.05},
		"unlucky processes": {luck: 0.3}, "drift": {drift: 0.01, luck: 0.01}, "roams": {roams: 0.05},
		"two kinds of frames": {twoUp: true, luck: 0.01},
	} {
		// A build can be slower by the layout of its code alone: that is no regression either.
		for _, layout := range []float64{0, 0.02} {
			ends := map[end]int{}
			for i := range simulations() {
				w.Rand, w.busy, w.pace, w.n = rand.New(rand.NewPCG(uint64(i), 5)), 0, 0, 0
				ends[w.simulate(Options{base: "base"}.withDefaults(), faults{own: layout, kind: layout}).end]++
			}
			t.Logf("%s, head %v slower: %v", name, layout, ends)
			calm := layout == 0 && (name == "quiet" || name == "two kinds of frames")
			if ends[fail]*failAt > simulations() || calm && ends[pass] < simulations()*95/100 {
				t.Errorf("%s, head %v slower: %v, want at most 1 FAIL in 100, and PASS on a quiet machine",
					name, layout, ends)
			}
		}
	}
}

func TestFaultsAreFound(t *testing.T) {
	for name, f := range map[string]faults{
		"own work +1 ms, path": {own: 0.5}, "path 5 % slower": {kind: 0.05}, "1 frame of 100 late": {late: 100},
		"allocations": {allocs: 3},
	} {
		ends := map[end]int{}
		w := world{luck: 0.01}
		says := ""
		for i := range simulations() {
			w.Rand = rand.New(rand.NewPCG(uint64(i), 6))
			v := w.simulate(Options{base: "base"}.withDefaults(), f)
			ends[v.end]++
			says = v.String()
		}
		t.Logf("%s: %v", name, ends)
		if ends[fail] < simulations()*95/100 {
			t.Errorf("%s: %v, want at least 95 FAIL in 100; such as\n%s", name, ends, says)
		}
	}
}

// A limit that is settled keeps its figure, however long another one takes. At its limit a measure never settles.
func TestASettledLimitKeepsItsFigure(t *testing.T) {
	w := world{Rand: rand.New(rand.NewPCG(1, 8))}
	v := w.simulate(Options{Limits: Limits{Own: 10 * time.Millisecond, Allocs: 40}}.withDefaults(), faults{})
	own, allocs := v.rows[0], v.rows[1]
	if !own.settled || allocs.settled || own.pairs == allocs.pairs {
		t.Fatalf("settled after %d turns: %v; after %d: %v", own.pairs, own.settled, allocs.pairs, allocs.settled)
	}
	if ms := own.head / float64(own.pairs); ms < 2 || ms > 2.2 {
		t.Errorf("%.3g ms of own work, want 2 to 2.2", ms)
	}
	if text := v.String(); strings.Contains(text, "base") || strings.Contains(text, "head") {
		t.Errorf("there is one build only:\n%s", text)
	}
}

func TestLimitsWithoutABase(t *testing.T) {
	quiet, crowded := world{}, world{crowd: true}
	for _, c := range []struct {
		name   string
		w      *world
		limits Limits
		f      faults
		want   end
	}{
		{"defaults", &quiet, Limits{}, faults{}, pass},
		{"all limits", &quiet, Limits{P99: 20 * time.Millisecond, Missed: 1, HitchRatio: 5, Own: 3 * time.Millisecond,
			CPU: 5 * time.Millisecond, Allocs: 50}, faults{}, pass},
		{"late frames", &quiet, Limits{}, faults{late: 20}, fail},
		{"p99", &quiet, Limits{P99: 20 * time.Millisecond}, faults{late: 20}, fail},
		{"own work", &quiet, Limits{Own: time.Millisecond}, faults{}, fail},
		{"allocations", &quiet, Limits{Allocs: 10}, faults{}, fail},
		{"late frames on a crowded machine", &crowded, Limits{}, faults{late: 20}, cantTell},
	} {
		ends := map[end]int{}
		for i := range 20 {
			c.w.Rand, c.w.busy = rand.New(rand.NewPCG(uint64(i), 7)), 0
			v := c.w.simulate(Options{Limits: c.limits}.withDefaults(), c.f)
			ends[v.end]++
			if text := v.String(); !strings.HasPrefix(text, string(v.end)+": ") {
				t.Error(text)
			}
		}
		t.Log(c.name, ends)
		if ends[c.want] < 19 {
			t.Errorf("%s: %v, want %s", c.name, ends, c.want)
		}
	}
}

// A part that only one build has cannot be compared, and is told.
func TestTellsPartsOfOneBuild(t *testing.T) {
	v := newVerdict(Options{base: "b"}.withDefaults())
	for range 3 {
		turns := []*turn{{Build: base, Target: tick, CPU: -1}, {Build: head, Target: tick, CPU: -1}}
		for i, kinds := range []map[string]time.Duration{
			{"section physics": 3 * time.Millisecond, "game.path": time.Millisecond},
			{"section simulation": 3 * time.Millisecond, "game.path": time.Millisecond, "game.tiny": time.Microsecond,
				"game.bake": 2 * time.Millisecond},
		} {
			turns[i].Frames = slices.Repeat([]sample{{Interval: tick, Own: 5 * time.Millisecond}}, 60)
			turns[i].Kinds = map[string][]time.Duration{}
			for name, cost := range kinds {
				turns[i].Kinds[name] = slices.Repeat([]time.Duration{cost}, 60)
			}
		}
		v.take(turns, time.Second)
	}
	text := v.String()
	for _, want := range []string{
		"\nOnly in base: section physics, 3 ms\n", "\nOnly in head: section simulation, 3 ms; task game.bake, 2 ms\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
