package load

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestParseModesRefusesWhatCannotRun(t *testing.T) {
	for list, want := range map[string]string{
		"":                "unknown mode",
		"idle,fast":       `unknown mode "fast"; the modes are [idle inline`,
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
		if got, err := ParseModes(string(m)); err != nil || got[0] != m || m.Says() == "unknown" {
			t.Errorf("%s: %v, %v, says %q", m, got, err, m.Says())
		}
	}
	if got := len(Modes()); got != 6 || Modes()[0] != Idle || Modes()[5] != Frameslice {
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
	c := Config{Modes: Modes(), Duration: 60 * time.Second, Slice: 3 * time.Second}.WithDefaults()
	p := c.Turns()
	n := len(c.Modes)
	if len(p) != 20*n || !slices.Equal(p, c.Turns()) {
		t.Fatalf("%d slices, want %d, always the same", len(p), 20*n)
	}
	orders := map[string]bool{}
	for round := range slices.Chunk(p, n) {
		orders[fmt.Sprint(round)] = true
		seen := slices.Clone(round)
		slices.Sort(seen)
		if len(slices.Compact(seen)) != n {
			t.Errorf("a round misses a mode: %v", round)
		}
	}
	if len(orders) < 10 {
		t.Errorf("only %d different orders in 20 rounds", len(orders))
	}
	for i := range p[1:] {
		if p[i] == p[i+1] {
			t.Errorf("%s twice at %d", p[i], i)
		}
	}
	if got := c.SliceLength(); got != 3*time.Second {
		t.Errorf("slice length %v", got)
	}
	c.Duration = 4 * time.Second
	if got := c.SliceLength() * time.Duration(len(c.Turns())/n); got != c.Duration {
		t.Errorf("slices of 4 s add up to %v", got)
	}
	c = Config{Duration: 60 * time.Second}.WithDefaults()
	if got := c.Turns(); len(got) != 20 {
		t.Errorf("one mode: %v", got)
	}
}
