package main

import (
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/frameslice/frameslice/bench/report"
)

// TestWorkloads runs every workload on every system at a tiny size: each checks its own results. Programs in
// other languages take part if they are built, and are built here unless -short is given.
func TestWorkloads(t *testing.T) {
	t.Chdir("..")
	built := func(name string) bool {
		i := slices.IndexFunc(toolchains, func(c toolchain) bool { return c.name == name })
		_, err := os.Stat(toolchains[i].program)
		return err == nil && toolchains[i].fresh() || !testing.Short()
	}
	natives, missing := startNatives(2, built)
	for _, m := range missing {
		t.Log(m)
	}
	defer func() {
		for _, n := range natives {
			n.child.Close()
		}
	}()
	format := regexp.MustCompile(`^\S+ \S+ \S+ -?\d+(\.\d+)? \S+$`)
	for _, w := range workloads(tiny) {
		rows, err := report.Run(w.with(natives, 2), 1, report.Progress{})
		if err != nil {
			t.Fatal(err)
		}
		var with []string
		for _, r := range rows {
			if with = append(with, r.System); !format.MatchString(r.String()) {
				t.Errorf("bad row %q", r)
			}
		}
		with = slices.Compact(with)
		t.Log(w.name, with)
		if !slices.Contains(with, report.Ours) || len(with) < 7 {
			t.Errorf("%s has rows of %v only", w.name, with)
		}
	}
}

func TestTreesHaveTheirSizes(t *testing.T) {
	for _, n := range []int{1, 2, 1000, 100_000} {
		if got := serialNodes(branchRoot(n)); got != n {
			t.Errorf("tree of %d nodes, want %d", got, n)
		}
	}
	for n, want := range map[int]int64{1: 1, 4: 2, 6: 4, 8: 92} {
		if got := serialWalk(queensRoot(n)); got != want {
			t.Errorf("nqueens(%d) = %d, want %d", n, got, want)
		}
	}
}

// A wrong result must end the command.
func TestWrongResultsAreErrors(t *testing.T) {
	loses := system{name: "loses", open: func(int) pool { return loser{} }}
	if _, err := loop(loses, 2, 100, 3, 2, 1); err == nil {
		t.Error("a loop that skips items passes")
	}
}

type loser struct{ alone }

func (loser) loop(n int, body func(lo, hi int)) { body(0, n/2) }
