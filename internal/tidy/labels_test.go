package tidy_test

import (
	"fmt"
	"go/ast"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Invariants have labels, a letter and a number ("W9"). The comment that states one begins a line with its label, and
// two spaces, a full stop or a comma; others refer to it. notLabels look like labels, where there is no such letter.
var (
	label      = regexp.MustCompile(`\b[A-Z]{1,2}[0-9]{1,2}\b`)
	stated     = regexp.MustCompile(`^\s*(?:- )?([A-Z]{1,2}[0-9]{1,2})(?:\.|,|  )`)
	labelRange = regexp.MustCompile(`\b([A-Z]{1,2})([0-9]{1,2}) to [A-Z]{0,2}([0-9]{1,2})\b`)
	quoted     = regexp.MustCompile(`"[^"]*"`)
	notLabels  = []string{"L3", "X11"} // a cache, a window system
)

// A reference is where a comment names an invariant.
type reference struct {
	f    *file
	line int
	name string
}

// states returns the labels that a file's comments state.
func (f *file) states() (found []reference) {
	for _, group := range f.ast.Comments {
		for _, c := range group.List {
			text := quoted.ReplaceAllString(strings.TrimPrefix(c.Text, "//"), "")
			if m := stated.FindStringSubmatch(text); m != nil {
				found = append(found, reference{f, f.line(c.Pos()), m[1]})
			}
		}
	}
	return found
}

// labels returns the labels that a file's comments name.
func (f *file) labels() (named []reference) {
	for _, group := range f.ast.Comments {
		for _, c := range group.List {
			line := f.line(c.Pos())
			text := quoted.ReplaceAllString(strings.TrimPrefix(c.Text, "//"), "")
			for _, name := range label.FindAllString(text, -1) {
				named = append(named, reference{f, line, name})
			}
			for _, m := range labelRange.FindAllStringSubmatch(text, -1) {
				from, _ := strconv.Atoi(m[2])
				to, _ := strconv.Atoi(m[3])
				for n := from + 1; n < to; n++ {
					named = append(named, reference{f, line, fmt.Sprint(m[1], n)})
				}
			}
		}
	}
	return named
}

// unstated returns the references to invariants that neither their package states nor one that it imports.
func unstated(module string, files []*file) (found []string) {
	states := map[string]map[string]bool{} // by folder
	reach := map[string][]string{}         // a folder and those that it imports
	var named []reference
	for _, f := range files {
		dir := f.dir()
		if states[dir] == nil {
			states[dir] = map[string]bool{}
			reach[dir] = []string{dir}
		}
		for _, r := range f.states() {
			states[dir][r.name] = true
		}
		named = append(named, f.labels()...)
		for _, spec := range f.ast.Imports {
			reach[dir] = append(reach[dir], imported(module, spec))
		}
	}
	for _, r := range named {
		is, letter := false, false
		for _, dir := range reach[r.f.dir()] {
			is = is || states[dir][r.name]
			letter = letter || slices.ContainsFunc(slices.Collect(maps.Keys(states[dir])), func(s string) bool {
				return s[0] == r.name[0]
			})
		}
		if !is && (letter || !slices.Contains(notLabels, r.name)) {
			found = append(found, r.f.at(r.line, "%s is stated nowhere here", r.name))
		}
	}
	return found
}

// imported returns the folder of the module that an import is of.
func imported(module string, spec *ast.ImportSpec) string {
	name, _ := strconv.Unquote(spec.Path.Value)
	dir, _ := strings.CutPrefix(name, module+"/")
	return path.Clean(dir)
}

func TestInvariantsThatAreNamedAreStated(t *testing.T) {
	root, module := moduleRoot(t)
	for _, finding := range unstated(module, goFiles(t, root)) {
		t.Error(finding)
	}
}

func TestUnstatedCanFail(t *testing.T) {
	for _, c := range []struct{ states, names, want string }{
		{"//\tW1  Who", "// by W1", ""},
		{"//\tW1  Who", "// by W2", "p/b.go:2: W2"},
		{"// - W1. Who", "var x int // W1", ""},
		{"//   - W1. Who", "// W1, W2", "p/b.go:2: W2"},
		{"// W1, whatever\n// W2. Who\n//\tW3  Who", "// W1 to W3", ""},
		{"// W1. Who\n// W3. Who", "// W1 to W3", "p/b.go:2: W2"},
		{"// of W1. Who", "// W1", "W1"},
		{"", "// an L3 cache", ""},
		{"// L1. Who", "// L1 to L3", "L2"},
		{"", `var s = "W1" // "W1"`, ""},
		{"// W1. Who", "import \"m/q\"\n// Q1", ""},
		{"// W1. Who", "// Q1", "Q1"},
	} {
		var files []*file
		for name, src := range map[string]string{"p/a.go": c.states, "p/b.go": c.names, "q/q.go": "// Q1. Who"} {
			f, err := parse(name, []byte("package p\n"+src+"\n"))
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
		}
		got := strings.Join(slices.DeleteFunc(unstated("m", files), func(s string) bool {
			return strings.HasPrefix(s, "p/a.go")
		}), "\n")
		if got != "" && c.want == "" || !strings.Contains(got, c.want) {
			t.Errorf("%s\n%s\ngot %q, want %q", c.states, c.names, got, c.want)
		}
	}
}
