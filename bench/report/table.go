package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/frameslice/frameslice/internal/words"
)

// level is a difference that noise makes. Two figures that differ less are level.
const level = 0.05

// Tables prints a table for each metric of each workload, with the systems from the best to the worst. The best one
// is marked. Each has its spread and its number of rounds. The last line says whether we win, lose or are level with
// the best rival of the run. A metric that only one system has gets no table.
func Tables(out io.Writer, workloads []Workload, rows []Row) {
	each(workloads, rows, func(w Workload, of []Row) { table(out, w, of) })
}

// each calls f for each metric of each workload that has a table, with its rows from the best to the worst.
func each(workloads []Workload, rows []Row, f func(w Workload, of []Row)) {
	for _, w := range workloads {
		for _, metric := range metrics(w.Name, rows) {
			var of []Row
			for _, r := range rows {
				if r.Workload == w.Name && r.Metric == metric {
					of = append(of, r)
				}
			}
			slices.SortStableFunc(of, func(a, b Row) int { return cmp.Compare(a.Value, b.Value) })
			if len(of) > 1 {
				f(w, of)
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

func table(out io.Writer, w Workload, rows []Row) {
	var t words.Text
	t.Line("\n%s, %s (%s): %s", w.Name, rows[0].Metric, rows[0].Unit, w.About)
	lines := [][]string{{"  system", "median", "least", "greatest", "rounds"}}
	for i, r := range rows {
		mark := "  "
		if i == 0 {
			mark = "* "
		}
		lines = append(lines, []string{
			mark + r.System, Number(r.Value), Number(r.Min), Number(r.Max), strconv.Itoa(r.Rounds),
		})
	}
	t.Table("  %-*s  %*s  %*s  %*s  %*s", lines...)
	if line := verdict(rows); line != "" {
		t.Line("  %s", line)
	}
	_, _ = io.WriteString(out, t.String())
}

// shareOf returns the ratio of ours to best. It is empty for percents, where the ratio of two tiny figures says
// nothing.
func shareOf(ours, best Row) string {
	if ours.Unit == "%" || best.Value <= 0 || ours.Value <= 0 {
		return ""
	}
	return fmt.Sprintf("%.2f", ours.Value/best.Value)
}

// verdict says in a line how we fare among the rows, which are sorted.
func verdict(rows []Row) string {
	i := slices.IndexFunc(rows, func(r Row) bool { return r.System == Ours })
	if i < 0 || len(rows) < 2 {
		return ""
	}
	ours, best := rows[i], rival(rows, i)
	if share := shareOf(ours, best); share != "" {
		return fmt.Sprintf("%s: %s of the best rival, %s", outcome(ours, best), share, best.System)
	}
	return fmt.Sprintf("%s: %s against %s of the best rival, %s", outcome(ours, best), Number(ours.Value),
		Number(best.Value), best.System)
}

// rival returns the best of the sorted rows besides our own, which is row i.
func rival(rows []Row, i int) Row {
	if i == 0 {
		return rows[1]
	}
	return rows[0]
}

// outcome judges our figure by the best rival's. Tiny percents are level within a tenth of a point.
func outcome(ours, best Row) string {
	within := level * best.Value
	if ours.Unit == "%" {
		within = max(within, 0.1)
	}
	switch d := ours.Value - best.Value; {
	case d > within:
		return "loss"
	case d < -within:
		return "win"
	}
	return "level"
}

// Markdown prints one table for a document. A line has a metric, our median, the median of the best rival of the run,
// the ratio of the two (none for percents), and the outcome. The lines are those that have a table in Tables.
func Markdown(out io.Writer, workloads []Workload, rows []Row) {
	fmt.Fprintf(out, "| workload | metric | %s | best rival | of it | |\n|---|---|---|---|---|---|\n", Ours)
	each(workloads, rows, func(w Workload, of []Row) {
		i := slices.IndexFunc(of, func(r Row) bool { return r.System == Ours })
		if i < 0 {
			return
		}
		ours, best := of[i], rival(of, i)
		fmt.Fprintf(out, "| %s | %s | %s %s | %s (%s) | %s | %s |\n", w.Name, ours.Metric, Number(ours.Value), ours.Unit,
			Number(best.Value), best.System, cmp.Or(shareOf(ours, best), "-"), outcome(ours, best))
	})
}
