package check

import (
	"go/ast"
	"go/types"
	"maps"

	"golang.org/x/tools/go/analysis"
)

// newResubmits returns the analyzer that finds a Task or a Job that is submitted again with nothing in between that
// waits for its end, or asks.
func newResubmits(where *analysis.Analyzer) *analysis.Analyzer {
	return analyzer(where, "frameresubmits", "finds a Task or a Job that is submitted again before its end",
		func(pass *analysis.Pass, p *program) {
			for _, f := range p.fns {
				w := walk{p: p, pass: pass, f: f, queued: map[types.Object]bool{}}
				w.block(f.body.List)
				if f.places&again != 0 && f.from == nil { // the next frame begins at the top
					w.next = true
					w.block(f.body.List)
				}
			}
		})
}

// A walk goes through a function once, with what may be queued at each statement.
type walk struct {
	p      *program
	pass   *analysis.Pass
	f      *fn
	queued map[types.Object]bool // the tasks and jobs that were submitted and not waited for, by variable or field
	next   bool                  // a second round
}

func (w *walk) block(list []ast.Stmt) {
	for _, s := range list {
		w.stmt(s)
	}
}

func (w *walk) stmt(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.BlockStmt:
		w.block(s.List)
	case *ast.LabeledStmt:
		w.stmt(s.Stmt)
	case *ast.IfStmt:
		w.expr(s.Init)
		w.expr(s.Cond)
		w.branches(s.Body, s.Else)
	case *ast.ForStmt:
		w.expr(s.Init)
		w.loop(s, s.Cond, s.Body)
	case *ast.RangeStmt:
		w.expr(s.X)
		w.loop(s, nil, s.Body)
	case *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
		for v := range w.queued { // a case may ask
			if mentions(w.p, s, v) {
				delete(w.queued, v)
			}
		}
	default:
		w.expr(s)
	}
}

// branches goes through both, and keeps what both leave queued.
func (w *walk) branches(then *ast.BlockStmt, other ast.Stmt) {
	before := maps.Clone(w.queued)
	w.block(then.List)
	first := w.queued
	w.queued = before
	if other != nil {
		w.stmt(other)
	}
	maps.DeleteFunc(w.queued, func(v types.Object, _ bool) bool { return !first[v] })
}

// loop goes through the body twice: what is declared within is new in each round.
func (w *walk) loop(all ast.Stmt, cond ast.Expr, body *ast.BlockStmt) {
	w.expr(cond)
	w.block(body.List)
	maps.DeleteFunc(w.queued, func(v types.Object, _ bool) bool {
		return all.Pos() <= v.Pos() && v.Pos() < all.End()
	})
	if leaves(body) {
		return
	}
	w.expr(cond)
	w.block(body.List)
}

// expr looks at what n submits, and at what it asks of others.
func (w *walk) expr(n ast.Node) {
	if n == nil {
		return
	}
	for v := range w.queued {
		if mentions(w.p, n, v) && w.submits(n) != v {
			delete(w.queued, v)
		}
	}
	v := w.submits(n)
	if v == nil {
		return
	}
	if w.queued[v] && (!w.next || !w.waited(v)) {
		w.p.report(w.pass, n.Pos(), "%s is submitted again, though nothing has waited for its end: wait for it, ask "+
			"whether it has ended, or submit another", v.Name())
	}
	w.queued[v] = true
}

// submits returns the Task or Job that a statement submits, or nil. A task may submit itself.
func (w *walk) submits(n ast.Node) types.Object {
	e, ok := n.(*ast.ExprStmt)
	if !ok {
		return nil
	}
	c, ok := e.X.(*ast.CallExpr)
	if !ok {
		return nil
	}
	for _, k := range w.f.calls {
		if k.CallExpr == c && k.f != nil {
			switch name(k.f) {
			case "scheduler.Scheduler.Submit", "workers.Pool.Submit", "workers.Worker.Submit", "workers.Worker.Fork":
				if v := variable(w.p.pass.TypesInfo, c.Args[0]); v != nil && !varies(w.p, c.Args[0]) {
					return v
				}
			}
		}
	}
	return nil
}

// varies reports whether e is a part of something that is another one in each round, such as s.job of a loop's s.
func varies(p *program, e ast.Expr) bool {
	if u, ok := ast.Unparen(e).(*ast.UnaryExpr); ok {
		e = u.X
	}
	sel, ok := ast.Unparen(e).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	base, ok := ast.Unparen(sel.X).(*ast.Ident)
	if !ok {
		return true
	}
	_, isParam := p.param[p.pass.TypesInfo.ObjectOf(base)]
	v := p.pass.TypesInfo.ObjectOf(base)
	return !isParam && v != nil && v.Parent() != p.pass.Pkg.Scope() && !p.receiver(v)
}

// receiver reports whether v is the receiver of a method.
func (p *program) receiver(v types.Object) bool {
	for f := range p.decl {
		if f.Signature().Recv() == v {
			return true
		}
	}
	return false
}

// waited reports whether anything in the package but Submit uses v, beside its fields.
func (w *walk) waited(v types.Object) (yes bool) {
	w.p.each(func(n ast.Node, _ cursor) {
		sel := n.(*ast.SelectorExpr)
		if variable(w.p.pass.TypesInfo, sel.X) == v {
			_, method := w.p.pass.TypesInfo.ObjectOf(sel.Sel).(*types.Func)
			yes = yes || method
		}
	}, (*ast.SelectorExpr)(nil))
	return yes
}

// mentions reports whether n uses v, but not to set its fields.
func mentions(p *program, n ast.Node, v types.Object) (yes bool) {
	ast.Inspect(n, func(m ast.Node) bool {
		if a, ok := m.(*ast.AssignStmt); ok {
			for _, l := range a.Lhs {
				if sel, ok := l.(*ast.SelectorExpr); !ok || variable(p.pass.TypesInfo, sel.X) != v {
					yes = yes || mentions(p, l, v)
				}
			}
			for _, r := range a.Rhs {
				yes = yes || mentions(p, r, v)
			}
			return false
		}
		if id, ok := m.(*ast.Ident); ok && variable(p.pass.TypesInfo, id) == v {
			yes = true
		}
		return !yes
	})
	return yes
}
