package load

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestParseBesideTakesAList(t *testing.T) {
	got, err := ParseBeside("none, one,two,bursts,builds")
	if err != nil || !slices.Equal(got, []Beside{None, One, Two, Bursts, Builds}) {
		t.Errorf("%v, %v", got, err)
	}
	for list, want := range map[string]string{
		"":            `unknown programs ""; there are none, one, two, bursts, builds`,
		"one,three":   `unknown programs "three"; there are none, one, two, bursts, builds`,
		"two,one,two": "two is named twice",
	} {
		if _, err := ParseBeside(list); err == nil || err.Error() != want {
			t.Errorf("%q: %v", list, err)
		}
	}
}

func TestProgramsEndWithTheirInput(t *testing.T) {
	for b, want := range map[Beside]int{None: 0, One: 1, Two: 2, Bursts: 1} {
		ps, err := b.start()
		if err != nil || len(ps.procs) != want {
			t.Fatalf("%s: %d programs, %v", b, len(ps.procs), err)
		}
		all := ps.procs
		for _, p := range all {
			select {
			case <-p.ended:
				t.Errorf("%s has ended: %v %s", b, p.ProcessState, &p.said)
			default:
			}
		}
		if err := ps.end(); err != nil {
			t.Errorf("%s: %v", b, err)
		}
		for _, p := range all {
			if <-p.ended; !p.ProcessState.Success() {
				t.Errorf("%s: %v", b, p.ProcessState)
			}
		}
	}
	// The system closes a pipe of a program that was killed.
	ps, err := One.start()
	if err != nil {
		t.Fatal(err)
	}
	_ = ps.procs[0].life.Close()
	<-ps.procs[0].ended
	if err := ps.end(); err == nil || !strings.Contains(err.Error(), "(one) ended early: exit status 0") {
		t.Errorf("%v", err)
	}
}

func TestBuildsLeaveNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("builds for a second: not with -short")
	}
	if err := Builds.check(); err != nil {
		t.Skipf("nothing to build with: %v", err)
	}
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	t.Setenv("TMP", dir)
	ps, err := Builds.start()
	if err != nil {
		t.Fatal(err)
	}
	built := func() []string {
		files, _ := filepath.Glob(filepath.Join(dir, "demo-builds-*", "*"))
		return files
	}
	for len(built()) < 3 {
		select {
		case <-ps.procs[0].ended:
			t.Fatal(ps.end())
		case <-time.After(10 * time.Millisecond):
		}
	}
	if err := ps.end(); err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
}

func TestBuildsNeedTheGoCommand(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, err := exec.LookPath("go"); err == nil {
		t.Skip("PATH does not say where commands are")
	}
	_, err := Run(t.Context(), Config{Compare: true, Beside: []Beside{None, Builds}})
	if err == nil || !strings.HasPrefix(err.Error(), "-beside builds needs the go command: ") {
		t.Errorf("%v", err)
	}
}

func TestEachProgramHasItsRows(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the real work")
	}
	dir := t.TempDir()
	var out, errs strings.Builder
	c := Config{
		Compare: true, Modes: []Mode{Idle, Frameslice}, Beside: []Beside{None, One}, Duration: 300 * time.Millisecond,
		Warmup: 100 * time.Millisecond, Verbose: true,
		JSON: filepath.Join(dir, "r.json"), HGRM: filepath.Join(dir, "r.hgrm"), Record: dir,
	}
	if err := Main(t.Context(), c, &out, &errs); err != nil {
		t.Fatalf("%v\n%s", err, &errs)
	}
	b, err := os.ReadFile(c.JSON)
	var r Report
	if err == nil {
		err = json.Unmarshal(b, &r)
	}
	if err != nil || r.Partial || len(r.Modes) != 4 || len(r.Loops) != 4 {
		t.Fatalf("%v, %d modes, %d loops", err, len(r.Modes), len(r.Loops))
	}
	for i, want := range []Turn{{Idle, None}, {Frameslice, None}, {Idle, One}, {Frameslice, One}} {
		if x := r.Modes[i]; x.turn() != want || x.Frames < 1 || x.SoundWait <= 0 || r.Loops[i].Beside != want.Beside {
			t.Errorf("row %d is %+v, want %s", i, x, want)
		}
		for _, file := range []string{"r." + want.String() + ".hgrm", want.String() + ".csv"} {
			if _, err := os.Stat(filepath.Join(dir, file)); err != nil {
				t.Error(err)
			}
		}
	}
	if n := len(r.Verdict); n != 6 || r.Verdict[0].Beside != None || r.Verdict[5].Beside != One {
		t.Errorf("%d verdicts: %+v", n, r.Verdict)
	}
	text := strings.Join(strings.Fields(out.String()), " ")
	for _, want := range []string{
		"Beside no other program: frameslice missed", "Beside a program that spins: frameslice missed",
		" idle+one ", " frameslice+one: missed frames: ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
}
