// Package report runs measurements in shuffled rounds, and prints rows and tables.
package report

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"github.com/frameslice/frameslice/internal/hist"
)

// Ours is the name of our own system.
const Ours = "frameslice"

// A Value is one figure of one run. Lower is better.
type Value struct {
	Metric string // "ns/task", "p50"
	V      float64
	Unit   string // "ns", "µs", "%"
}

// A Case is one system under one workload.
type Case struct {
	System string
	Run    func() ([]Value, error) // runs it once and checks the result
}

// A Workload is a set of cases that are comparable.
type Workload struct {
	Name      string
	About     string // one line for the table
	Cases     []Case
	MaxRounds int // zero means no limit
}

// A Row is what all rounds of one system, workload and metric came to.
type Row struct {
	Workload string    `json:"workload"`
	System   string    `json:"system"`
	Metric   string    `json:"metric"`
	Value    float64   `json:"value"` // the median
	Unit     string    `json:"unit"`
	Min      float64   `json:"min"`
	Max      float64   `json:"max"`
	Rounds   int       `json:"rounds"`
	Values   []float64 `json:"values"` // in the order of the rounds
}

// String formats a row as "workload system metric value unit".
func (r Row) String() string {
	return fmt.Sprintf("%s %s %s %s %s", r.Workload, r.System, r.Metric, Number(r.Value), r.Unit)
}

// Number formats a figure with four digits, and never with an exponent.
func Number(v float64) string {
	digits := 0
	for x := max(v, -v); digits < 3 && x < 1000; digits++ {
		x *= 10
	}
	s := strconv.FormatFloat(v, 'f', digits, 64)
	if digits > 0 {
		for s[len(s)-1] == '0' {
			s = s[:len(s)-1]
		}
		if s[len(s)-1] == '.' {
			s = s[:len(s)-1]
		}
	}
	if s == "-0" {
		return "0"
	}
	return s
}

// Run runs w in rounds, in each of them all cases in a new order, and returns its rows in the order of the
// cases.
func Run(w Workload, rounds int, progress Progress) ([]Row, error) {
	if w.MaxRounds > 0 {
		rounds = min(rounds, w.MaxRounds)
	}
	start := time.Now()
	rows := make([][]Row, len(w.Cases))
	for round := range rounds {
		for _, i := range rand.Perm(len(w.Cases)) {
			c := w.Cases[i]
			progress.at("%s, round %d of %d: %s", w.Name, round+1, rounds, c.System)
			values, err := c.Run()
			if err != nil {
				progress.done("%s", w.Name)
				return nil, fmt.Errorf("%s, %s: %w", w.Name, c.System, err)
			}
			for _, v := range values {
				rows[i] = add(rows[i], w.Name, c.System, v)
			}
		}
	}
	progress.done("%s: %d rounds of %d systems in %v", w.Name, rounds, len(w.Cases),
		time.Since(start).Round(time.Millisecond))
	all := slices.Concat(rows...)
	for i := range all {
		all[i].settle()
	}
	return all, nil
}

// add appends the value to its row.
func add(rows []Row, workload, system string, v Value) []Row {
	i := slices.IndexFunc(rows, func(r Row) bool { return r.Metric == v.Metric })
	if i < 0 {
		i = len(rows)
		rows = append(rows, Row{Workload: workload, System: system, Metric: v.Metric, Unit: v.Unit})
	}
	rows[i].Values = append(rows[i].Values, v.V)
	return rows
}

// settle computes what a row says about its values.
func (r *Row) settle() {
	sorted := slices.Sorted(slices.Values(r.Values))
	r.Rounds, r.Min, r.Max = len(sorted), sorted[0], sorted[len(sorted)-1]
	r.Value = hist.At(sorted, 0.5)
}
