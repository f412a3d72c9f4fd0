package tidy_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// Every example compiles in a program outside: it needs no more than its own file and what the packages export. The
// files are copied into one module, each into a package of its own, as plain files. go vet checks all of them at once,
// because it takes the types from the build cache and generates no code for the copies, which no build has cached.
func TestExamplesCompileOutside(t *testing.T) {
	if runtime.GOOS == "js" || runtime.GOOS == "wasip1" {
		t.Skip("no processes")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	files, outside := 0, t.TempDir()
	clause := regexp.MustCompile(`(?m)^package \w+$`)
	err = filepath.WalkDir(root, func(path string, e os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() {
			if _, err := os.Stat(filepath.Join(path, "go.mod")); err == nil && path != root ||
				e.Name() == "out" || e.Name() == "internal" {
				return filepath.SkipDir // another module, or packages that nobody outside can import
			}
			return nil
		}
		if !strings.HasPrefix(e.Name(), "example") || !strings.HasSuffix(e.Name(), "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if internal := "internal/"; bytes.Contains(text, []byte("/"+internal)) {
			return fmt.Errorf("%s imports an internal package", path)
		}
		files++
		dir := filepath.Join(outside, fmt.Sprintf("example%d", files))
		place := clause.FindIndex(text)
		if place == nil {
			return fmt.Errorf("no package clause in %s", path)
		}
		note := fmt.Sprintf("package example\n//line %s:%d\n", path, 2+bytes.Count(text[:place[0]], []byte("\n")))
		text = append(append(text[:place[0]:place[0]], note...), text[place[1]+1:]...)
		if err := os.Mkdir(dir, 0o777); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, "example.go"), text, 0o666)
	})
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	module := regexp.MustCompile(`(?m)^module (.*)$`).FindSubmatch(mod)[1]
	mod = bytes.Replace(mod, append([]byte("module "), module...), []byte("module outside"), 1)
	mod = fmt.Appendf(mod, "\nrequire %s v0.0.0\nreplace %[1]s => %s\n", module, root)
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{"go.mod": mod, "go.sum": sum} {
		if err := os.WriteFile(filepath.Join(outside, name), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if files < 10 {
		t.Errorf("%d files with examples", files)
	}
	vet := exec.Command("go", "vet", "./...")
	vet.Dir, vet.Env = outside, append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	if out, err := vet.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
