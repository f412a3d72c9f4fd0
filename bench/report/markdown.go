package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
)

// Markdown prints one table for a document, a line for each metric: our median, that of the best rival, what ours is
// of it (nothing for percents), and the target, on this machine too if it is for another. The lines are those that have
// a table in Tables.
func Markdown(out io.Writer, workloads []Workload, rows []Row, targets []Target) {
	fmt.Fprintf(out, "| workload | metric | %s | best rival | of it | target |\n|---|---|---|---|---|---|\n", Ours)
	each(workloads, rows, targets, func(w Workload, of []Row, target *Target) {
		i := slices.IndexFunc(of, func(r Row) bool { return r.System == Ours })
		if i < 0 {
			return
		}
		ours, rival, share, wanted := of[i], "-", "-", "-"
		if len(of) > 1 {
			best := of[0]
			if i == 0 {
				best = of[1]
			}
			rival = Number(best.Value) + " (" + best.System + ")"
			share = cmp.Or(shareOf(ours, best), share)
		}
		if most, ok := target.in(of); ok {
			wanted = Number(most) + ", " + metOrMissed(ours.Value, most)
			if here, ok := target.here(of); ok {
				wanted += "; here " + Number(here) + ", " + metOrMissed(ours.Value, here)
			}
		}
		fmt.Fprintf(out, "| %s | %s | %s %s | %s | %s | %s |\n", w.Name, ours.Metric, Number(ours.Value), ours.Unit,
			rival, share, wanted)
	})
}
