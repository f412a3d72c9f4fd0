//go:build !headless

package main

import (
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/demo/cli"
	"github.com/frameslice/frameslice/demo/display"
	"github.com/frameslice/frameslice/demo/load"
	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

// The window is tested as a user has it: a process of its own (Ebitengine runs once in a process, on the
// main goroutine), with flags, ended by the clock or by Ctrl-C. Without DISPLAY it runs under Xvfb, which
// package display starts.

// asProgram makes this test binary be the demo: its value is the command line.
const asProgram = "FRAMESLICE_DEMO_ARGS"

func TestMain(m *testing.M) {
	line, ok := os.LookupEnv(asProgram)
	if !ok {
		os.Exit(m.Run())
	}
	var err error
	if play := games[line]; play != nil {
		err = play()
	} else if o, e := cli.Parse(strings.Fields(line)); e == nil {
		err = window(o)
	} else {
		err = e
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(cli.Failed)
	}
	if left := ourGoroutines(); left != "" {
		fmt.Fprintln(os.Stderr, "goroutines left:\n"+left)
		os.Exit(3)
	}
	if names := rendererThreads(); len(names) > 0 {
		fmt.Fprintln(os.Stderr, "the software renderer has threads, which can crash the demo:", names)
		os.Exit(4)
	}
	os.Exit(cli.Done)
}

// rendererThreads returns the names of the threads that Mesa's software renderer draws with, where the system tells.
func rendererThreads() (names []string) {
	files, _ := filepath.Glob("/proc/self/task/*/comm")
	for _, file := range files {
		name, _ := os.ReadFile(file) // or the thread has just ended
		if strings.HasPrefix(string(name), "llvmpipe") {
			names = append(names, strings.TrimSpace(string(name)))
		}
	}
	return names
}

// ourGoroutines returns the stacks of all goroutines but this one that are in code of this module.
// Ebitengine leaves some of its own behind, which end with the process. A goroutine that is about to end is
// given the time, also where other tests have the processors.
func ourGoroutines() string {
	buf := make([]byte, 1<<20)
	var ours []string
	for range 500 {
		ours = nil
		all := strings.Split(string(buf[:runtime.Stack(buf, true)]), "\n\n")
		for _, s := range all[1:] {
			if strings.Contains(s, "github.com/frameslice/") || strings.Contains(s, "main.") {
				ours = append(ours, s)
			}
		}
		if len(ours) == 0 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	return strings.Join(ours, "\n\n")
}

// program is a demo that runs.
type program struct {
	*exec.Cmd
	out  strings.Builder
	done chan struct{} // closed when it has ended
	err  error         // then, of Wait
}

func start(t *testing.T, line ...string) *program {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &program{done: make(chan struct{})}
	p.Cmd = exec.Command(exe, "-test.run=^$") // tells package display that this is a test
	p.Env = append(os.Environ(), asProgram+"="+strings.Join(line, " "))
	if !display.Virtual() { // else package display has seen to it
		p.Env = append(p.Env, "LP_NUM_THREADS=0")
	}
	p.Stdout, p.Stderr = &p.out, &p.out
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		p.err = p.Wait()
		close(p.done)
	}()
	return p
}

// limit is when a program is given up: a minute before go test ends. A machine that has other things to do may take
// long.
func limit(t *testing.T) time.Time {
	if at, ok := t.Deadline(); ok {
		return at.Add(-time.Minute)
	}
	return time.Now().Add(time.Hour)
}

// until waits for something that the program does, and reports whether it has come.
func (p *program) until(t *testing.T, ok func() bool) bool {
	t.Helper()
	for end := limit(t); !ok(); {
		select {
		case <-p.done:
			return ok()
		case <-time.After(10 * time.Millisecond):
		}
		if time.Now().After(end) {
			return false
		}
	}
	return true
}

// end waits for the program, which must end well.
func (p *program) end(t *testing.T) {
	t.Helper()
	timer := time.AfterFunc(time.Until(limit(t)), func() { p.Process.Kill() })
	<-p.done
	if !timer.Stop() {
		t.Fatalf("still running, killed:\n%s", p.out.String())
	}
	if p.err != nil {
		t.Fatalf("%v:\n%s", p.err, p.out.String())
	}
}

func TestAllModesInAWindow(t *testing.T) {
	if testing.Short() {
		t.Skip("takes ten seconds and a display")
	}
	dir := t.TempDir()
	p := start(t, "-size", "640x360", "-compare", "-duration", "12s", "-load", "0.5", "-job", "500us", "-out", dir)
	p.end(t)
	r := readReport(t, dir)
	// Where other programs have the processors, a mode's turn may pass before it has shown a frame that counts.
	at := -1
	for _, m := range r.Modes {
		i := slices.Index(load.Modes(), load.Mode(m.Mode))
		if i <= at || m.Frames == 0 && !r.Partial {
			t.Errorf("%s with %d frames: got %+v\n%s", m.Mode, m.Frames, r, p.out.String())
		}
		at = i
	}
	if at < 0 {
		t.Errorf("no mode is in the report:\n%s", p.out.String())
	}
	if n := coloursOf(t, filepath.Join(dir, "screenshot.png"), image.Pt(640, 360)); n < 1000 {
		t.Errorf("the picture has %d colours", n)
	}
	for pattern, want := range map[string]int{"histogram.png": 1, "*.hgrm": len(r.Modes)} {
		if files, _ := filepath.Glob(filepath.Join(dir, pattern)); len(files) != want {
			t.Errorf("%s: %d files, want %d", pattern, len(files), want)
		}
	}
}

func TestInterruptEndsTheWindowWithItsReport(t *testing.T) {
	if testing.Short() || runtime.GOOS != "linux" {
		t.Skip("takes a display, and looks for the window as X11 has it")
	}
	dir := t.TempDir()
	p := start(t, "-size", "320x180", "-load", "0.5", "-out", dir)
	p.until(t, func() bool {
		return withWindow("frameslice", func(*xgb.Conn, xproto.Window) error { return nil }) == nil
	})
	time.Sleep(3 * time.Second) // some frames, or none
	if err := p.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	p.end(t)
	if r := readReport(t, dir); len(r.Modes) != 1 || r.Modes[0].Mode != "frameslice" {
		t.Errorf("got %+v", r)
	}
}

// A run that is over before anything is counted leaves what it was asked for all the same, marked.
func TestRunThatEndsInItsWarmUpLeavesAPartialReport(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a display")
	}
	dir := t.TempDir()
	p := start(t, "-size", "320x180", "-duration", "100ms", "-out", dir)
	p.end(t)
	r := readReport(t, dir)
	// A machine that takes longer than the warm-up for its first frame counts that one, and is not cut short.
	if len(r.Modes) != 1 || r.Modes[0].Frames > 1 || r.Modes[0].Mode != "frameslice" ||
		r.Partial != (r.Modes[0].Frames == 0) {
		t.Errorf("got %+v", r)
	}
}

