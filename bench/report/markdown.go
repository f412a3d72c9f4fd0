package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
)

// Markdown prints one table for a document, a line for each metric: our median, that of the best rival of the run, what
// ours is of it (nothing for percents), and who wins. The lines are those that have a table in Tables.
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
