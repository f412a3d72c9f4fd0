package frametest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/internal/bubble"
)

// planVariable is the variable of the environment that tells a process to play a turn.
const planVariable = "FRAMETEST_TURN"

// A plan tells a process which turn to play. It is the only thing that builds of different versions must agree upon,
// with the turn: fields may be added, and none may change.
type plan struct {
	Test   string // its name
	File   string // for the turn
	Length time.Duration
	WarmUp int
}

// planned returns the plan of this process, if it is to play a turn of the test.
func planned(test string) (p plan, ok bool) {
	err := json.Unmarshal([]byte(os.Getenv(planVariable)), &p)
	return p, err == nil && p.Test == test
}

// unable says why there is nothing to measure.
func unable(asked string) string {
	switch {
	case asked == "":
		return "it measures for up to a minute: FRAMETEST=1 go test"
	case runtime.GOOS == "js" || runtime.GOOS == "wasip1":
		return "it starts processes, which this system does not have"
	case bubble.Here():
		return "it measures in real time: not in a bubble of testing/synctest"
	}
	return ""
}

// playTurn plays the plan's turn and writes its file.
func playTurn(t *testing.T, o Options, p plan, start func(*frame.Loop) func() error) {
	t.Helper()
	o.Turn, o.Loop.Recorder.WarmUp = p.Length, p.WarmUp
	played, err := playFrames(o, start)
	if err != nil {
		t.Fatalf("frametest: %v", err)
	}
	text, err := json.Marshal(played)
	if err == nil {
		err = os.WriteFile(p.File, text, 0o600)
	}
	if err != nil {
		t.Fatalf("frametest: %v", err)
	}
}

// mostStart is how long a process may take beside its turn.
const mostStart = 2 * time.Minute

// These are errors of a process that ended well without a turn.
var (
	errNoTurn = errors.New("none came: does the build have this test, and does the test call Run?")
	errNoTest = errors.New("there is none: that build does not have the test yet")
)

// A noTurn is the error of a process that ran without making a turn: it has crashed, hangs, or measures nothing.
type noTurn struct {
	build, dir string
	err        error
	output     string
}

func (e *noTurn) Error() string {
	in := ""
	if e.dir != "" {
		in = ", in the folder " + e.dir
	}
	var says strings.Builder
	for line := range strings.Lines(e.output) {
		// Readers of go test's output would take these for the result of this test.
		if text := strings.TrimSpace(line); text != "FAIL" && text != "PASS" && !strings.HasPrefix(text, "--- ") &&
			!strings.HasPrefix(text, "=== ") {
			says.WriteString(line)
		}
	}
	return fmt.Sprintf("a turn of %s%s: %v%s", e.build, in, e.err, strings.TrimRight("\n"+says.String(), "\n"))
}

func (e *noTurn) Unwrap() error { return e.err }

// child plays a turn in a process of its own. started is told of the process, and may be nil.
func child(t *testing.T, o Options, build string, started func(*os.Process), env ...string) (*turn, error) {
	binary, err := os.Executable()
	dir := ""
	if build == base {
		binary, err = filepath.Abs(o.base)
		dir = filepath.Dir(binary) // so the test finds its own files
	}
	if err != nil {
		return nil, err
	}
	file := filepath.Join(t.TempDir(), "turn.json")
	plan, err := json.Marshal(plan{t.Name(), file, o.Turn, o.Loop.Recorder.WarmUp})
	if err != nil {
		return nil, err
	}
	// The process ends itself, and prints where it hangs.
	limit := min(o.Turn+mostStart, max(timeLeft(t), time.Second))
	ctx, cancel := context.WithTimeout(t.Context(), limit+forReport/2)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, "-test.run="+pattern(t.Name()), "-test.count=1",
		fmt.Sprintf("-test.timeout=%v", limit))
	cmd.Dir, cmd.Env = dir, append(append(os.Environ(), env...), planVariable+"="+string(plan))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err = cmd.Start(); err != nil {
		return nil, fmt.Errorf("a turn of %s: %w", build, err)
	}
	if started != nil {
		started(cmd.Process)
	}
	err = cmd.Wait()
	var text []byte
	if err == nil {
		text, err = os.ReadFile(file)
		if errors.Is(err, os.ErrNotExist) {
			err = errNoTurn
			if bytes.Contains(out.Bytes(), []byte("no tests to run")) {
				err = errNoTest
			}
		}
	}
	var played turn
	if err == nil {
		err = played.read(text)
	}
	if err != nil {
		return nil, &noTurn{build, dir, err, out.String()}
	}
	played.Build = build
	return &played, nil
}

// pattern is the -test.run of one test.
func pattern(test string) string {
	parts := strings.Split(test, "/")
	for i, part := range parts {
		parts[i] = "^" + regexp.QuoteMeta(part) + "$"
	}
	return strings.Join(parts, "/")
}
