// Command tasks measures package scheduler beside React's scheduler.
package main

import (
	"fmt"
	"os"

	"github.com/frameslice/frameslice/bench/child"
	"github.com/frameslice/frameslice/bench/report"
)

const about = `tasks measures package scheduler beside React's scheduler on Node, in one run, and prints rows of
"workload system metric value unit" (medians; lower is better), then a table for each workload.
React has one thread. Ours schedules with the verbs that any goroutine may call.
Run it in the folder bench, or by "make bench-scheduler". React's package is installed with
"npm ci" into bench/tasks/react; without Node and npm there are our own rows alone.`

// workloads in the order of the rows. React has those that its child says it has.
var workloads = []struct{ name, about string }{
	{"schedule-run", "no-ops of one priority: schedule all, then run all in slices of 5 ms"},
	{"five-priorities", "the same with five priorities mixed at random"},
	{"schedule-cancel", "schedule all, cancel all, run until nothing is left"},
	{"delayed-due", "no-ops delayed by up to 2 s, all due at once: schedule and run"},
	{"delayed-tasks", "the same with a Task each that the caller owns"},
	{"step", "a continuation that is continued at once: one task of many steps"},
	{"coroutine-yield", "a coroutine that yields while nothing else is ready"},
	{"coroutine-frames", "1,000 coroutines, each resumed once in every slice: there and back"},
	{"late-tasks", "the longest slice of 5 ms while 200 tasks of 1 ms each are 300 ms late"},
	{"immediate", "from posting an Immediate task behind delayed ones that have all come due to its start"},
}

func main() {
	c := report.Parse(about, 21, 5, 0)
	c.Others = []string{"react"}
	tasks := 100_000
	if c.Quick {
		tasks = 20_000
	}
	react, err := startReact("tasks/react")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	if err := c.Main(all(react, tasks)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if react != nil {
		react.Close()
	}
}

// all returns the workloads with n tasks; react may be nil.
func all(react *child.Child, n int) []report.Workload {
	var list []report.Workload
	for _, w := range workloads {
		run := ours[w.name]
		k := report.Workload{Name: w.name, About: w.about}
		if w.name == "late-tasks" {
			k.MaxRounds = 5 // they take a fifth of a second each
		}
		k.Cases = append(k.Cases, report.Case{System: report.Ours,
			Run: func() ([]report.Value, error) { return measure(run, n) }})
		if react != nil && react.Has(w.name) {
			k.Cases = append(k.Cases, report.Case{System: "react",
				Run: func() ([]report.Value, error) { return react.Ask(w.name, n) }})
		}
		list = append(list, k)
	}
	return list
}

// startReact installs and starts React's scheduler. The error says what is missing.
func startReact(dir string) (*child.Child, error) {
	if !child.Have("node") || !child.Have("npm") {
		return nil, fmt.Errorf("not installed: node and npm, so there are no rows of react; apt-get install nodejs npm")
	}
	if _, err := os.Stat(dir + "/node_modules/scheduler/package.json"); err != nil {
		if err := child.Build(dir, "npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"); err != nil {
			return nil, fmt.Errorf("not installed: scheduler, so there are no rows of react; (cd bench/%s && npm ci)\n%w",
				dir, err)
		}
	}
	return child.Start([]string{"NODE_ENV=production"}, "node", "--expose-gc", dir+"/react.js")
}