type reportFile struct {
	Partial bool `json:"partial"`
	Modes   []struct {
		Mode   string  `json:"mode"`
		Frames int     `json:"frames"`
		Jobs   float64 `json:"jobs_per_s"`
	} `json:"modes"`
}

func readReport(t *testing.T, dir string) (r reportFile) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "report.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

func coloursOf(t *testing.T, path string, size image.Point) int {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	if got := img.Bounds().Size(); got != size {
		t.Errorf("the picture is %v, want %v", got, size)
	}
	seen := map[color.Color]bool{}
	for y := range size.Y {
		for x := range size.X {
			seen[img.At(x, y)] = true
		}
	}
	return len(seen)
}

// What needs no window runs where there is no display, and no Xvfb to make one, in the ordinary build.
func TestWithoutDisplay(t *testing.T) {
	if testing.Short() {
		t.Skip("links the program")
	}
	goCommand, err := exec.LookPath("go")
	if err != nil {
		t.Skipf("started by something else than go test: %v", err)
	}
	exe := filepath.Join(t.TempDir(), "demo.exe")
	if out, err := exec.Command(goCommand, "build", "-o", exe, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v:\n%s", err, out)
	}
	for _, c := range []struct {
		display, line string
		code          int
		says          string
	}{
		{"", "-help", cli.Done, "Keys in the window"},
		{"", "-bogus", cli.Usage, "-bogus"},
		{"", "-headless -modes idle -duration 200ms", cli.Done, "idle"},
		{"", "-modes inline", cli.Usage, "Xvfb"},
		{":65111", "-help", cli.Done, "Keys in the window"}, // where nobody is
		{":65111", "-modes inline", cli.Usage, "no X server answers at DISPLAY=:65111"},
	} {
		if c.line == "-modes inline" && runtime.GOOS != "linux" {
			continue // would open a window
		}
		cmd := exec.Command(exe, strings.Fields(c.line)...)
		cmd.Env = append(os.Environ(), "DISPLAY="+c.display, "PATH=")
		out, err := cmd.CombinedOutput()
		if got := cmd.ProcessState.ExitCode(); got != c.code || !strings.Contains(string(out), c.says) {
			t.Errorf("%s: exit code %d, want %d (%v):\n%s", c.line, got, c.code, err, out)
		}
	}
}
