package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func window(t *testing.T, line ...string) (code int, done bool, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	_, code, done = Window(line, &out, &errs)
	return code, done, out.String(), errs.String()
}

func TestHelpGoesToStandardOutput(t *testing.T) {
	code, done, stdout, stderr := window(t, "-help")
	if code != Done || !done || !strings.Contains(stdout, "-duration") || stderr != "" {
		t.Errorf("got %d, %v, %q, %q", code, done, stdout, stderr)
	}
}

func TestMistakeIsOneLineAndCode2(t *testing.T) {
	for _, line := range []string{"-bogus", "-duration -5s", "-headless -json /nonexistent/folder/x.json"} {
		code, done, stdout, stderr := window(t, strings.Fields(line)...)
		one := strings.Count(stderr, "\n") == 1 && strings.HasPrefix(stderr, "demo: ")
		if code != Usage || !done || stdout != "" || !one {
			t.Errorf("%s: got %d, %v, %q, %q", line, code, done, stdout, stderr)
		}
	}
}

func TestRunWithWindowIsHandedBack(t *testing.T) {
	var out, errs bytes.Buffer
	o, code, done := Window([]string{"-mode", "inline"}, &out, &errs)
	if done || code != Done || o.Mode != "inline" || out.Len()+errs.Len() > 0 {
		t.Errorf("got %+v, %d, %v, %q, %q", o, code, done, out.String(), errs.String())
	}
}

func TestHeadlessRunLeavesReport(t *testing.T) {
	dir := t.TempDir()
	report := filepath.Join(dir, "r.json")
	code, done, stdout, stderr := window(t, "-headless", "-mode", "frameslice", "-load", "0.2",
		"-duration", "300ms", "-json", report)
	if code != Done || !done {
		t.Fatalf("got %d, %v\n%s\n%s", code, done, stdout, stderr)
	}
	b, err := os.ReadFile(report)
	if err != nil {
		t.Fatal(err)
	}
	var r struct {
		Modes []struct {
			Mode   string
			Frames int
		}
	}
	if err := json.Unmarshal(b, &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Modes) != 1 || r.Modes[0].Mode != "frameslice" || r.Modes[0].Frames == 0 {
		t.Errorf("got %s", b)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
		t.Errorf("temporary files are left: %v", left)
	}
}
