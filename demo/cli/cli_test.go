package cli

import (
	"bytes"
	"encoding/json"
	"image"
	"image/png"
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

func TestCorruptImageIsNamedAndGotOver(t *testing.T) {
	dir := t.TempDir()
	var good bytes.Buffer
	if err := png.Encode(&good, image.NewRGBA(image.Rect(0, 0, 8, 8))); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "good.png"), good.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "bad.png"), good.Bytes()[:30], 0o600); err != nil {
		t.Fatal(err)
	}
	code, _, _, stderr := window(t, "-headless", "-mode", "idle", "-duration", "200ms", "-assets", dir)
	if code != Done || !strings.Contains(stderr, "bad.png") || strings.Contains(stderr, "good.png") {
		t.Errorf("got %d, %q", code, stderr)
	}
}

func TestFolderWithoutImagesIsAMistake(t *testing.T) {
	code, _, _, stderr := window(t, "-headless", "-duration", "200ms", "-assets", t.TempDir())
	if code != Usage || !strings.Contains(stderr, "-assets") {
		t.Errorf("got %d, %q", code, stderr)
	}
}
