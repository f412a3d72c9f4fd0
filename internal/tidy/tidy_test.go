package tidy_test

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const root = "../.."

// module returns the module's name.
func module(t *testing.T) string {
	t.Helper()
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Skip(err) // wasm without a file system
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(string(mod), "module "), "\n")
	return name
}

// modules returns the folders of the modules in go.work.
func modules(t *testing.T) (dirs []string) {
	t.Helper()
	work, err := os.ReadFile(filepath.Join(root, "go.work"))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?m)^\t(\.\S*)$`).FindAllSubmatch(work, -1) {
		dirs = append(dirs, filepath.Join(root, string(m[1])))
	}
	if len(dirs) < 2 {
		t.Fatalf("%q in go.work", dirs)
	}
	return dirs
}

// ours reports whether a folder may be walked through: neither a hidden one nor one of a module that go.work has not.
func ours(modules []string, dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return slices.Contains(modules, dir) || err != nil && !strings.HasPrefix(filepath.Base(dir), ".")
}

// goFiles returns the Go files of the modules in go.work.
func goFiles(t *testing.T) (files []*file) {
	t.Helper()
	modules := modules(t)
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == root {
			return err
		}
		if d.IsDir() {
			if !ours(modules, name) {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		src, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		f, err := parse(filepath.ToSlash(rel), src)
		files = append(files, f)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestModule(t *testing.T) {
	module, files := module(t), goFiles(t)
	if len(files) < 10 {
		t.Fatalf("found %d Go files below %s: the walk is broken", len(files), root)
	}
	for name, rule := range rules {
		t.Run(name, func(t *testing.T) {
			for _, finding := range allow(name, rule(module, files)) {
				t.Error(finding)
			}
		})
	}
	t.Run("readme", func(t *testing.T) {
		var sources []string
		for _, f := range files {
			sources = append(sources, string(f.src))
		}
		hosts, err := filepath.Glob(filepath.Join(root, "demo", "hosts", "*", "*.go")) // a module of its own
		if err != nil || len(hosts) < 5 {
			t.Fatalf("%d files in demo/hosts: %v", len(hosts), err)
		}
		for _, name := range hosts {
			src, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			sources = append(sources, string(src))
		}
		guides, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
		if err != nil || len(guides) < 10 {
			t.Fatalf("%d guides in docs: %v", len(guides), err)
		}
		for _, name := range append(guides, filepath.Join(root, "README.md")) {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			rel, err := filepath.Rel(root, name)
			if err != nil {
				t.Fatal(err)
			}
			for _, finding := range readme(filepath.ToSlash(rel), string(text), sources) {
				t.Error(finding)
			}
		}
	})
}

// allow returns what of the findings of a rule is too much.
func allow(rule string, found []string) (more []string) {
	byDir := map[string][]string{}
	allowed := map[string]int{}
	switch rule {
	default:
		return found
	case "doubled":
		byDir["all packages"], allowed["all packages"] = found, doubledLabels
	case "prose":
		for _, f := range found {
			name, _, _ := strings.Cut(f, ":")
			byDir[path.Dir(name)] = append(byDir[path.Dir(name)], f)
		}
		maps.Copy(allowed, allowances)
	}
	for dir := range allowed {
		byDir[dir] = byDir[dir][:len(byDir[dir]):len(byDir[dir])] // a package without a fault needs no allowance
	}
	for dir, found := range byDir {
		if says := over(dir, found, allowed[dir]); says != "" {
			more = append(more, rule+" in "+says)
		}
	}
	return more
}

// cases has, per rule, sources that must pass and sources that must not. A line "-- path --" begins another file.
var cases = []struct {
	rule, path, src string
	want            string // part of the one finding; empty: none
}{
	{"imports", "deadline/a.go", `import "time"`, ""},
	{"stacks", "frame/a.go", `const a = "a frame. runtime.Goexit called"`, ""},
	{"stacks", "frame/a_test.go", `const a = "frame.(*Loop).frame"`, ""},
	{"stacks", "internal/testkit/a.go", `const a = "runtime.handleEvent"`, ""},
	{"stacks", "internal/x/a.go", `const a = "runtime.handleEvent"`, "names a function"},
	{"stacks", "frame/a.go", `import "m/internal/where"`, ""},
	{"stacks", "frame/a.go", `const a = "frame.(*Loop)."`, "names a function"},
	{"stacks", "frame/a.go", `const a = "frame.(*wrapped[...])."`, "names a function"},
	{"stacks", "workers/a.go", `const a = "(*Pool).mark"`, "names a function"},
	{"stacks", "workers/a.go", `const a = "m/workers."`, "names a function"},
	{"imports", "deadline/a.go", `import "m/internal/fault"`, ""},
	{"imports", "deadline/a.go", `import "m/scheduler"`, "a.go:3: deadline may not import scheduler"},
	{"imports", "deadline/a.go", `import "golang.org/x/sys/unix"`, "only the standard library"},
	{"imports", "deadline/a_test.go", `import "pgregory.net/rapid"`, ""},
	{"imports", "scheduler/a.go", `import "m/workers"`, "scheduler may not import workers"},
	{"imports", "scheduler/a_test.go", `import "m/workers"`, ""},
	{"imports", "scheduler/sub/a.go", `import "m/workers"`, "scheduler/sub may not import workers"},
	{"imports", "workers/a.go", `import "m/scheduler"`, "workers may not import scheduler"},
	{"imports", "frame/a.go", `import ("m/scheduler"; "m/workers"; "m/deadline"; "m/internal/x")`, ""},
	{"imports", "frame/record/a.go", `import "m/frame"`, "frame/record may not import frame"},
	{"imports", "frame/a.go", `import "m/demo/sim"`, "only demo may import demo/sim"},
	{"imports", "internal/x/a.go", `import ("m/deadline"; "m/internal/y")`, ""},
	{"imports", "internal/x/a.go", `import "m/workers"`, "internal/x may not import workers"},
	{"imports", "frame/a.go", `import "m/internal/testkit"`, "only tests may import internal/testkit"},
	{"imports", "demo/sim/a_test.go", `import "m/internal/testkit"`, ""},
	{"imports", "frame/live/a_test.go", `import "m/frame/autopsy"`, "frame/autopsy, a module of its own"},
	{"imports", "frame/ebitenhost/a.go", `import "m/frame/autopsy"`, ""},
	{"imports", "demo/a.go", "package main\n" + `import ("github.com/hajimehoshi/ebiten/v2"; "m/frame")`, ""},
	{"imports", "demo/a_test.go", "package main_test\n" + `import "github.com/hajimehoshi/ebiten/v2"`, ""},
	{"imports", "frame/a.go", "package main\n" + `import "github.com/hajimehoshi/ebiten/v2"`, "Ebitengine"},
	{"imports", "demo/sim/a.go", `import "github.com/hajimehoshi/ebiten/v2/examples/resources/fonts"`, ""},
	{"imports", "demo/sim/a.go", `import "github.com/hajimehoshi/ebiten/v2"`, "may import Ebitengine"},
	{"imports", "frame/a_test.go", `import "github.com/hajimehoshi/ebiten/v2/text"`, "may import Ebitengine"},

	{"columns", "a.go", "//" + strings.Repeat("é", 118), ""},
	{"columns", "a.go", "//" + strings.Repeat("é", 119), "a.go:3: line of 121 columns"},
	{"columns", "a_test.go", "\t\t//" + strings.Repeat("x", 111), "line of 121 columns"},

	{"docs", "a.go", "func F() {}", "a.go:3: function F has no comment"},
	{"docs", "a_test.go", "func F() {}", ""},
	{"docs", "a.go", "type t struct{}\nfunc (t) M() {}", ""},
	{"docs", "a.go", "// T is.\ntype T[K, V any] int\nfunc (t *T[K, V]) M() {}", "function M has no comment"},
	{"docs", "a.go", "// T is.\ntype T int\nfunc (T) String() string { return \"\" }", ""},
	{"docs", "a.go", "type T int", "type T has no comment"},
	{"docs", "a.go", "const C = 1", "value C has no comment"},
	{"docs", "a.go", "const (\n\tC = 1 // C is.\n\td = 2\n)", ""},
	{"docs", "a.go", "const (\n\tC = 1 // C is.\n\tD = 2\n)", "a.go:5: value D has no comment"},
	{"docs", "a.go", "// Options are.\ntype Options struct {\n\tA int // zero means 1\n\tb int\n}", ""},
	{"docs", "a.go", "// Options are.\ntype Options struct {\n\t// A and B are.\n\tA int\n\tB int\n}", ""},
	{"docs", "a.go", "// Options are.\ntype Options struct {\n\tA int\n}", "option Options.A has no comment"},
	{"docs", "a.go", "// Options are.\ntype Options struct {\n\tA int // A\n\n\tB int\n}", "Options.B has"},

	{"markers", "a.go", "// nothing to do", ""},
	{"markers", "a.go", "// TO" + "DO: later", "a.go:3: TO" + "DO"},
	{"markers", "a_test.go", "// FIX" + "ME", "FIX" + "ME"},
	{"markers", "a.go", "var hexXX" + "XX int", ""},

	{"inits", "a.go", "type t struct{}\nfunc (t) init() {}", ""},
	{"inits", "workers/a.go", "func init() {}", "workers/a.go:3: an init function"},
	{"inits", "demo/display/a.go", "func init() {}", ""},

	{"linkname", "a.go", "//go:noinline\nfunc f() {}", ""},
	{"linkname", "a.go", "//go:" + "linkname f runtime.f\nfunc f()", "a.go:3: linkname"},

	{"prose", "p/a.go", "// It lasts for ever.", `the word "for ever"`},
	{"prose", "p/a_test.go", "// It lasts for ever.", ""},
	{"prose", "p/a.go", "//\tIt lasts for ever.", ""},
	{"prose", "p/a.go", "// All but\n// for one.", `the word "but for"`},
	{"prose", "p/a.go", "// The knocker is crewed.", ""},
	{"prose", "p/a.go", "// First. Who waits, enters.", "begins with Who"},
	{"prose", "p/a.go", "// Whose turn is it?", ""},

	{"unstated", "p/a.go", "//\tW1  Who\n-- p/b.go --\n// by W1", ""},
	{"unstated", "p/a.go", "//\tW1  Who\n-- p/b.go --\n// by W2", "p/b.go:3: W2"},
	{"unstated", "p/a.go", "// - W1. Who\n-- p/b.go --\nvar x int // W1", ""},
	{"unstated", "p/a.go", "//   - W1. Who\n-- p/b.go --\n// W1, W2", "p/b.go:3: W2"},
	{"unstated", "p/a.go", "// W1, whatever\n// W2. Who\n//\tW3  Who\n-- p/b.go --\n// W1 to W3", ""},
	{"unstated", "p/a.go", "// W1. Who\n// W3. Who\n-- p/b.go --\n// W1 to W3", "p/b.go:3: W2"},
	{"unstated", "p/a.go", "// of W1. Who", "p/a.go:3: W1"},
	{"unstated", "p/a.go", "// an L3 cache", ""},
	{"unstated", "p/a.go", "// L1. Who\n-- p/b.go --\n// L3", "L3"},
	{"unstated", "p/a.go", `var s = "W1" // "W1"`, ""},
	{"unstated", "p/a.go", "import \"m/q\"\n// Q1\n-- q/q.go --\n// Q1. Who", ""},
	{"unstated", "p/a.go", "// Q1\n-- q/q.go --\n// Q1. Who", "Q1"},

	{"absent", "p/a.go", "// TestIt and b_test.go show it.\n-- q/b_test.go --\nfunc TestIt() {}", ""},
	{"absent", "p/a.go", "// TestIt shows it.", "p/a.go:3: there is no TestIt"},
	{"absent", "p/a.go", "// See c_test.go.\n-- p/b_test.go --\n", "p/a.go:3: there is no c_test.go"},

	{"doubled", "p/a.go", "// W1. It is.\n-- q/b.go --\n// W2. It is.", ""},
	{"doubled", "p/a.go", "// W1. It is.\n-- q/b.go --\n// see W1", ""},
	{"doubled", "p/a.go", "// W1. It is.\n-- q/b_test.go --\n// W1. It is.", ""},
	{"doubled", "p/a.go", "// W1. It is.\n-- q/b.go --\n//   - W1. It was.", "q/b.go:3: W1 is also stated at p/a.go:3"},
	{"doubled", "p/a.go", "// WS1. It is.\n-- q/b.go --\n// S1. It is.", ""},
}

