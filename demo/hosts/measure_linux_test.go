package hosts_test

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/frameslice/frameslice/demo/hosts/work"
	"github.com/frameslice/frameslice/internal/hist"
)

var measure = flag.Int("measure", 0, "how often to measure the frame times of each program; 0 is not at all")

// TestFrameTimes prints a table of frame times while a list loads and a heavy job runs, with tasks and jobs and with
// plain goroutines, and of frames that draw the same pictures without any work. The runs of one program take turns, and
// a row is the median of its runs.
func TestFrameTimes(t *testing.T) {
	if *measure == 0 {
		t.Skip("measures, and finds no fault: -measure 5 runs it, as make hosts does")
	}
	library := vsync(t)
	fmt.Println("| host | work runs as | median | 99 % | longest | late |")
	fmt.Println("|---|---|---|---|---|---|")
	for _, host := range []string{"tick", "terminal", "gio", "sdl", "fyne"} {
		if _, err := os.Stat(host); err != nil {
			continue
		}
		binary := build(t, host)
		run := func(how string) work.Report {
			args := []string{"-items", "200", "-heavy", how}
			var p *program
			switch host {
			case "tick":
				p = command(t, binary, args...)
				if _, err := p.StdinPipe(); err != nil {
					t.Fatal(err)
				}
				p.start()
			case "terminal":
				p, _, _ = terminal(t, binary, args...)
			default:
				p, _ = onScreen(t, binary, library, args...)
			}
			defer func() {
				_ = p.Process.Kill()
				<-p.done
			}()
			p.until("the work is done", func() bool {
				_, err := os.Stat(p.report)
				return err == nil
			})
			return p.read()
		}
		var with, without, alone []work.Report
		for range *measure {
			with, without = append(with, run("-naive=false")), append(without, run("-naive=true"))
			alone = append(alone, run("-alone=120"))
		}
		row(host, "tasks and jobs", with)
		row("", "goroutines", without)
		row("", "none", alone)
	}
}

// row prints the medians of the reports.
func row(host, name string, reports []work.Report) {
	median := func(f func(work.Report) float64) float64 {
		var of []float64
		for _, r := range reports {
			of = append(of, f(r))
		}
		return hist.Median(of)
	}
	fmt.Printf("| %s | %s | %.1f ms | %.1f ms | %.1f ms | %.1f %% |\n", host, name,
		median(func(r work.Report) float64 { return r.P50 }), median(func(r work.Report) float64 { return r.P99 }),
		median(func(r work.Report) float64 { return r.Max }), median(func(r work.Report) float64 { return r.Late }))
}
