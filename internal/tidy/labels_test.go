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
	reach := map[string][]string{}         // a folder, and the folders that it imports
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

// doubled returns the statements of labels that are stated elsewhere, too.
func doubled(_ string, files []*file) (found []string) {
	at := map[string]string{}
	for _, f := range files {
		if f.test() {
			continue
		}
		for _, r := range f.states() {
			if first := at[r.name]; first == "" {
				at[r.name] = fmt.Sprintf("%s:%d", f.path, r.line)
			} else {
				found = append(found, f.at(r.line, "%s is also stated at %s", r.name, first))
			}
		}
	}
	return found
}

// aTest matches the name of a test, or of a file of tests, in a comment.
var aTest = regexp.MustCompile(`\b(?:(?:Test|Example|Benchmark|Fuzz)[A-Z]\w+|[a-z]\w*_test\.go)\b`)

// absent finds comments that name a test, or a file of tests, that does not exist.
func absent(_ string, files []*file) (found []string) {
	there := map[string]bool{}
	for _, f := range files {
		there[path.Base(f.path)] = f.test()
		for _, d := range f.ast.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && f.test() {
				there[d.Name.Name] = true
			}
		}
	}
	for _, f := range files {
		for _, group := range f.ast.Comments {
			for _, c := range group.List {
				for _, name := range aTest.FindAllString(c.Text, -1) {
					if !there[name] {
						found = append(found, f.at(f.line(c.Pos()), "there is no %s", name))
					}
				}
			}
		}
	}
	return found
}
