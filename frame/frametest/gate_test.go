package frametest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/internal/hist"
)

// TestMeasureGate is make gate: it measures the gate itself, for an hour or for a night. Variables tell it what to do:
//
//	GATE_RUNS     gates that compare the game with itself, in turns under each kind of trouble
//	GATE_PLANTED  gates for each planted fault
//	GATE_ONLY     "quiet" leaves out the gates under trouble, "noisy" all others
//	GATE_JOB      2/7 does the third of every seven gates
//	GATE_TURN     the length of turns
//	GATE_TIME     how many seconds a gate with turns of a second may take; shorter turns have less
//	GATE_RESULTS  a file, to which each gate adds a line
//	GATE_SAVE     a folder for the recordings
//	GATE_TABLE    a file of such lines: only prints its table
func TestMeasureGate(t *testing.T) {
	o := Options{Loop: frame.Options{Interval: gameInterval}, base: "itself"}.withDefaults()
	if p, ok := planned(t.Name()); ok {
		playTurn(t, o, p, newGame)
		return
	}
	if file := os.Getenv("GATE_TABLE"); file != "" {
		printTable(t, file)
		return
	}
	gates := trials(number("GATE_RUNS"), number("GATE_PLANTED"), os.Getenv("GATE_ONLY"))
	if len(gates) == 0 {
		t.Skip("it takes long: make gate")
	}
	o.base, _ = os.Executable()
	if turn, err := time.ParseDuration(os.Getenv("GATE_TURN")); err == nil {
		o.Turn = turn
	}
	o.Time = time.Duration(cmp.Or(number("GATE_TIME"), 60)) * o.Turn
	lab := &lab{t: t, o: o, unit: measureUnit()}
	fmt.Printf("%d steps in a millisecond, turns of %v, at most %v a gate\n", lab.unit, o.Turn, o.Time)
	job, jobs := 0, 1
	_, _ = fmt.Sscanf(os.Getenv("GATE_JOB"), "%d/%d", &job, &jobs)
	for i, g := range gates {
		if i%jobs == job {
			lab.measure(g)
		}
	}
}

// A trial is one gate to measure.
type trial struct{ Name, Plant, Beside string }

// The kinds of trouble beside the game.
var troubles = []string{"nothing", "hogs", "a CPU quota", "stops", "all three"}

// trials mixes all kinds, so that a part of the list has some of each.
func trials(same, planted int, only string) (all []trial) {
	for i := range max(same, planted*len(troubles)) {
		beside := troubles[i%len(troubles)]
		if i < same && only != map[bool]string{true: "noisy", false: "quiet"}[beside == "nothing"] {
			all = append(all, trial{"the same build", "", beside})
		}
		if i < planted*len(troubles) && beside == "nothing" && only != "noisy" {
			for _, plant := range []string{plantOwn, plantSpike, plantKind, plantYield} {
				all = append(all, trial{plant, plant, "nothing"})
			}
		}
	}
	return all
}

// A lab runs gates and keeps what they said.
type lab struct {
	t    *testing.T
	o    Options
	unit int
	n    int
}

// A result is what a gate said.
type result struct {
	trial
	End              end
	Says             string
	Seconds          float64
	Frames, Void     int
	Naive, NaivePair bool // two simple gates, of the same recording, are red
	Tossed, Red      int  // how often the coins were tossed again for it, and FAIL
}

