package load

import (
	"math"
	"strings"
	"testing"
	"time"
)

func TestParseModesRefusesWhatCannotRun(t *testing.T) {
	for list, want := range map[string]string{
		"":                "unknown mode",
		"idle,fast":       `unknown mode "fast"; the modes are idle, inline`,
		"idle,idle":       "named twice",
		"idle,inline":     "",
		" inline-budget ": "",
	} {
		got, err := ParseModes(list)
		if want == "" {
			if err != nil || len(got) != strings.Count(list, ",")+1 {
				t.Errorf("ParseModes(%q) = %v, %v", list, got, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ParseModes(%q): error %v, want one with %q", list, err, want)
		}
	}
}

func TestEveryModeHasAName(t *testing.T) {
	for _, m := range AllModes() {
		if got, err := ParseMode(string(m)); err != nil || got != m || m.Says() == "unknown" {
			t.Errorf("%s: %v, %v, says %q", m, got, err, m.Says())
		}
	}
	if got := len(Modes()); got != 6 || Modes()[0] != Idle {
		t.Errorf("Modes() = %v", Modes())
	}
}

func TestRateIsWhatTheMachineHasLeft(t *testing.T) {
	c := Config{Interval: 20 * time.Millisecond, Load: 2, Job: 10 * time.Millisecond}.WithDefaults()
	if got, want := c.rate(4), 2*3.8/0.010; math.Abs(got-want) > 1e-9 {
		t.Errorf("rate on 4 CPUs = %v, want %v", got, want)
	}
}

func TestPlanRunsEachModeOncePerRound(t *testing.T) {
	c := Config{Compare: true, Duration: 60 * time.Second, Slice: 3 * time.Second, Seed: 7}.WithDefaults()
	p := c.Turns()
	n := len(c.Modes)
	if len(p) != 20*n {
		t.Fatalf("%d slices, want %d", len(p), 20*n)
	}
	orders := map[string]bool{}
	for at := 0; at < len(p); at += n {
		seen := map[Mode]bool{}
		var order []string
		for _, turn := range p[at : at+n] {
			seen[turn.Mode] = true
			order = append(order, turn.String())
		}
		if len(seen) != n {
			t.Errorf("round %d misses a mode: %v", at/n, order)
		}
		orders[strings.Join(order, " ")] = true
	}
	if len(orders) < 10 {
		t.Errorf("only %d different orders in 20 rounds", len(orders))
	}
	again, other := c.Turns(), c
	other.Seed = 8
	same := true
	for i, m := range other.Turns() {
		if again[i] != p[i] {
			t.Fatal("the same seed gave another order")
		}
		same = same && m == p[i]
	}
	if same {
		t.Error("another seed gave the same order")
	}
	if got := c.SliceLength(); got != 3*time.Second {
		t.Errorf("slice length %v", got)
	}
	c.Duration = 4 * time.Second
	if got := c.SliceLength() * time.Duration(len(c.Turns())/n); got != c.Duration {
		t.Errorf("slices of 4 s add up to %v", got)
	}
}

func TestTurnsNeverRepeatAMode(t *testing.T) {
	c := Config{Modes: []Mode{Idle, Workers, Frameslice}, Duration: 60 * time.Second, Slice: 3 * time.Second}
	c.Beside = []Beside{None, Two}
	for seed := range uint64(50) {
		c.Seed = seed
		plan := c.Turns()
		count := map[Turn]int{}
		for i, turn := range plan {
			count[turn]++
			if i > 0 && plan[i-1].Mode == turn.Mode {
				t.Fatalf("seed %d: %s twice at %d", seed, turn.Mode, i)
			}
			if first := plan[i/3*3]; first.Beside != turn.Beside {
				t.Fatalf("seed %d: the programs change at %d within a round of the modes", seed, i)
			}
		}
		if len(plan) != 120 || len(count) != 6 || count[Turn{Idle, None}] != 20 || count[Turn{Workers, Two}] != 20 {
			t.Fatalf("seed %d: %v", seed, count)
		}
	}
	c.Modes, c.Beside = c.Modes[:1], nil
	if got := c.Turns(); len(got) != 20 {
		t.Errorf("one mode: %v", got)
	}
}
