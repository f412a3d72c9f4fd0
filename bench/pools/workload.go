package main

import (
	"cmp"
	"runtime"
	"time"

	"github.com/frameslice/frameslice/bench/child"
	"github.com/frameslice/frameslice/bench/report"
	"github.com/frameslice/frameslice/deadline"
)

// A workload is the same for all systems. run does it on a system in Go. Programs in other languages get the numbers.
type workload struct {
	name, about string
	numbers     []int
	maxRounds   int
	has         func(s system) bool // nil: every system can
	run         func(s system, workers int) ([]report.Value, error)
	yardstick   bool // serial is in the table

	like   string                          // what programs in other languages know it as, if not by name
	beside func() (stop func(), err error) // what goes on meanwhile, or nil
}

// measure is run, beside what goes on meanwhile.
func (w workload) measure(run func() ([]report.Value, error)) ([]report.Value, error) {
	if w.beside != nil {
		stop, err := w.beside()
		if err != nil {
			return nil, err
		}
		defer stop()
	}
	return run()
}

// A native is a program that stands for a system.
type native struct {
	name  string
	child *child.Child
}

// with returns the workload with a case for each system that can express it.
func (w workload) with(natives []native, workers int) report.Workload {
	out := report.Workload{Name: w.name, About: w.about, MaxRounds: w.maxRounds}
	for _, s := range systems {
		if s.yardstick && !w.yardstick || w.has != nil && !w.has(s) {
			continue
		}
		out.Cases = append(out.Cases, report.Case{System: s.name, Run: func() ([]report.Value, error) {
			runtime.GC() // what the last system left
			return w.measure(func() ([]report.Value, error) { return w.run(s, workers) })
		}})
	}
	known := cmp.Or(w.like, w.name)
	for _, n := range natives {
		if n.child.Has(known) {
			out.Cases = append(out.Cases, report.Case{System: n.name, Run: func() ([]report.Value, error) {
				return w.measure(func() ([]report.Value, error) { return n.child.Ask(known, w.numbers...) })
			}})
		}
	}
	return out
}

// sizes are how much of everything is done in a run.
type sizes struct {
	tasks, fib, queens, nodes   int
	loops                       float64 // factor for the repetitions of loops
	wakes, pairs, idle, backlog int     // idle in ms
}

var (
	full  = sizes{1_000_000, 32, 11, 1_000_000, 1, 200, 1000, 5000, 10_000}
	quick = sizes{100_000, 25, 9, 100_000, 0.2, 20, 200, 500, 2000}
	tiny  = sizes{1000, 12, 6, 1000, 0.01, 2, 5, 10, 50}
)

func workloads(z sizes) []workload {
	var all []workload
	all = append(all, submitting(z)...)
	all = append(all, recursive(z)...)
	all = append(all, looping(z)...)
	all = append(all, waking(z)...)
	return append(all, background(z)...)
}

func now() deadline.Instant                   { return deadline.Now() }
func since(t0 deadline.Instant) time.Duration { return deadline.Now().Sub(t0) }
func ns(metric string, d time.Duration, n int) []report.Value {
	return []report.Value{{Metric: metric, V: float64(d) / float64(n), Unit: "ns"}}
}
