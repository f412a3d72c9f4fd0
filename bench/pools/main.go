// Command pools measures package workers beside other pools, in Go, C++ and Rust.
package main

import (
	"fmt"
	"os"

	"github.com/frameslice/frameslice/bench/report"
)

const about = `pools measures package workers beside goroutines, errgroup, ants, pond, conc, workerpool, a channel
pool, oneTBB, OpenMP and rayon, in one run, and prints rows of "workload system metric value unit" (medians;
lower is better), then a table for each workload, with spread, the best marked, and whether we win.
Run it in the folder bench, or by "make bench". The C++ and Rust programs are compiled where the compilers and
libraries are installed; what is not is named. The whole takes some ten minutes, with -quick one.`

func main() {
	c := report.Parse(about, 5, 3, maxWorkers)
	for _, t := range toolchains {
		c.Others = append(c.Others, t.name)
	}
	z := full
	if c.Quick {
		z = quick
	}
	natives, missing := startNatives(c.Workers, c.Wants)
	for _, m := range missing {
		fmt.Fprintln(os.Stderr, m)
	}
	var list []report.Workload
	for _, w := range workloads(z) {
		list = append(list, w.with(natives, c.Workers))
	}
	if err := c.Main(list); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for _, n := range natives {
		n.child.Close()
	}
}
