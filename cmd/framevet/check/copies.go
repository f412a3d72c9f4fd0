package check

import (
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/copylock"
)

// newCopies returns the analyzer that finds copies of a Task, a Job and other types of the library that have state.
// It is the copylocks of go vet, with the cure. It is here because go vet -vettool runs no other analyzers.
func newCopies(where *analysis.Analyzer) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name: "framecopies", Doc: "finds copies of a Task or a Job",
		Requires: append([]*analysis.Analyzer{where}, copylock.Analyzer.Requires...),
		Run: func(pass *analysis.Pass) (any, error) {
			p, found := pass.ResultOf[where].(*program), *pass
			if len(p.fns) == 0 {
				return nil, nil
			}
			found.Report = func(d analysis.Diagnostic) {
				what, typ, _ := strings.Cut(d.Message, ": ")
				what = strings.NewReplacer(
					" lock by value", " a copy", " lock value", " a value", " lock", " a value").Replace(what)
				if typ, _, _ = strings.Cut(typ, " contains "); strings.HasPrefix(typ, library+"/") {
					p.report(pass, d.Pos, "%s, a %s, which must stay where it was submitted: take a pointer to it, or "+
						"make a new one", what, typ[strings.LastIndexByte(typ, '/')+1:])
				}
			}
			return copylock.Analyzer.Run(&found)
		},
	}
}