func (l *lab) measure(of trial) {
	beside := begin(l.t, of.Beside)
	defer beside.end()
	g := &gate{o: l.o, play: func(build string) (*turn, error) {
		env := []string{"GATE_UNIT=" + strconv.Itoa(l.unit), "GATE_PLANT="}
		if build == head {
			env[1] += of.Plant
		}
		return child(l.t, l.o, build, beside.took, env...)
	}}
	v, err := g.run()
	if err != nil {
		l.t.Fatal(err)
	}
	r := result{trial: of, End: v.end, Says: v.sentence(), Seconds: v.spent.Seconds()}
	for _, build := range []string{base, head} {
		r.Frames += v.frames[build]
		for c, n := range v.void[build] {
			r.Void += n * count(cause(c) != byNobody)
		}
	}
	r.Naive = naiveP99(v.rec, head) > gameInterval*5/4
	r.NaivePair = naiveP99(v.rec, head) > naiveP99(v.rec, base)*11/10
	if of.Plant == "" {
		r.Tossed = 100
		r.Red = tossAgain(v.rec, l.o, r.Tossed, rand.Uint64())
	}
	l.n++
	fmt.Printf("%s beside %s: %v", of.Name, of.Beside, v)
	if file := os.Getenv("GATE_RESULTS"); file != "" {
		l.write(file, os.O_APPEND, r)
	}
	if dir := os.Getenv("GATE_SAVE"); dir != "" {
		l.write(filepath.Join(dir, fmt.Sprintf("%d-%03d.json", os.Getpid(), l.n)), os.O_TRUNC, v.rec)
	}
}

// write writes a line.
func (l *lab) write(file string, how int, what any) {
	text, err := json.Marshal(what)
	if err != nil {
		l.t.Fatal(err)
	}
	f, err := os.OpenFile(file, os.O_CREATE|os.O_WRONLY|how, 0o666)
	if err == nil {
		_, err = f.Write(append(text, '\n'))
		_ = f.Close()
	}
	if err != nil {
		l.t.Fatal(err)
	}
}

// printTable writes a table for MEASUREMENTS.md, and what gates said wrongly.
func printTable(t *testing.T, file string) {
	f, err := os.Open(file)
	if err != nil {
		t.Skip("no gate has ended: ", err)
	}
	defer f.Close()
	rows := map[trial][]result{}
	for lines := json.NewDecoder(f); ; {
		var r result
		if err := lines.Decode(&r); err != nil {
			break // the last line may be cut off
		}
		rows[r.trial] = append(rows[r.trial], r)
		if r.Plant == "" && r.End == fail || r.Plant != "" && r.End == pass {
			fmt.Printf("%s beside %s: %s: %s\n", r.Name, r.Beside, r.End, r.Says)
		}
	}
	fmt.Println("\n| head | beside | runs | FAIL | PASS | CAN'T TELL | median s | void frames | tossed again | " +
		"`p99 < 1.25 intervals` | `p99 < 1.1 base` |\n|---|---|---|---|---|---|---|---|---|---|---|")
	for _, of := range trials(len(troubles), 1, "") {
		runs := rows[of]
		if len(runs) == 0 {
			continue
		}
		n := map[end]int{}
		var naive, pair, tossed, red, void, frames int
		var times []float64
		for _, r := range runs {
			n[r.End]++
			times = append(times, r.Seconds)
			naive, pair = naive+count(r.Naive), pair+count(r.NaivePair)
			tossed, red = tossed+r.Tossed, red+r.Red
			void, frames = void+r.Void, frames+r.Frames
		}
		again := "-"
		if tossed > 0 {
			again = fmt.Sprintf("%.2f %% red of %d", 100*float64(red)/float64(tossed), tossed)
		}
		fmt.Printf("| %s | %s | %d | %d | %d | %d | %.0f | %.1f %% | %s | %d red | %d red |\n",
			of.Name, of.Beside, len(runs), n[fail], n[pass], n[cantTell], hist.Median(times),
			100*float64(void)/float64(max(frames+void, 1)), again, naive, pair)
	}
}

// naiveP99 is the percentile of all frames of a build, void or not.
func naiveP99(rec recording, build string) time.Duration {
	var d record.Intervals
	for _, t := range rec.Turns {
		if t.Build == build {
			for _, s := range t.Frames {
				d = append(d, s.Interval)
			}
		}
	}
	return d.Percentile(99)
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

func number(variable string) int {
	n, _ := strconv.Atoi(cmp.Or(strings.TrimSpace(os.Getenv(variable)), "0"))
	return n
}
