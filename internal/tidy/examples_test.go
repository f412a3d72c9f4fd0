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
	modules := modules(t)
	files, outside := 0, t.TempDir()
	clause := regexp.MustCompile(`(?m)^package \w+$`)
	err := filepath.WalkDir(root, func(path string, e os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() {
			if !ours(modules, path) || e.Name() == "out" || e.Name() == "internal" {
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
	work := "go 1.26.0\nuse .\n"
	for _, dir := range modules {
		dir, err := filepath.Abs(dir)
		if err != nil {
			t.Fatal(err)
		}
		work += fmt.Sprintf("use %q\n", dir)
	}
	for name, text := range map[string]string{"go.mod": "module outside\n\ngo 1.26.0\n", "go.work": work} {
		if err := os.WriteFile(filepath.Join(outside, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if files < 10 {
		t.Errorf("%d files with examples", files)
	}
	vet := exec.Command("go", "vet", "./...")
	vet.Dir, vet.Env = outside, append(os.Environ(), "GOWORK="+filepath.Join(outside, "go.work"))
	if out, err := vet.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
