package tidy_test

import (
	"fmt"
	"go/ast"
	"regexp"
	"slices"
	"strings"
)

// selfEvident are methods whose names and signatures are the standard library's, and say all.
var selfEvident = []string{"String", "Error", "Unwrap"}

// docs finds exported identifiers without a comment. A comment on a group of constants or variables, before
// it or at the end of the line, is a comment on each.
func docs(_ string, f *file) []string {
	if f.test() || f.ast.Name.Name == "main" {
		return nil
	}
	var found []string
	missing := func(n ast.Node, kind, name string) {
		found = append(found, f.at(f.line(n.Pos()), "%s %s has no comment", kind, name))
	}
	for _, d := range f.ast.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			exported := d.Name.IsExported() && (d.Recv == nil || ast.IsExported(receiver(d)))
			if d.Doc == nil && exported && (d.Recv == nil || !slices.Contains(selfEvident, d.Name.Name)) {
				missing(d, "function", d.Name.Name)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					if s.Name.IsExported() && d.Doc == nil && s.Doc == nil && s.Comment == nil {
						missing(s, "type", s.Name.Name)
					}
					f.options(s, missing)
				case *ast.ValueSpec:
					for _, name := range s.Names {
						if name.IsExported() && d.Doc == nil && s.Doc == nil && s.Comment == nil {
							missing(s, "value", name.Name)
						}
					}
				}
			}
		}
	}
	return found
}

// options finds fields without a comment in structs whose name ends in Options, where it must state the
// default. A comment covers the fields that follow without an empty line.
func (f *file) options(s *ast.TypeSpec, missing func(ast.Node, string, string)) {
	t, ok := s.Type.(*ast.StructType)
	if !ok || !s.Name.IsExported() || !strings.HasSuffix(s.Name.Name, "Options") {
		return
	}
	covered := -1 // line up to which a comment holds
	for _, field := range t.Fields.List {
		if field.Doc != nil || field.Comment != nil || f.line(field.Pos()) == covered+1 {
			covered = f.line(field.End())
			continue
		}
		for _, name := range field.Names {
			if name.IsExported() {
				missing(field, "option", s.Name.Name+"."+name.Name)
			}
		}
	}
}

// receiver returns the name of a method's type.
func receiver(fn *ast.FuncDecl) string {
	t := fn.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}

// trimmed returns the lines of a text without indentation and trailing space.
func trimmed(text string) []string {
	var lines []string
	for l := range strings.Lines(text) {
		lines = append(lines, strings.TrimSpace(l))
	}
	return lines
}

// goBlock finds the blocks of a Markdown text that are fenced as go.
var goBlock = regexp.MustCompile("(?ms)^```go\n(.*?)^```$")

// contains reports whether the lines of part stand in whole, one after the other.
func contains(whole, part []string) bool {
	for i := 0; i+len(part) <= len(whole); i++ {
		if slices.Equal(whole[i:i+len(part)], part) {
			return true
		}
	}
	return false
}

// readme returns the Go blocks of a Markdown text which are in none of the sources.
func readme(name, markdown string, sources []string) (found []string) {
	for _, at := range goBlock.FindAllStringSubmatchIndex(markdown, -1) {
		block := trimmed(markdown[at[2]:at[3]])
		if !slices.ContainsFunc(sources, func(s string) bool { return contains(trimmed(s), block) }) {
			line := 1 + strings.Count(markdown[:at[0]], "\n")
			found = append(found, fmt.Sprintf("%s:%d: this block is in no Go file: copy an example", name, line))
		}
	}
	return found
}
