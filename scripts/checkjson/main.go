// Checkjson looks at what a demo run left, as CI does: a report that has the promised fields with sane values,
// and, with -png, a screenshot that shows something.
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
	}
	return nil
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
