package tidy_test

import (
	"go/ast"
	"go/token"
	"regexp"
	"strconv"
	"strings"
)

// functionName matches a string that is the name of a function as stacks show it, or its beginning or end.
var functionName = regexp.MustCompile(`\w\.\(\*?\w+|\(\*\w+\)\.|\w\.\w*\[\.\.\.\]|` +
	`^(\S*/)?(deadline|scheduler|workers|frame|carrier|fault|where|runtime|iter|debug)\.\w+[.(]?$`)

// stacks finds strings of library packages that name functions, or begin with the module's path as such names do.
func stacks(module string, f *file) (found []string) {
	top, _, _ := strings.Cut(f.path, "/")
	if f.test() || f.dir() == kit || top == "demo" || top == "scripts" || top == "bench" {
		return nil
	}
	ast.Inspect(f.ast, func(n ast.Node) bool {
		if _, ok := n.(*ast.ImportSpec); ok {
			return false
		}
		if s, ok := n.(*ast.BasicLit); ok && s.Kind == token.STRING {
			text, err := strconv.Unquote(s.Value)
			if err == nil && (functionName.MatchString(text) || strings.HasPrefix(text, module+"/")) {
				found = append(found, f.at(f.line(s.Pos()), "%s names a function, which is another in a fork", s.Value))
			}
		}
		return true
	})
	return found
}
