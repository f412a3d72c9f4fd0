package check

import (
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/types/typeutil"
)

// endings finds the functions that end the program, as one does that shows a message and calls os.Exit. What they wait
// for makes no frame late, because none follows.
func (p *program) endings() {
	for changed := true; changed; {
		changed = false
		for _, f := range p.fns {
			if !f.about.Ends && p.ends(f) {
				f.about.Ends, changed = true, true
			}
		}
	}
}

// ends reports whether f has no return, and its last statement ends the program or panics.
func (p *program) ends(f *fn) bool {
	returns := len(f.body.List) == 0
	f.ops(func(n ast.Node) bool {
		_, is := n.(*ast.ReturnStmt)
		returns = returns || is
		return !returns
	})
	if returns {
		return false
	}
	last, _ := f.body.List[len(f.body.List)-1].(*ast.ExprStmt)
	if last == nil {
		return false
	}
	c, ok := last.X.(*ast.CallExpr)
	if !ok {
		return false
	}
	switch g := typeutil.Callee(p.pass.TypesInfo, c).(type) {
	case *types.Builtin:
		return g.Name() == "panic"
	case *types.Func:
		if d := p.decl[g.Origin()]; d != nil {
			return d.about.Ends
		}
		verb := name(g)
		return verb == "os.Exit" || strings.HasPrefix(verb, "log.Fatal") || strings.HasPrefix(verb, "log.Panic") ||
			p.foreign(g).Ends
	}
	return false
}
