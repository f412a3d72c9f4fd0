package main

import (
	"os"
	"regexp"
	"testing"

	"github.com/frameslice/frameslice/bench/child"
	"github.com/frameslice/frameslice/bench/report"
)

// TestWorkloads runs every workload at a tiny size: each checks its own results. React takes part if it is
// installed, and is installed here unless -short is given.
func TestWorkloads(t *testing.T) {
	var react *child.Child
	if _, err := os.Stat("react/node_modules"); err == nil || !testing.Short() {
		if react, err = startReact("react"); err != nil {
			t.Log(err)
		} else {
			defer react.Close()
		}
	}
	format := regexp.MustCompile(`^\S+ (frameslice|react) \S+ \d+(\.\d+)? \S+$`)
	for _, w := range all(react, 1000) {
		if w.Name == "late-tasks" && testing.Short() {
			continue // its tasks take real time
		}
		rows, err := report.Run(w, 1, report.Progress{})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rows {
			t.Log(r)
			if !format.MatchString(r.String()) {
				t.Errorf("bad row %q", r)
			}
			if r.Metric == "allocs/task" && r.Value > 0.1 {
				t.Errorf("%s allocates %v a task", r.Workload, r.Value)
			}
		}
	}
}
