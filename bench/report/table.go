package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
)

// A Target is the most that we want of ourselves in one workload and metric: a figure, or what another system
// had at most in the same run.
type Target struct {
	Workload, Metric string
	Most             float64
	Of               string // instead of Most

	// Most is for a machine on which the system Beside had Had, if that is named. Where it takes another time, that
	// machine's target is another one here, in proportion; both are told.
	Beside string
	Had    float64
}

// Tables prints a table for each metric of each workload: the systems from the best to the worst, the best
// one marked, with spread and number of rounds, what our figure is to that of the best rival, and whether we
// meet the target. Metrics that only one system has and that have no target get no table.
func Tables(out io.Writer, workloads []Workload, rows []Row, targets []Target) {
	each(workloads, rows, targets, func(w Workload, of []Row, target *Target) { table(out, w, of, target) })
}

// each calls f for each metric of each workload that has a table, with its rows from the best to the worst.
func each(workloads []Workload, rows []Row, targets []Target, f func(w Workload, of []Row, target *Target)) {
	for _, w := range workloads {
		for _, metric := range metrics(w.Name, rows) {
			var of []Row
			for _, r := range rows {
				if r.Workload == w.Name && r.Metric == metric {
					of = append(of, r)
				}
			}
			slices.SortStableFunc(of, func(a, b Row) int { return cmp.Compare(a.Value, b.Value) })
			i := slices.IndexFunc(targets, func(t Target) bool { return t.Workload == w.Name && t.Metric == metric })
			var target *Target
			if i >= 0 {
				target = &targets[i]
			}
			if len(of) > 1 || target != nil {
				f(w, of, target)
			}
		}
	}
}

// metrics returns the metrics of a workload in the order of their first rows.
func metrics(workload string, rows []Row) []string {
	var names []string
	for _, r := range rows {
		if r.Workload == workload && !slices.Contains(names, r.Metric) {
			names = append(names, r.Metric)
		}
	}
	return names
}

func table(out io.Writer, w Workload, rows []Row, target *Target) {
	fmt.Fprintf(out, "\n%s, %s (%s): %s\n", w.Name, rows[0].Metric, rows[0].Unit, w.About)
	fmt.Fprintf(out, "    %-16s %10s %10s %10s %7s\n", "system", "median", "least", "greatest", "rounds")
	for i, r := range rows {
		mark := ' '
		if i == 0 {
			mark = '*'
		}
		fmt.Fprintf(out, "  %c %-16s %10s %10s %10s %7d\n", mark, r.System, Number(r.Value), Number(r.Min),
			Number(r.Max), r.Rounds)
	}
	if line := verdict(rows, target); line != "" {
		fmt.Fprintf(out, "  %s\n", line)
	}
}

// shareOf says what ours is of best's figure: nothing for percents, as one of almost nothing may be a thousand times as
// much as another.
func shareOf(ours, best Row) string {
	if ours.Unit == "%" || best.Value <= 0 || ours.Value <= 0 {
		return ""
	}
	return fmt.Sprintf("%.2f", ours.Value/best.Value)
}

// verdict says in a line how we fare among the rows, which are sorted.
func verdict(rows []Row, target *Target) string {
	i := slices.IndexFunc(rows, func(r Row) bool { return r.System == Ours })
	if i < 0 {
		return ""
	}
	ours, line := rows[i], ""
	if len(rows) > 1 {
		best := rows[0]
		if i == 0 {
			best = rows[1]
		}
		word := "win"
		if best.Value < ours.Value {
			word = "loss"
		}
		line = fmt.Sprintf("%s: %s against %s of the best rival, %s", word, Number(ours.Value),
			Number(best.Value), best.System)
		if share := shareOf(ours, best); share != "" {
			line = fmt.Sprintf("%s: %s of the best rival, %s", word, share, best.System)
		}
	}
	most, ok := target.in(rows)
	if !ok {
		return line
	}
	of := ""
	if target.Of != "" {
		of = ", the most of " + target.Of + ","
	}
	word := metOrMissed(ours.Value, most)
	if line != "" {
		line += "; "
	}
	line += fmt.Sprintf("target <= %s %s%s %s", Number(most), ours.Unit, of, word)
	if here, ok := target.here(rows); ok {
		line += fmt.Sprintf(" (where %s takes %s; by its time here <= %s, %s)", target.Beside, Number(target.Had),
			Number(here), metOrMissed(ours.Value, here))
	}
	return line
}

func metOrMissed(value, most float64) string {
	if value > most {
		return "missed"
	}
	return "met"
}

// here returns what the target is on this machine by the time of the system that it is set beside, and whether there
// is one.
func (t *Target) here(rows []Row) (most float64, ok bool) {
	k := slices.IndexFunc(rows, func(r Row) bool { return t != nil && t.Beside != "" && r.System == t.Beside })
	if k < 0 {
		return 0, false
	}
	return t.Most * rows[k].Value / t.Had, true
}

// in returns the figure that is the most that we want, given all rows of its metric, and whether there is one.
func (t *Target) in(rows []Row) (most float64, ok bool) {
	switch {
	case t == nil:
		return 0, false
	case t.Of == "":
		return t.Most, true
	}
	k := slices.IndexFunc(rows, func(r Row) bool { return r.System == t.Of })
	if k < 0 {
		return 0, false
	}
	return rows[k].Max, true
}
