package cli

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/demo/load"
	"github.com/frameslice/frameslice/internal/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

func window(line string) (o Options, code int, done bool, stdout, stderr string) {
	var out, errs bytes.Buffer
	o, code, done = Window(strings.Fields(line), &out, &errs)
	return o, code, done, out.String(), errs.String()
}

// The help fits on a screen, and has each flag.
func TestHelpIsOneScreen(t *testing.T) {
	_, code, done, stdout, stderr := window("-help")
	if code != Done || !done || stderr != "" || strings.Count(stdout, "\n") > 45 ||
		strings.Count(stdout, "\n  -") != 9 {
		t.Errorf("got %d, %v, %q, %q", code, done, stdout, stderr)
	}
	for _, l := range strings.Split(stdout, "\n") {
		if len(l) > 110 {
			t.Errorf("line of %d columns: %s", len(l), l)
		}
	}
}

// Each line is wrong in one way, and the answer names the flag in one line.
func TestMistakeIsOneLineAndCode2(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for line, name := range map[string]string{
		"-bogus": "-bogus", "-modes": "-modes", "-modes quick": "-modes", "-modes idle,inline": "-modes",
		"-load -1": "-load", "-load NaN": "-load", "-load many": "-load", "-load 5": "-load", "-job 10us": "-job",
		"-hz 10": "-hz", "-hz 250": "-hz", "-duration -1s": "-duration", "-duration 1ms": "-duration",
		"-size 10": "-size", "-size 10x10": "-size", "extra": "extra",
		"-headless -out " + file + "/x": file,
	} {
		_, code, done, stdout, stderr := window(line)
		one := strings.Count(stderr, "\n") == 1 && strings.HasPrefix(stderr, "demo: ")
		if one = one && strings.Contains(stderr, name); code != Usage || !done || stdout != "" || !one {
			t.Errorf("%s: got %d, %v, %q, %q", line, code, done, stdout, stderr)
		}
	}
}

func TestRunWithWindowIsHandedBack(t *testing.T) {
	o, code, done, stdout, stderr := window("-modes inline -size 640x360 -hz 120 -load 0")
	c := o.Config().WithDefaults()
	if done || code != Done || stdout+stderr != "" || len(o.Modes) != 1 || o.Modes[0] != load.Inline ||
		o.Width != 640 || o.Height != 360 || c.Interval != time.Second/120 || c.Load != 0 || c.Job != load.DefaultJob {
		t.Errorf("got %+v, %d, %v, %q, %q", o, code, done, stdout, stderr)
	}
	if o, _, _, _, _ := window(""); len(o.Modes) != 1 || o.Modes[0] != load.Frameslice || o.Load != load.DefaultLoad {
		t.Errorf("without flags %+v", o)
	}
}

// The modes of a comparison share its duration, warm-ups included.
func TestComparisonTakesItsDuration(t *testing.T) {
	o, _, _, _, _ := window("-compare -duration 84s")
	c := o.Config().WithDefaults()
	n := len(c.Turns())
	whole := time.Duration(n) * (c.SliceLength() + c.Warmup)
	if n != 24 || len(c.Modes) != 6 || math.Abs((whole-o.Duration).Seconds()) > 1 {
		t.Errorf("%d turns, %v", n, whole)
	}
}

func TestHeadlessRunLeavesReport(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	_, code, done, stdout, stderr := window("-headless -load 0.2 -duration 300ms -out " + dir)
	if code != Done || !done || !strings.HasPrefix(stdout, "  mode ") {
		t.Fatalf("got %d, %v\n%s\n%s", code, done, stdout, stderr)
	}
	for _, name := range []string{"report.json", "histogram.png", "frameslice.trace.json"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}