// parseAll parses the files of a case.
func parseAll(t *testing.T, name, src string) (files []*file) {
	for part := range strings.SplitSeq(src, "\n-- ") {
		if len(files) > 0 {
			name, part, _ = strings.Cut(part, " --\n")
		}
		if !strings.HasPrefix(part, "package ") {
			part = "package p\n\n" + part
		}
		f, err := parse(name, []byte(part+"\n"))
		if err != nil {
			t.Fatalf("%v in\n%s", err, part)
		}
		files = append(files, f)
	}
	return files
}

// TestRulesCanFail feeds each rule what it must find, and what it must not.
func TestRulesCanFail(t *testing.T) {
	caught := map[string]bool{}
	for i, c := range cases {
		found := rules[c.rule]("m", parseAll(t, c.path, c.src))
		switch {
		case c.want == "" && len(found) > 0:
			t.Errorf("case %d, %s: found %q in\n%.80s", i, c.rule, found, c.src)
		case c.want != "" && (len(found) != 1 || !strings.Contains(found[0], c.want)):
			t.Errorf("case %d, %s: found %q, want one finding with %q in\n%.80s",
				i, c.rule, found, c.want, c.src)
		case c.want != "":
			caught[c.rule] = true
		}
	}
	for name := range rules {
		if !caught[name] {
			t.Errorf("no case shows that rule %s can fail", name)
		}
	}
}

func TestReadmeCanFail(t *testing.T) {
	const fence = "```"
	source := "package p\n\nfunc Example() {\n\tif x {\n\t\tf()\n\t}\n\n\tg()\n}\n"
	for block, want := range map[string]string{
		fence + "go\nif x {\n    f()\n}\n\ng()\n" + fence:                        "[]",
		fence + "go\nif x {\n    f()\n}\ng()\n" + fence:                          "README.md:1:",
		"a\n" + fence + "go\nh()\n" + fence + "\n" + fence + "go\nf()\n" + fence: "README.md:2:",
		fence + "sh\nif x {\n    g()\n}\n" + fence:                               "[]",
		"no blocks": "[]",
	} {
		got := fmt.Sprint(readme("README.md", block, []string{"package q\n", source}))
		if !strings.Contains(got, want) {
			t.Errorf("%s, want %q in it, of\n%s", got, want, block)
		}
	}
}
