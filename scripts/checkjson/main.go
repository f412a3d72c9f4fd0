// Checkjson checks the files of a demo run, as CI does: a report that has the promised fields with sane values, and
// with -png a screenshot that shows something.
//
//	go run ./scripts/checkjson [-png SHOT.png] REPORT.json
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"image"
	_ "image/png"
	"os"
	"strings"
)

func main() {
	shot := flag.String("png", "", "a screenshot that must not be blank")
	flag.Parse()
	if flag.NArg() != 1 {
		fail("usage: checkjson [-png SHOT.png] REPORT.json")
	}
	if err := checkReport(flag.Arg(0)); err != nil {
		fail("%s: %v", flag.Arg(0), err)
	}
	if *shot != "" {
		if err := checkShot(*shot); err != nil {
			fail("%s: %v", *shot, err)
		}
	}
	fmt.Println("ok")
}

func fail(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "checkjson: "+format+"\n", args...)
	os.Exit(1)
}

// checkReport verifies the part of the schema that other programs rely on.
func checkReport(path string) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var report struct {
		Modes []map[string]any `json:"modes"`
		Env   map[string]any   `json:"env"`
		Loops []struct {
			Mode   string         `json:"mode"`
			Report map[string]any `json:"report"`
		} `json:"loops"`
	}
	if err := json.Unmarshal(b, &report); err != nil {
		return err
	}
	if len(report.Modes) == 0 {
		return fmt.Errorf("no modes")
	}
	if len(report.Env) == 0 {
		return fmt.Errorf("no env")
	}
	numbers := []string{
		"frames", "missed_pct", "late_p50_ms", "late_p99_ms", "late_p999_ms", "late_max_ms",
		"hitch_ms_per_s", "jobs_per_s", "jobs_offered_per_s", "allocs_per_frame", "gc_cycles",
	}
	for i, m := range report.Modes {
		name, ok := m["mode"].(string)
		if !ok || name == "" {
			return fmt.Errorf("modes[%d] has no name", i)
		}
		for _, field := range numbers {
			v, ok := m[field].(float64)
			if !ok || v < 0 {
				return fmt.Errorf("mode %s: %s is %v", name, field, m[field])
			}
		}
		if m["frames"].(float64) < 1 { // of a naive mode on a busy machine there may be few
			return fmt.Errorf("mode %s: no frame", name)
		}
		if i >= len(report.Loops) || report.Loops[i].Mode != name {
			return fmt.Errorf("mode %s: it is not in loops", name)
		}
		for _, path := range deep {
			if v, ok := at(report.Loops[i].Report, path).(float64); !ok || v < 0 {
				return fmt.Errorf("loop of mode %s: %s is %v", name, path, at(report.Loops[i].Report, path))
			}
		}
	}
	return nil
}

// deep is what the report of each mode's loop must have, wherever it ran.
var deep = [...]string{
	"target_ns", "run.n", "run.time_ns", "run.average_fps", "run.hitch_ratio_ms_per_s", "run.missed_percent",
	"run.interval.p999_ns", "run.lateness.max_ns", "run.earliness.p50_ns", "run.jank", "run.woke_late.n",
	"window.interval_by_time.p99_ns", "window.worst_region_ns",
	"window.low_1_percent_integral_fps", "window.low_1_percent_average_fps", "window.low_1_percent_percentile_fps",
	"window.stutter_time_percent", "window.p99_confidence_ms.high", "window.hitch_ratio_confidence_ms_per_s.low",
	"runtime.sched_latency.p99_ns", "runtime.gc_pause.max_ns", "environment.gomaxprocs",
	"environment.recorder_cost_ns", "environment.clock_resolution_ns",
}

// at returns the value at a path of names in a JSON object.
func at(object map[string]any, path string) any {
	first, rest, more := strings.Cut(path, ".")
	if inner, ok := object[first].(map[string]any); ok && more {
		return at(inner, rest)
	}
	if more {
		return nil
	}
	return object[first]
}

// checkShot refuses a picture of one colour: a window that never drew.
func checkShot(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	img, _, err := image.Decode(f)
	if err != nil {
		return err
	}
	colours := map[[3]uint8]bool{}
	b := img.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y += 4 {
		for x := b.Min.X; x < b.Max.X; x += 4 {
			r, g, bl, _ := img.At(x, y).RGBA()
			colours[[3]uint8{uint8(r >> 8), uint8(g >> 8), uint8(bl >> 8)}] = true
		}
	}
	if len(colours) < 64 {
		return fmt.Errorf("only %d colours in %v: nothing was drawn", len(colours), b)
	}
	return nil
}
