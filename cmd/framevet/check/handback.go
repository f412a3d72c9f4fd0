package check

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
)

// newHandBack returns the analyzer that finds results of jobs that a frame reads while a worker may write them.
func newHandBack(where *analysis.Analyzer) *analysis.Analyzer {
	return analyzer(where, "framehandback", "finds results of jobs that the frame reads without being handed them",
		func(pass *analysis.Pass, p *program) {
			for _, f := range p.fns {
				if f.places&beside == 0 || f.places&joined != 0 || p.guards(f.body, f.body.Pos(), f.body.End()) {
					continue
				}
				if f.lit == nil && !f.given || f.lit != nil && f.use&beside == 0 {
					continue // its receiver and parameters may be the job's own
				}
				p.written(f, func(e ast.Expr, v *types.Var) {
					if reader := p.reader(f, v); reader != "" {
						p.report(pass, e.Pos(), "a job writes %s, which %s reads without knowing that the job "+
							"has ended: return it from the job, or write it in a function that the job posts",
							v.Name(), reader)
					}
				})
			}
		})
}

// written calls visit for the variables and fields from outside that f writes.
func (p *program) written(f *fn, visit func(ast.Expr, *types.Var)) {
	seen := map[*types.Var]bool{}
	look := func(e ast.Expr) {
		if i, ok := ast.Unparen(e).(*ast.IndexExpr); ok {
			e = i.X
		}
		v, ok := variable(p.pass.TypesInfo, e).(*types.Var)
		if ok && !seen[v] && p.fromOutside(f, e) {
			seen[v] = true
			visit(e, v)
		}
	}
	f.ops(func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE {
				for _, l := range n.Lhs {
					look(l)
				}
			}
		case *ast.IncDecStmt:
			look(n.X)
		}
		return true
	})
}

// fromOutside reports whether e begins with a variable that is not f's own. A receiver is not.
func (p *program) fromOutside(f *fn, e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.SelectorExpr:
		return p.fromOutside(f, e.X)
	case *ast.IndexExpr:
		return p.fromOutside(f, e.X)
	case *ast.StarExpr:
		return p.fromOutside(f, e.X)
	case *ast.Ident:
		v := p.pass.TypesInfo.ObjectOf(e)
		return v != nil && e.Name != "_" && (v.Pos() < f.typ.Params.Pos() || v.Pos() >= f.body.End())
	}
	return false
}

// reader names the function that reads what the job f writes to v, or "".
func (p *program) reader(f *fn, v *types.Var) string {
	if !v.IsField() && v.Parent() != p.pass.Pkg.Scope() { // a local variable of a function around f
		outer := f.outer
		if outer != nil && f.use&awaited == 0 && outer.places&frame != 0 && p.reads(outer, v, f.body.End()) {
			return "the function around it"
		}
		return ""
	}
	for _, r := range p.fns {
		if r.places&again != 0 && r.places&beside == 0 && p.reads(r, v, r.body.Pos()) {
			unasked := true
			for c := r; c.from != nil && unasked; c = c.from {
				unasked = !p.asked(c.from, c.at, v)
			}
			if unasked {
				return r.title()
			}
		}
	}
	return ""
}

// reads reports whether f reads v after a position, without asking anything before.
func (p *program) reads(f *fn, v *types.Var, after token.Pos) (yes bool) {
	set := map[*ast.Ident]bool{}
	f.ops(func(n ast.Node) bool {
		if a, ok := n.(*ast.AssignStmt); ok && (a.Tok == token.ASSIGN || a.Tok == token.DEFINE) {
			for _, l := range a.Lhs {
				switch l := l.(type) {
				case *ast.Ident:
					set[l] = true
				case *ast.SelectorExpr:
					set[l.Sel] = true
				}
			}
		}
		if id, ok := n.(*ast.Ident); ok && !set[id] && id.Pos() > after {
			u, ok := p.pass.TypesInfo.Uses[id].(*types.Var)
			if ok && u.Origin() == v && !p.asked(f, id.Pos(), v) && !p.guards(f.body, after, id.Pos()) {
				yes = true
			}
		}
		return !yes
	})
	return yes
}

// asked reports whether f asks for anything but v before it comes to a position: an if around, or one that leaves.
func (p *program) asked(f *fn, pos token.Pos, v *types.Var) (yes bool) {
	f.ops(func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IfStmt:
			around := n.Body.Pos() <= pos && pos < n.End()
			if around || n.End() < pos && leaves(n.Body) {
				yes = yes || p.asks(n.Cond, v)
			}
		case *ast.CaseClause:
			yes = yes || n.Pos() <= pos && pos < n.End()
		}
		return !yes
	})
	return yes
}

// asks reports whether a condition has a variable of its own, or a call.
func (p *program) asks(cond ast.Expr, v *types.Var) (yes bool) {
	ast.Inspect(cond, func(n ast.Node) bool {
		if e, ok := n.(ast.Expr); ok {
			switch e.(type) {
			case *ast.Ident, *ast.SelectorExpr:
				if u, ok := variable(p.pass.TypesInfo, e).(*types.Var); ok && u == v {
					return false
				} else if ok {
					yes = true
				}
			}
		}
		return !yes
	})
	return yes
}

// guards reports whether anything between two positions of n reports the end of work, or holds a lock.
func (p *program) guards(n ast.Node, from, to token.Pos) (yes bool) {
	names := []string{
		"Lock", "RLock", "Wait", "Await", "Result", "Finished", "Done", "State", "Err", "Join", "Load", "Swap",
		"CompareAndSwap", "TryNext", "TryPop", "Next", "Pop", "AwaitTimeout", "AwaitContext", "WaitUntil",
	}
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			yes = yes || from < n.Pos() && n.Pos() < to && slices.Contains(names, n.Sel.Name)
		case *ast.UnaryExpr:
			yes = yes || n.Op == token.ARROW && from < n.Pos() && n.Pos() < to
		}
		return !yes
	})
	return yes
}
