package main

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestMain makes the program of the test framevet itself, if go vet runs it.
func TestMain(m *testing.M) {
	if os.Getenv("FRAMEVET") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// vet runs go vet with framevet in a folder, and returns the findings: the line, such as a.go:12, and the message.
func vet(t *testing.T, dir string) (found [][2]string) {
	t.Helper()
	tool, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command("go", "vet", "-vettool="+tool, "./...")
	c.Dir, c.Env = dir, append(os.Environ(), "FRAMEVET=1", "GOWORK=off")
	out, err := c.CombinedOutput()
	line := regexp.MustCompile(`^(\S+\.go:\d+):\d+: (.*)$`)
	for s := range strings.Lines(string(out)) {
		if m := line.FindStringSubmatch(strings.TrimSpace(s)); m != nil {
			found = append(found, [2]string{m[1], m[2]})
		}
	}
	if err != nil && len(found) == 0 {
		t.Fatalf("%v\n%s", err, out)
	}
	return found
}

// TestPlanted finds the faults in testdata, a module of its own: those of folder fresh, which were written before the
// analyzers, and those of folder ideas, which try each idea of the analyzers, beside right code. A fault has a comment
// with patterns of its messages, as in analysistest. At a comment "missed" there is a fault that is not found.
func TestPlanted(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles Ebitengine, for a minute: not with -short")
	}
	found := vet(t, "testdata")
	pattern := regexp.MustCompile(`"([^"]*)"`)
	planted, hit, missed := map[string]int{}, map[string]int{}, map[string]int{}
	err := filepath.WalkDir("testdata", func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" {
			return err
		}
		text, err := os.ReadFile(path)
		name, err2 := filepath.Rel("testdata", path)
		set, _, _ := strings.Cut(filepath.ToSlash(name), "/")
		for i, s := range strings.Split(string(text), "\n") {
			missed[set] += strings.Count(s, "// missed:")
			at := fmt.Sprintf("%s:%d", filepath.ToSlash(name), i+1)
			_, wants, _ := strings.Cut(s, "// want ")
			for _, m := range pattern.FindAllStringSubmatch(wants, -1) {
				planted[set]++
				want := regexp.MustCompile(m[1])
				k := slices.IndexFunc(found, func(f [2]string) bool { return f[0] == at && want.MatchString(f[1]) })
				if k < 0 {
					t.Errorf("%s: no finding that matches %q", at, m[1])
					continue
				}
				hit[set]++
				found = slices.Delete(found, k, k+1)
			}
		}
		return err2
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		t.Errorf("%s: a false alarm: %s", f[0], f[1])
	}
	for _, set := range []string{"fresh", "ideas"} {
		all := planted[set] + missed[set]
		t.Logf("%s: %d faults planted, %d found", set, all, hit[set])
		if all < 40 || 10*hit[set] < 9*all {
			t.Errorf("%s: fewer than 40 faults, or less than 90 %% of them found", set)
		}
	}
}
