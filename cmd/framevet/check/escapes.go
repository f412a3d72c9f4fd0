package check

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
)

// newEscapes returns the analyzer that finds a Co or a Worker outside of its function: kept after it, or on another
// goroutine.
func newEscapes(where *analysis.Analyzer) *analysis.Analyzer {
	return analyzer(where, "frameescapes", "finds a Co or a Worker that leaves its function",
		func(pass *analysis.Pass, p *program) {
			for _, f := range p.fns {
				p.carriedOff(pass, f)
				p.kept(pass, f)
			}
		})
}

// lent says of which type a value is that is lent to a function, and what to write instead.
func lent(t types.Type) (typ, cure string) {
	switch {
	case t == nil:
	case is(t, "scheduler.Co"):
		return "Co", "start a coroutine of its own there, with loop.Go"
	case is(t, "workers.Worker"):
		return "Worker", "take the Worker that the function there is given, or call the pool"
	}
	return "", ""
}

// carriedOff reports what f, a literal that runs elsewhere or later, uses of the functions around.
func (p *program) carriedOff(pass *analysis.Pass, f *fn) {
	if f.lit == nil || f.use&^same == 0 {
		return
	}
	ast.Inspect(f.body, func(n ast.Node) bool {
		if l, ok := n.(*ast.FuncLit); ok && p.lit[l].use&^same != 0 {
			return false // it has a report of its own
		}
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		v, ok := p.pass.TypesInfo.Uses[id].(*types.Var)
		if !ok || v.IsField() || v.Parent() == p.pass.Pkg.Scope() || f.lit.Pos() <= v.Pos() && v.Pos() < f.lit.End() {
			return true
		}
		if typ, cure := lent(v.Type()); typ != "" {
			p.report(pass, id.Pos(),
				"a %s in a function that runs outside of the one that it was given to: %s", typ, cure)
		}
		return true
	})
}

// kept reports where f stores what it was lent, sends it, returns it, or gives it to a goroutine.
func (p *program) kept(pass *analysis.Pass, f *fn) {
	info := p.pass.TypesInfo
	look := func(e ast.Expr, how string) {
		ast.Inspect(e, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr, *ast.FuncLit:
				return false
			case *ast.CallExpr: // only append keeps its arguments
				id, ok := n.Fun.(*ast.Ident)
				return ok && id.Name == "append"
			case *ast.Ident:
				if v, ok := info.Uses[n].(*types.Var); ok {
					if typ, cure := lent(v.Type()); typ != "" {
						p.report(pass, n.Pos(),
							"a %s %s, where it is not valid any more after its function: %s", typ, how, cure)
					}
				}
			}
			return true
		})
	}
	f.ops(func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, l := range n.Lhs {
				if len(n.Lhs) == len(n.Rhs) && p.outlives(f, l) && !p.cleared(l) {
					look(n.Rhs[i], "is kept in "+types.ExprString(l))
				}
			}
		case *ast.SendStmt:
			look(n.Value, "is sent to another goroutine")
		case *ast.ReturnStmt:
			for _, e := range n.Results {
				look(e, "is returned")
			}
		case *ast.GoStmt:
			for _, a := range n.Call.Args {
				look(a, "is given to another goroutine")
			}
		}
		return true
	})
}

// outlives reports whether what is assigned to e is there after f has ended.
func (p *program) outlives(f *fn, e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		v := p.pass.TypesInfo.ObjectOf(e)
		return v != nil && (v.Pos() < f.typ.Pos() || v.Pos() >= f.body.End())
	case *ast.SelectorExpr:
		base := variable(p.pass.TypesInfo, e.X)
		if base == nil {
			return true
		}
		_, pointer := base.Type().Underlying().(*types.Pointer)
		return pointer || p.outlives(f, e.X)
	case *ast.IndexExpr:
		return p.outlives(f, e.X)
	case *ast.StarExpr:
		return true
	}
	return false
}

// cleared reports whether the package sets the variable or field to nil somewhere: then it is not kept for long.
func (p *program) cleared(e ast.Expr) (yes bool) {
	want := variable(p.pass.TypesInfo, e)
	p.each(func(n ast.Node, _ cursor) {
		a := n.(*ast.AssignStmt)
		for i, l := range a.Lhs {
			if a.Tok == token.ASSIGN && len(a.Lhs) == len(a.Rhs) && p.pass.TypesInfo.Types[a.Rhs[i]].IsNil() {
				yes = yes || want != nil && variable(p.pass.TypesInfo, l) == want
			}
		}
	}, (*ast.AssignStmt)(nil))
	return yes
}
