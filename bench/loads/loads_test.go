package main

import (
	"testing"

	"github.com/frameslice/frameslice/bench/report"
)

// Every workload runs, for a short time: each checks that all was loaded.
func TestWorkloads(t *testing.T) {
	for _, w := range all(true) {
		rows, err := report.Run(w, 1, report.Progress{})
		if err != nil {
			t.Fatal(err)
		}
		last := ""
		for _, r := range rows {
			if r.System == report.Ours {
				last = r.Metric
			}
		}
		if want := map[string]string{
			"downloads": "all loaded", "small-files": "ten loaded", "camera": "longest frame",
		}[w.Name]; last != want {
			t.Errorf("%s ends with %q, want %q", w.Name, last, want)
		}
	}
}

// The tiles in sight are those of the rectangle, the middle ones first.
func TestSight(t *testing.T) {
	near := sight(10, 10, 0)
	if len(near) != sightWide*sightHigh || near[0] != 13*worldWide+15 {
		t.Errorf("%d tiles, the first one is %d", len(near), near[0])
	}
	if with := sight(0, 0, 2); len(with) != (sightWide+2)*(sightHigh+2) {
		t.Errorf("%d tiles in a corner", len(with))
	}
}
