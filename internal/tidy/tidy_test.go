package tidy_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// moduleRoot walks up to go.mod and returns its directory and the module's name.
func moduleRoot(t *testing.T) (root, module string) {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Skipf("no working directory: %v", err) // wasm without a file system
	}
	for ; ; dir = filepath.Dir(dir) {
		mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil {
			name := regexp.MustCompile(`(?m)^module\s+(\S+)`).FindSubmatch(mod)
			if name == nil {
				t.Fatalf("no module line in %s", filepath.Join(dir, "go.mod"))
			}
			return dir, string(name[1])
		}
		if dir == filepath.Dir(dir) {
			t.Skip("no go.mod above the working directory: nothing to check")
		}
	}
}

// goFiles returns the Go files of the module, without those of nested modules, hidden folders and testdata.
func goFiles(t *testing.T, root string) []*file {
	t.Helper()
	var files []*file
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := d.Name()
		if d.IsDir() {
			if name == root {
				return nil
			}
			_, err := os.Stat(filepath.Join(name, "go.mod"))
			if err == nil || base == "testdata" || base == "vendor" || strings.HasPrefix(base, ".") ||
				strings.HasPrefix(base, "_") {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(base, ".go") {
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
	root, module := moduleRoot(t)
	files := goFiles(t, root)
	if len(files) < 10 {
		t.Fatalf("found %d Go files below %s: the walk is broken", len(files), root)
	}
	for name, rule := range rules {
		t.Run(name, func(t *testing.T) {
			for _, f := range files {
				for _, finding := range rule(module, f) {
					t.Error(finding)
				}
			}
		})
	}
	t.Run("readme", func(t *testing.T) {
		var sources []string
		for _, f := range files {
			sources = append(sources, string(f.src))
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

// lines returns n lines of a comment.
func lines(n int) string { return strings.Repeat("// line\n", n) }

// cases has, per rule, sources that must pass and sources that must not.
var cases = []struct {
	rule, path, src string
	want            string // part of the one finding; empty: none
}{
	{"imports", "deadline/a.go", `import "time"`, ""},
	{"stacks", "frame/a.go", `const a = "a frame. runtime.Goexit called"`, ""},
	{"stacks", "frame/a.go", `const a = "frame."`, ""},
	{"stacks", "frame/a_test.go", `const a = "frame.(*Loop).frame"`, ""},
	{"stacks", "demo/a.go", `const a = "frame.New"`, ""},
	{"stacks", "frame/a.go", `import "m/internal/where"`, ""},
	{"stacks", "frame/a.go", `const a = "frame.(*Loop)."`, "names a function"},
	{"stacks", "frame/a.go", `const a = "frame.(*wrapped[...])."`, "names a function"},
	{"stacks", "frame/a.go", `const a = "iter.Pull[...].func2("`, "names a function"},
	{"stacks", "workers/a.go", `const a = "workers.digit0"`, "names a function"},
	{"stacks", "workers/a.go", `const a = "(*Pool).mark"`, "names a function"},
	{"stacks", "workers/a.go", `const a = "runtime.main"`, "names a function"},
	{"stacks", "workers/a.go", `const a = "m/workers."`, "names a function"},
	{"imports", "deadline/a.go", `import "m/internal/fault"`, ""},
	{"imports", "deadline/a.go", `import "m/scheduler"`, "a.go:3: deadline may not import scheduler"},
	{"imports", "deadline/a.go", `import "m/frame"`, "deadline may not import frame"},
	{"imports", "deadline/a.go", `import "golang.org/x/sys/unix"`, "only the standard library"},
	{"imports", "deadline/a_test.go", `import "pgregory.net/rapid"`, ""},
	{"imports", "scheduler/a.go", `import "m/deadline"`, ""},
	{"imports", "scheduler/a.go", `import "m/workers"`, "scheduler may not import workers"},
	{"imports", "scheduler/a_test.go", `import "m/workers"`, ""},
	{"imports", "scheduler/sub/a.go", `import "m/workers"`, "scheduler/sub may not import workers"},
	{"imports", "scheduler/sub/a.go", `import "m/scheduler"`, ""},
	{"imports", "workers/a.go", `import "golang.org/x/sys/unix"`, ""},
	{"imports", "workers/a.go", `import "m/scheduler"`, "workers may not import scheduler"},
	{"imports", "workers/a.go", `import x "m/frame"`, "workers may not import frame"},
	{"imports", "frame/a.go", `import ("m/scheduler"; "m/workers"; "m/deadline"; "m/internal/x")`, ""},
	{"imports", "frame/a.go", `import "m/frame/record"`, ""},
	{"imports", "frame/record/a.go", `import "m/workers"`, ""},
	{"imports", "frame/record/a.go", `import "m/frame"`, "frame/record may not import frame"},
	{"imports", "frame/a.go", `import "m/demo/sim"`, "only demo may import demo/sim"},
	{"imports", "internal/x/a.go", `import ("m/deadline"; "m/internal/y")`, ""},
	{"imports", "internal/x/a.go", `import "m/workers"`, "internal/x may not import workers"},
	{"imports", "demo/a.go", "package main\n" + `import ("github.com/hajimehoshi/ebiten/v2"; "m/frame")`, ""},
	{"imports", "demo/a_test.go", "package main_test\n" + `import "github.com/hajimehoshi/ebiten/v2"`, ""},
	{"imports", "frame/a.go", "package main\n" + `import "github.com/hajimehoshi/ebiten/v2"`, "Ebitengine"},
	{"imports", "demo/sim/a.go", `import "github.com/hajimehoshi/ebiten/v2/examples/resources/fonts"`, ""},
	{"imports", "demo/sim/a.go", `import "github.com/hajimehoshi/ebiten/v2"`, "may import Ebitengine"},
	{"imports", "frame/a_test.go", `import "github.com/hajimehoshi/ebiten/v2/text"`, "may import Ebitengine"},

	{"length", "a.go", lines(397), ""},
	{"length", "a.go", lines(398), "file of 401 lines"},
	{"length", "a_test.go", lines(397), ""},
	{"length", "a_test.go", lines(398), "file of 401 lines"},
	{"length", "a_test.go", "func f() {\n" + lines(200) + "}", ""},
	{"length", "deadline/doc.go", lines(497), ""},
	{"length", "deadline/doc.go", lines(498), "file of 501 lines"},
	{"length", "a.go", "func f() {\n" + lines(98) + "}", ""},
	{"length", "a.go", "func f() {\n" + lines(99) + "}", "a.go:3: f has 101 lines"},

	{"columns", "a.go", "//" + strings.Repeat("é", 118), ""},
	{"columns", "a.go", "//" + strings.Repeat("é", 119), "a.go:3: line of 121 columns"},
	{"columns", "a_test.go", "\t\t//" + strings.Repeat("x", 111), "line of 121 columns"},

	{"docs", "a.go", "// F is documented.\nfunc F() {}", ""},
	{"docs", "a.go", "func F() {}", "a.go:3: function F has no comment"},
	{"docs", "a_test.go", "func F() {}", ""},
	{"docs", "a.go", "func f() {}", ""},
	{"docs", "a.go", "type t struct{}\nfunc (t) M() {}", ""},
	{"docs", "a.go", "// T is.\ntype T[K, V any] int\nfunc (t *T[K, V]) M() {}", "function M has no comment"},
	{"docs", "a.go", "// T is.\ntype T[K any] struct{}\nfunc (t *T[K]) M() {}", "function M has no comment"},
	{"docs", "a.go", "// T is.\ntype T int\nfunc (T) String() string { return \"\" }", ""},
	{"docs", "a.go", "type T int", "type T has no comment"},
	{"docs", "a.go", "type T int // T is.", ""},
	{"docs", "a.go", "const C = 1", "value C has no comment"},
	{"docs", "a.go", "const (\n\tC = 1 // C is.\n\td = 2\n)", ""},
	{"docs", "a.go", "const (\n\tC = 1 // C is.\n\tD = 2\n)", "a.go:5: value D has no comment"},
	{"docs", "a.go", "// These are.\nconst (\n\tC = 1\n\tD = 2\n)", ""},
	{"docs", "a.go", "// Options are.\ntype Options struct {\n\tA int // zero means 1\n\tb int\n}", ""},
	{"docs", "a.go", "// Options are.\ntype Options struct {\n\t// A and B are.\n\tA int\n\tB int\n}", ""},
	{"docs", "a.go", "// Options are.\ntype Options struct {\n\tA int\n}", "option Options.A has no comment"},
	{"docs", "a.go", "// Options are.\ntype Options struct {\n\tA int // A\n\n\tB int\n}", "Options.B has"},

	{"markers", "a.go", "// nothing to do", ""},
	{"markers", "a.go", "// TO" + "DO: later", "a.go:3: TO" + "DO"},
	{"markers", "a_test.go", "// FIX" + "ME", "FIX" + "ME"},
	{"markers", "a.go", "var hexXX" + "XX int", ""},

	{"inits", "a.go", "func f() {}", ""},
	{"inits", "a.go", "type t struct{}\nfunc (t) init() {}", ""},
	{"inits", "workers/a.go", "func init() {}", "workers/a.go:3: an init function"},
	{"inits", "demo/a.go", "func init() {}", "an init function"},
	{"inits", "demo/display/a.go", "func init() {}", ""},

	{"linkname", "a.go", "//go:noinline\nfunc f() {}", ""},
	{"linkname", "a.go", "//go:" + "linkname f runtime.f\nfunc f()", "a.go:3: linkname"},
}

// TestRulesCanFail feeds each rule what it must find, and what it must not.
func TestRulesCanFail(t *testing.T) {
	caught := map[string]bool{}
	for i, c := range cases {
		src := "package p\n\n" + c.src + "\n"
		if strings.HasPrefix(c.src, "package ") {
			src = c.src
		}
		f, err := parse(c.path, []byte(src))
		if err != nil {
			t.Fatalf("case %d: %v", i, err)
		}
		found := rules[c.rule]("m", f)
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
	for _, c := range []struct {
		block string
		found int
	}{
		{fence + "go\nif x {\n    f()\n}\n\ng()\n" + fence, 0},
		{fence + "go\nif x {\n    g()\n}\n" + fence, 1},
		{fence + "go\nif x {\n    f()\n}\ng()\n" + fence, 1},
		{fence + "sh\nif x {\n    g()\n}\n" + fence, 0},
		{"text\n\n  " + fence + " go\n  if x {\n  h()\n  " + fence + "\n\n" + fence + "\nh()\n" + fence, 1},
		{fence + "`go\n" + fence + "\nh()\n" + fence + "`", 1},
		{fence + "go\nh()\n" + fence + "\n" + fence + "go\nf()\n" + fence, 1},
		{"no blocks", 0},
	} {
		if found := readme("README.md", c.block, []string{"package q\n", source}); len(found) != c.found {
			t.Errorf("%d findings, want %d: %q in\n%s", len(found), c.found, found, c.block)
		}
	}
	got := fmt.Sprint(readme("README.md", "a\n"+fence+"go\nh()\n"+fence, nil))
	if want := "README.md:2:"; !strings.Contains(got, want) {
		t.Errorf("finding %s does not name %s", got, want)
	}
}
