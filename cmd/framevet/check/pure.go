package check

import (
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// newPure returns the analyzer that finds what may differ between two machines in the functions of package ticks, whose
// results must be the same everywhere.
func newPure(where *analysis.Analyzer) *analysis.Analyzer {
	return analyzer(where, "framepure", "finds clocks, chance and shared variables in functions of package ticks",
		func(pass *analysis.Pass, p *program) {
			for _, f := range p.fns {
				if f.places&pure != 0 {
					p.impure(f, func(n ast.Node, what string) {
						p.report(pass, n.Pos(), "%s in a function of a tick, whose result must be the same on "+
							"every machine: pass what it needs in its argument", what)
					})
				}
			}
		})
}

// impure calls visit for what may differ between two runs of f.
func (p *program) impure(f *fn, visit func(n ast.Node, what string)) {
	for _, c := range f.calls {
		if c.f == nil || c.f.Pkg() == nil {
			continue
		}
		random := c.f.Pkg().Path() == "math/rand" || c.f.Pkg().Path() == "math/rand/v2"
		switch name(c.f) {
		case "time.Now", "time.Since", "time.Until", "deadline.Now":
			visit(c, "a clock")
		default:
			if random && c.f.Signature().Recv() == nil && !strings.HasPrefix(c.f.Name(), "New") {
				visit(c, "a random number")
			}
		}
	}
	f.ops(func(n ast.Node) bool {
		if r, ok := n.(*ast.RangeStmt); ok {
			if _, isMap := p.pass.TypesInfo.TypeOf(r.X).Underlying().(*types.Map); isMap {
				visit(r, "a range over a map, whose order differs,")
			}
		}
		return true
	})
	if f.lit != nil || f.given {
		p.written(f, func(e ast.Expr, v *types.Var) { visit(e, "a write to "+v.Name()+", which is shared,") })
	}
}
