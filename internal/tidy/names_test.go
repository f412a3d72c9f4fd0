package tidy_test

import (
	"go/ast"
	"path"
	"slices"
	"strings"
	"testing"
)

// public are the packages whose exported names must each be named in a test: by one of the package's own tests or
// examples, or by one of another package.
var public = []string{
	"deadline", "scheduler", "scheduler/flow", "scheduler/replay",
	"workers", "frame", "frame/load", "frame/record", "frame/plot",
}

// named returns what a test file names: functions, types and values of other packages or its own, and methods and
// fields by their selectors; and what its examples are called after.
func (f *file) named(into map[string]bool) {
	ast.Inspect(f.ast, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			into[n.Name] = true
		case *ast.FuncDecl:
			if name, ok := strings.CutPrefix(n.Name.Name, "Example"); ok {
				for part := range strings.SplitSeq(name, "_") {
					into[part] = true
				}
			}
		}
		return true
	})
}

// exported returns the exported functions, methods, types and values that a file declares, but for methods that
// fmt and errors call, and structs in packages that have many
// of them as results, where tests name their fields.
func (f *file) exported() (names []*ast.Ident) {
	for _, d := range f.ast.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil || ast.IsExported(receiver(d)) && !slices.Contains(selfEvident, d.Name.Name) {
				names = append(names, d.Name)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					_, record := s.Type.(*ast.StructType)
					if top, _, _ := strings.Cut(f.path, "/"); !record || top == "deadline" || top == "scheduler" {
						names = append(names, s.Name)
					}
				case *ast.ValueSpec:
					names = append(names, s.Names...)
				}
			}
		}
	}
	return slices.DeleteFunc(names, func(n *ast.Ident) bool { return !n.IsExported() })
}

// untested returns the exported names of public packages that no test names.
func untested(files []*file) (found []string) {
	seen := map[string]bool{}
	for _, f := range files {
		if f.test() {
			f.named(seen)
		}
	}
	for _, f := range files {
		if f.test() || !slices.Contains(public, path.Dir(f.path)) {
			continue
		}
		for _, n := range f.exported() {
			if !seen[n.Name] {
				found = append(found, f.at(f.line(n.Pos()), "no test names %s", n.Name))
			}
		}
	}
	return found
}

func TestEveryExportedNameIsInATest(t *testing.T) {
	root, _ := moduleRoot(t)
	for _, finding := range untested(goFiles(t, root)) {
		t.Error(finding)
	}
}

func TestUntestedCanFail(t *testing.T) {
	for _, c := range []struct{ src, test, want string }{
		{"func F() {}", "func Test(t *T) { deadline.F() }", ""},
		{"func F() {}", "func Test(t *T) { g() } // F", "a.go:2: no test names F"},
		{"func F() {}", "func ExampleF() {}", ""},
		{"type T int\nfunc (T) M() {}", "var x T", "a.go:3: no test names M"},
		{"type T int\nfunc (*T) M() {}", "func ExampleT_M() {}", ""},
		{"type T int\nfunc (T) String() string", "var x T", ""},
		{"const (\n\tA = iota\n\tB\n)", "var x = A", "a.go:4: no test names B"},
		{"type t int\nfunc (t) M() {}\nfunc g() {}", "", ""},
	} {
		a, err := parse("deadline/a.go", []byte("package deadline\n"+c.src))
		if err != nil {
			t.Fatal(err)
		}
		b, err := parse("deadline/a_test.go", []byte("package deadline_test\n"+c.test))
		if err != nil {
			t.Fatal(err)
		}
		other, _ := parse("demo/a.go", []byte("package demo\nfunc Other() {}"))
		got := strings.Join(untested([]*file{a, b, other}), "\n")
		if got != "" && c.want == "" || !strings.Contains(got, c.want) {
			t.Errorf("%s\n%s\ngot %q, want %q", c.src, c.test, got, c.want)
		}
	}
}
