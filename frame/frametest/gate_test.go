package frametest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/frame"
)

// TestMeasureGate is make gate: it measures the gate itself, for an hour or for a night.
//
//	GATE_RUNS     gates that compare the game with itself, in turns under each kind of trouble
//	GATE_PLANTED  gates for each planted fault
//	GATE_SAVE     a folder for the recordings
func TestMeasureGate(t *testing.T) {
	o := Options{Loop: frame.Options{Interval: gameInterval}, base: "itself"}.withDefaults()
	if p, ok := planned(t.Name()); ok {
		playTurn(t, o, p, newGame)
		return
	}
	same, planted := number("GATE_RUNS"), number("GATE_PLANTED")
	if same+planted == 0 {
		t.Skip("it takes long: make gate")
	}
	o.base, _ = os.Executable()
	lab := &lab{t: t, o: o, unit: measureUnit()}
	if n := number("GATE_TIME"); n > 0 {
		lab.o.Time = time.Duration(n) * time.Second
	}
	fmt.Printf("%d steps in a millisecond, turns of %v, at most %v a gate\n", lab.unit, o.Turn, lab.o.Time)
	for i := range same {
		lab.measure("the same build", "", troubles[i%len(troubles)])
	}
	for _, plant := range []string{plantOwn, plantSpike, plantKind, plantYield} {
		for range planted {
			lab.measure(plant, plant, "nothing")
		}
	}
	lab.print()
}

// The kinds of trouble beside the game.
var troubles = []string{"nothing", "hogs", "a CPU quota", "stops", "all three"}

// A lab runs gates and keeps what they said.
type lab struct {
	t    *testing.T
	o    Options
	unit int
	runs []labRun
}

type labRun struct {
	name, trouble string
	*verdict
	naive, naivePair bool // what two simple gates say to the same recording
	tossed, red      int  // how often the coins were tossed again for it, and FAIL
}

func (l *lab) measure(name, plant, trouble string) {
	beside := begin(l.t, trouble)
	defer beside.end()
	g := &gate{o: l.o, play: func(build string) (*turn, error) {
		env := []string{"GATE_UNIT=" + strconv.Itoa(l.unit), "GATE_PLANT="}
		if build == head {
			env[1] += plant
		}
		return child(l.t, l.o, build, beside.took, env...)
	}}
	v, err := g.run()
	if err != nil {
		l.t.Fatal(err)
	}
	r := labRun{name: name, trouble: trouble, verdict: v}
	r.naive = naiveP99(v.rec, head) > gameInterval*5/4
	r.naivePair = naiveP99(v.rec, head) > naiveP99(v.rec, base)*11/10
	if plant == "" {
		r.tossed = 100
		r.red = tossAgain(v.rec, l.o, r.tossed, uint64(len(l.runs)))
	}
	l.runs = append(l.runs, r)
	fmt.Printf("%s beside %s: %v", name, trouble, v)
	if dir := os.Getenv("GATE_SAVE"); dir != "" {
		text, err := json.Marshal(v.rec)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, fmt.Sprintf("%03d.json", len(l.runs))), text, 0o666)
		}
		if err != nil {
			l.t.Fatal(err)
		}
	}
}

// print writes a table for MEASUREMENTS.md.
func (l *lab) print() {
	fmt.Println("\n| head | beside | runs | FAIL | PASS | CAN'T TELL | median s | void frames | tossed again | " +
		"`p99 < 1.25 intervals` | `p99 < 1.1 base` |\n|---|---|---|---|---|---|---|---|---|---|---|")
	rows := map[string][]labRun{}
	var keys []string
	for _, r := range l.runs {
		key := r.name + " | " + r.trouble
		if rows[key] == nil {
			keys = append(keys, key)
		}
		rows[key] = append(rows[key], r)
	}
	for _, key := range keys {
		runs := rows[key]
		n := map[end]int{}
		var naive, pair, tossed, red, void, all int
		var times []float64
		for _, r := range runs {
			n[r.end]++
			times = append(times, r.spent.Seconds())
			naive, pair = naive+count(r.naive), pair+count(r.naivePair)
			tossed, red = tossed+r.tossed, red+r.red
			for _, build := range []string{base, head} {
				all += r.frames[build]
				for _, x := range r.void[build] {
					void += x
				}
			}
			void -= r.void[base][notVoid] + r.void[head][notVoid]
		}
		slices.Sort(times)
		again := "-"
		if tossed > 0 {
			again = fmt.Sprintf("%.1f %% red of %d", 100*float64(red)/float64(tossed), tossed)
		}
		fmt.Printf("| %s | %d | %d | %d | %d | %.0f | %.1f %% | %s | %d red | %d red |\n", key, len(runs),
			n[fail], n[pass], n[cantTell], times[len(times)/2],
			100*float64(void)/float64(max(all+void, 1)), again, naive, pair)
	}
}

// naiveP99 is the percentile of all frames of a build, void or not.
func naiveP99(rec recording, build string) time.Duration {
	var d []time.Duration
	for _, t := range rec.Turns {
		if t.Build == build {
			for _, s := range t.Frames {
				d = append(d, s.Interval)
			}
		}
	}
	slices.Sort(d)
	return rank(d, 99)
}

// tossAgain returns how often the gate would have said FAIL if its coins had fallen otherwise. Both builds are the
// same, so each fall was as likely as the one that happened.
func tossAgain(rec recording, o Options, n int, seed uint64) (red int) {
	rng := rand.New(rand.NewPCG(seed, 33))
	for range n {
		other := recording{Turns: make([]*turn, len(rec.Turns))}
		for i := range rec.Turns {
			x := *rec.Turns[i]
			other.Turns[i] = &x
		}
		for i := 0; i+1 < len(other.Turns); i += 2 {
			if rng.IntN(2) == 0 {
				a, b := other.Turns[i], other.Turns[i+1]
				a.Build, b.Build = b.Build, a.Build
			}
		}
		red += count(judge(other, o).end == fail)
	}
	return red
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

func number(variable string) int {
	n, _ := strconv.Atoi(cmp.Or(strings.TrimSpace(os.Getenv(variable)), "0"))
	return n
}
