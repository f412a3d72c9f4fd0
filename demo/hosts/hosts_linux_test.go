package hosts_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/frameslice/frameslice/demo/hosts/work"
)

// within is how long a test waits for what comes at once on an idle machine.
const within = time.Minute

// build compiles a program of this module.
func build(t testing.TB, name string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), name)
	if out, err := exec.Command("go", "build", "-o", program, "./"+name).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// A program is one that runs.
type program struct {
	*exec.Cmd
	t      testing.TB
	report string
	stderr bytes.Buffer
	done   chan struct{} // closed at the end of the program
	err    error         // then, of Wait
}

// command prepares a program, which start starts.
func command(t testing.TB, name string, args ...string) *program {
	p := &program{t: t, report: filepath.Join(t.TempDir(), "report.json"), done: make(chan struct{})}
	p.Cmd = exec.Command(name, append(args, "-report", p.report)...)
	p.Stderr = &p.stderr
	return p
}

func (p *program) start() {
	p.t.Helper()
	if err := p.Start(); err != nil {
		p.t.Fatal(err)
	}
	go func() {
		p.err = p.Wait()
		close(p.done)
	}()
	p.t.Cleanup(func() { _ = p.Process.Kill() })
}

// ends waits for the program's end, and returns its report.
func (p *program) ends() work.Report {
	p.t.Helper()
	select {
	case <-p.done:
		if p.err != nil || p.stderr.Len() > 0 {
			p.t.Fatalf("the program: %v, and it says:\n%s", p.err, &p.stderr)
		}
	case <-time.After(within):
		_ = p.Process.Signal(syscall.SIGQUIT)
		<-p.done
		p.t.Fatalf("the program does not end:\n%s", &p.stderr)
	}
	return p.read()
}

func (p *program) read() (r work.Report) {
	p.t.Helper()
	data, err := os.ReadFile(p.report)
	if err == nil {
		err = json.Unmarshal(data, &r)
	}
	if err != nil {
		p.t.Fatal(err)
	}
	return r
}

// cpu returns the processor time that the program has used.
func (p *program) cpu() time.Duration {
	p.t.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.Process.Pid))
	if err != nil {
		p.t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(data), ") ")
	fields := strings.Fields(rest)
	var ticks [2]int
	for i := range ticks {
		if _, err := fmt.Sscan(fields[11+i], &ticks[i]); err != nil {
			p.t.Fatal(err)
		}
	}
	return time.Duration(ticks[0]+ticks[1]) * time.Second / 100
}

// rests checks that a program which has nothing to do uses at most that share of a processor. On a busy machine it may
// be on its way to sleep for long, so not every time is a quiet one. In a program that does something when idle none
// is.
func (p *program) rests(share float64) {
	p.t.Helper()
	const watched = 2 * time.Second
	for tries := 1; ; tries++ {
		time.Sleep(time.Second / 2)
		before := p.cpu()
		time.Sleep(watched)
		used := p.cpu() - before
		p.t.Logf("idle: %v of processor time in %v", used, watched)
		if used <= time.Duration(share*float64(watched)) {
			return
		}
		if tries == 10 {
			p.t.Errorf("idle, the program uses %v of processor time in %v", used, watched)
			return
		}
	}
}

// until calls ok until it returns true.
func (p *program) until(what string, ok func() bool) {
	p.t.Helper()
	for end := time.Now().Add(within); !ok(); time.Sleep(10 * time.Millisecond) {
		select {
		case <-p.done:
			p.t.Fatalf("%s: the program has ended: %v\n%s", what, p.err, &p.stderr)
		default:
		}
		if time.Now().After(end) {
			_ = p.Process.Signal(syscall.SIGQUIT)
			<-p.done
			p.t.Fatalf("not within %v: %s\n%s", within, what, &p.stderr)
		}
	}
}

// whole checks the report of a run in which everything was done.
func whole(t *testing.T, r work.Report) {
	t.Helper()
	t.Logf("%+v", r)
	if r.Items != 120 || !r.Drawn {
		t.Errorf("%d items, want 120; drawn: %v", r.Items, r.Drawn)
	}
	if r.Tasks < 120 || r.Frames < 20 {
		t.Errorf("%d runs in %d slices, want at least the 120 commits in 20", r.Tasks, r.Frames)
	}
}

// some matches a state in the middle of a load of 5000 items.
var some = regexp.MustCompile(`[1-9]\d* of 5000`)

// cut checks the report of a run that was closed in the middle of its load.
func cut(t *testing.T, r work.Report) {
	t.Helper()
	if r.Items == 0 || r.Items > 4000 {
		t.Errorf("%d items of 5000: this was not the middle of the load", r.Items)
	}
}

func TestTick(t *testing.T) {
	name := build(t, "tick")
	p := command(t, name, "-load=false")
	commands, err := p.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out := &locked{}
	p.Stdout = out
	p.start()
	say := func(command string) { fmt.Fprintln(commands, command) }
	state := func(want string) func() bool {
		return func() bool {
			say("state")
			time.Sleep(50 * time.Millisecond)
			return strings.Contains(out.String(), want)
		}
	}
	p.until("the first state", state("0 of 120\n"))
	p.rests(0.1) // 60 ticks a second continue
	say("load")
	say("heavy")
	p.until("all is done", state("120 of 120, drawn\n"))
	say("nonsense")
	p.until("an answer", state(`no command "nonsense"`))
	say("quit")
	whole(t, p.ends())

	p = command(t, name, "-items", "5000")
	if commands, err = p.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out = &locked{}
	p.Stdout = out
	p.start()
	p.until("some items", func() bool { return some.MatchString(out.String()) })
	fmt.Fprintln(commands, "quit")
	cut(t, p.ends())
}

// locked is a buffer that a program fills while a test reads it.
type locked struct {
	mu sync.Mutex
	b  bytes.Buffer
}

// Write adds to the buffer.
func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

// String returns all so far.
func (l *locked) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
