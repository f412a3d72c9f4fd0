package tidy_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const (
	maxColumns = 120
	tabColumns = 4
)

// A file is a parsed Go file.
type file struct {
	path string // relative to the module's root, with slashes
	src  []byte
	ast  *ast.File
	fset *token.FileSet
}

func parse(name string, src []byte) (*file, error) {
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	return &file{name, src, tree, fset}, nil
}

func (f *file) test() bool  { return strings.HasSuffix(f.path, "_test.go") }
func (f *file) dir() string { return path.Dir(f.path) }

func (f *file) line(p token.Pos) int { return f.fset.Position(p).Line }

// at formats a finding.
func (f *file) at(line int, format string, args ...any) string {
	return fmt.Sprintf("%s:%d: %s", f.path, line, fmt.Sprintf(format, args...))
}

// A rule returns its findings in the files of the named module.
type rule func(module string, files []*file) []string

// each makes a rule of one that looks at a file.
func each(check func(module string, f *file) []string) rule {
	return func(module string, files []*file) (found []string) {
		for _, f := range files {
			found = append(found, check(module, f)...)
		}
		return found
	}
}

// rules by name; each has a self-test.
var rules = map[string]rule{
	"imports":  each(imports),
	"absent":   absent,
	"stacks":   each(stacks),
	"columns":  each(columns),
	"docs":     each(docs),
	"markers":  each(markers),
	"inits":    each(inits),
	"linkname": each(linkname),
	"prose":    each(prose),
	"unstated": unstated,
	"doubled":  doubled,
}

// mayImport lists what the packages of the module may import of it; what is not listed may import anything
// but demo. A trailing slash means the whole subtree.
var mayImport = map[string][]string{
	"deadline":     {"internal/"},
	"scheduler":    {"deadline", "internal/"},
	"workers":      {"deadline", "internal/"},
	"frame":        {"deadline", "scheduler", "workers", "internal/"},
	"frame/record": {"deadline", "scheduler", "workers", "internal/"}, // not frame, which imports it
	"internal/":    {"deadline", "internal/"},
}

// under returns what mayImport says about a directory: its own entry, or that of its topmost part, since scheduler/x is
// bound by what binds scheduler.
func under(dir string) (allowed []string, bound bool) {
	if allowed, bound = mayImport[dir]; bound && strings.Contains(dir, "/") {
		return allowed, true
	}
	top, _, _ := strings.Cut(dir, "/")
	if allowed, bound = mayImport[top]; !bound {
		allowed, bound = mayImport[top+"/"]
	}
	return append(slices.Clone(allowed), top, top+"/"), bound
}

// ebitengine reports whether importing the package needs a display. The pictures and fonts of its examples do
// not.
func ebitengine(name string) bool {
	const path = "github.com/hajimehoshi/ebiten"
	return strings.HasPrefix(name, path) && !strings.Contains(name, "/examples/resources/")
}

// demo reports whether f belongs to a program in demo.
func (f *file) demo() bool {
	top, _, _ := strings.Cut(f.path, "/")
	return top == "demo" && strings.TrimSuffix(f.ast.Name.Name, "_test") == "main"
}

// apart are the folders of modules which the library does not require.
var apart = []string{"demo", "frame/autopsy", "frame/ebitenhost"}

// kit is the package that is part of tests, although its files are not named so.
const kit = "internal/testkit"

// within returns the one of apart which a folder is in, or nothing.
func within(dir string) string {
	i := slices.IndexFunc(apart, func(a string) bool { return strings.HasPrefix(dir+"/", a+"/") })
	if i < 0 {
		return ""
	}
	return apart[i]
}

func imports(module string, f *file) []string {
	var found []string
	for _, spec := range f.ast.Imports {
		name, _ := strconv.Unquote(spec.Path.Value)
		line := f.line(spec.Pos())
		if ebitengine(name) && !f.demo() && f.dir() != "frame/ebitenhost" {
			found = append(found, f.at(line, "only frame/ebitenhost and the programs in demo may import Ebitengine"))
		}
		local, inModule := strings.CutPrefix(name, module+"/")
		if !inModule {
			foreign := strings.Contains(strings.Split(name, "/")[0], ".")
			if foreign && f.dir() == "deadline" && !f.test() {
				found = append(found, f.at(line, "deadline may import only the standard library"))
			}
			continue
		}
		if top, _, _ := strings.Cut(f.dir(), "/"); strings.HasPrefix(local+"/", "demo/") && top != "demo" {
			found = append(found, f.at(line, "only demo may import %s", local))
			continue
		}
		if module := within(local); module != "" && within(f.dir()) == "" {
			found = append(found, f.at(line, "the library may not import %s, a module of its own", module))
			continue
		}
		if local == kit && f.dir() != kit && !f.test() {
			found = append(found, f.at(line, "only tests may import %s", kit))
			continue
		}
		allowed, bound := under(f.dir())
		ok := slices.ContainsFunc(allowed, func(a string) bool {
			return local == a || strings.HasSuffix(a, "/") && strings.HasPrefix(local, a)
		})
		if bound && !ok && !f.test() {
			found = append(found, f.at(line, "%s may not import %s", f.dir(), local))
		}
	}
	return found
}

func columns(_ string, f *file) []string {
	var found []string
	line := 0
	for text := range strings.Lines(string(f.src)) {
		line++
		n := 0
		for _, r := range strings.TrimRight(text, "\r\n") {
			if r == '\t' {
				n += tabColumns
			} else {
				n++
			}
		}
		if n > maxColumns {
			found = append(found, f.at(line, "line of %d columns, more than %d", n, maxColumns))
		}
	}
	return found
}

// markers finds reminders. The expression is in two parts, or it would find itself.
var marker = regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|XX` + `X)\b`)

func markers(_ string, f *file) []string {
	var found []string
	line := 0
	for text := range strings.Lines(string(f.src)) {
		line++
		if m := marker.FindString(text); m != "" {
			found = append(found, f.at(line, "%s: do it, or say why not", m))
		}
	}
	return found
}

func inits(_ string, f *file) []string {
	var found []string
	for _, d := range f.ast.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if ok && fn.Recv == nil && fn.Name.Name == "init" && f.dir() != "demo/display" {
			found = append(found,
				f.at(f.line(fn.Pos()), "an init function: importing a package must do nothing"))
		}
	}
	return found
}

func linkname(_ string, f *file) []string {
	var found []string
	for _, group := range f.ast.Comments {
		for _, c := range group.List {
			if strings.HasPrefix(c.Text, "//go:"+"linkname") {
				found = append(found, f.at(f.line(c.Pos()), "linkname: it breaks with any release of Go"))
			}
		}
	}
	return found
}
