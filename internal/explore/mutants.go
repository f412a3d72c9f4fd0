package explore

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/frameslice/frameslice/internal/race"
)

// A Patch changes one place of a file of the package: Old, which must occur once, becomes New.
type Patch struct {
	Name string // what is wrong in a mutant
	File string
	Old  string
	New  string
	Race bool // only the race detector finds the mutant
	by   string
}

// By names the programs that find the mutants, separated by |. Only these run with the mutants.
func By(program string, mutants ...Patch) []Patch {
	for i := range mutants {
		mutants[i].by = program
	}
	return mutants
}

// ran has the names of tests that have called Programs.
var ran sync.Map

// Programs runs the tests of the package in its folder that are built under the tag explore, with the patches small.
// They must pass, and each mutant must make one of them fail, by a fault that the explorer finds. The mutants take
// minutes, so they only run if EXPLORE_MUTANTS is set, as make mutants does. Those that need the race detector run
// under it. Of a mutant that does not run, the text that it replaces must be there.
//
// The programs run once in a process, because -cpu and -count make no difference to them.
func Programs(t *testing.T, small []Patch, mutants ...Patch) {
	if _, again := ran.LoadOrStore(t.Name(), true); again {
		t.Skip("the programs have run in this process")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command here")
	}
	watch(t)
	out, err := patched(t, "", small)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, said := range regexp.MustCompile(`(?m)^=== RUN   .*|\d+ schedules, .*`).FindAllString(out, -1) {
		t.Log(strings.TrimPrefix(said, "=== RUN   "))
	}
	for _, m := range mutants {
		t.Run(m.Name, func(t *testing.T) {
			if m.Race != race.Enabled || !m.Race && os.Getenv("EXPLORE_MUTANTS") == "" {
				apply(t, []Patch{m})
				t.Skip("see make mutants, and for some the race detector")
			}
			t.Parallel()
			out, err := patched(t, m.by, append([]Patch{m}, small...))
			switch {
			case err == nil:
				t.Error("survives")
			case !strings.Contains(out, "explore: fault") && !strings.Contains(out, "DATA RACE"):
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// apply returns the texts of the files with the patches.
func apply(t *testing.T, patches []Patch) map[string]string {
	texts := map[string]string{}
	for _, p := range patches {
		text, ok := texts[p.File]
		if !ok {
			b, err := os.ReadFile(p.File)
			if err != nil {
				t.Fatal(err)
			}
			text = string(b)
		}
		if n := strings.Count(text, p.Old); n != 1 {
			t.Fatalf("%s has %d times %q", p.File, n, p.Old)
		}
		texts[p.File] = strings.Replace(text, p.Old, p.New, 1)
	}
	return texts
}

// patched runs a program, or all if the name is empty, with patches of the files.
func patched(t *testing.T, program string, patches []Patch) (string, error) {
	texts := apply(t, patches)
	dir, replace := t.TempDir(), map[string]string{}
	write := func(name string, b []byte) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, b, 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	others, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range others { // the programs need no other tests, which take long to compile
		if real, err := filepath.Abs(file); err == nil && !strings.HasSuffix(file, "_explore_test.go") {
			replace[real] = ""
		}
	}
	for file, text := range texts {
		real, err := filepath.Abs(file)
		if err != nil {
			t.Fatal(err)
		}
		replace[real] = write(file, []byte(text))
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	which := "^TestExplore"
	if program != "" {
		which = "^(" + program + ")$"
	}
	args := []string{"test", "-tags", "explore", "-vet=off", "-failfast", "-v", "-timeout", "15m",
		"-run", which, "-overlay", write("overlay", overlay)}
	if race.Enabled {
		args = append(args, "-race")
	}
	out, err := exec.Command("go", append(args, ".")...).CombinedOutput()
	return string(out), err
}

// watch reads what the go command does not know the test to depend on, so that a change makes the test run again.
func watch(t *testing.T) {
	_, here, _, _ := runtime.Caller(0)
	internal := filepath.Dir(filepath.Dir(here))
	for _, dir := range []string{
		".", filepath.Join(internal, "atomic"), filepath.Join(internal, "park"), filepath.Join(internal, "where"),
	} {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if _, err := os.ReadFile(f); err != nil {
				t.Fatal(err)
			}
		}
	}
}
