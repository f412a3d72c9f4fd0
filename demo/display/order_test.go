package display

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestInitIsBeforeTheEngines works through the language's rule for the order of initialization, for the
// program as it is: of all packages whose imports are initialized, the one whose path sorts first is next.
func TestInitIsBeforeTheEngines(t *testing.T) {
	const (
		ours   = "github.com/frameslice/frameslice/demo/display"
		engine = "github.com/hajimehoshi/ebiten/v2/internal/ui"
	)
	order := initOrder(imports(t, "github.com/frameslice/frameslice/demo"))
	a, b := slices.Index(order, ours), slices.Index(order, engine)
	if a < 0 || b < 0 {
		t.Fatalf("display is number %d of the program's packages, ui number %d", a, b)
	}
	if a > b {
		t.Errorf("ui would be initialized before display, which waits for one of these:\n%s",
			strings.Join(order[b:a], "\n"))
	}
}

// TestInitOrder checks the rule itself on the example of a late import.
func TestInitOrder(t *testing.T) {
	got := initOrder(map[string][]string{
		"m": {"g/ours", "h/engine"}, "g/ours": {"a", "z"}, "h/engine": {"a"}, "a": nil, "z": nil,
	})
	if want := []string{"a", "h/engine", "z", "g/ours", "m"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	got = initOrder(map[string][]string{
		"m": {"g/ours", "h/engine"}, "g/ours": {"a", "z"}, "h/engine": {"z"}, "a": nil, "z": nil,
	})
	if want := []string{"a", "z", "g/ours", "h/engine", "m"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// initOrder applies the rule. All imports must be keys.
func initOrder(imports map[string][]string) []string {
	var left, order []string
	for p := range imports {
		left = append(left, p)
	}
	slices.Sort(left)
	done := map[string]bool{}
	for len(left) > 0 {
		i := slices.IndexFunc(left, func(p string) bool {
			return !slices.ContainsFunc(imports[p], func(q string) bool { return !done[q] })
		})
		if i < 0 {
			return nil // a cycle, which Go has not
		}
		done[left[i]] = true
		order = append(order, left[i])
		left = slices.Delete(left, i, i+1)
	}
	return order
}

// imports returns the direct imports of a program's packages, for Linux with cgo, which is where it matters.
func imports(t *testing.T, program string) map[string][]string {
	t.Helper()
	goCommand, err := exec.LookPath("go") // go test sees to it that its own is found
	if err != nil {
		t.Skipf("started by something else than go test: %v", err)
	}
	cmd := exec.Command(goCommand, "list", "-deps", "-json=ImportPath,Imports,ImportMap", program)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=1", "GOOS=linux", "GOARCH=amd64", "GOFLAGS=")
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	all := map[string][]string{}
	for d := json.NewDecoder(out); ; {
		var p struct {
			ImportPath string
			Imports    []string
			ImportMap  map[string]string
		}
		err := d.Decode(&p)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		list := []string{}
		for _, q := range p.Imports {
			if r, ok := p.ImportMap[q]; ok {
				q = r
			}
			if q != "C" && q != "unsafe" {
				list = append(list, q)
			}
		}
		all[p.ImportPath] = list
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("go list: %v\n%s", err, errs.String())
	}
	delete(all, "unsafe")
	return all
}
