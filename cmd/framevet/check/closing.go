package check

import (
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// newClosing returns the analyzer that finds loops that nobody closes, and tasks that close their loop.
func newClosing(where *analysis.Analyzer) *analysis.Analyzer {
	return analyzer(where, "frameclose", "finds loops that nobody closes, and tasks that close their loop",
		func(pass *analysis.Pass, p *program) {
			p.closedInTask(pass)
			p.unclosed(pass)
		})
}

func (p *program) closedInTask(pass *analysis.Pass) {
	for _, f := range p.fns {
		if f.places&(task|job) == 0 {
			continue
		}
		for _, c := range f.calls {
			if c.f != nil && !c.spawn && name(c.f) == "frame.Loop.Close" {
				p.report(pass, c.Pos(),
					"a task or a job closes its loop, where Close returns before anything has ended: call Stop, and "+
						"Close where the frames end")
			}
		}
	}
}

// unclosed reports a New whose loop stays in this package, if no statement closes it.
func (p *program) unclosed(pass *analysis.Pass) {
	var made []*ast.CallExpr
	in := map[*ast.CallExpr]types.Object{} // the variables that get them
	info := p.pass.TypesInfo
	uses := map[types.Object]*loopUse{}
	all := loopUse{}
	p.each(func(n ast.Node, at cursor) {
		switch n := n.(type) {
		case *ast.CallExpr:
			if id := called(n); id != nil {
				f, ok := info.Uses[id].(*types.Func)
				if ok && (name(f) == "frameslice.New" || name(f) == "frameslice.NewWith" || name(f) == "frame.New") {
					made = append(made, n)
					in[n] = assignedTo(info, n, at)
				}
			}
		case *ast.Ident:
			if v, ok := info.Uses[n].(*types.Var); ok && is(v.Type(), "frame.Loop") {
				u := p.loopUse(at)
				all.add(u)
				if uses[v] == nil {
					uses[v] = new(loopUse)
				}
				uses[v].add(u)
			}
		}
	}, (*ast.CallExpr)(nil), (*ast.Ident)(nil))
	for _, n := range made {
		v := in[n]
		switch u := uses[v]; {
		case v == nil && (p.pass.Pkg.Name() != "main" || all.closed || all.away):
			continue
		case u != nil && (u.closed || u.away):
			continue
		case u != nil && u.moved && (p.pass.Pkg.Name() != "main" || all.closed || all.away):
			continue
		}
		p.report(pass, n.Pos(), "nobody closes this loop, so its workers stay: defer its Close where the frames end")
	}
}

// called returns the name of the function of a call, without its type arguments.
func called(c *ast.CallExpr) *ast.Ident {
	switch f := ast.Unparen(c.Fun).(type) {
	case *ast.Ident:
		return f
	case *ast.SelectorExpr:
		return f.Sel
	}
	return nil
}

// assignedTo returns the local variable that a call's result goes to, or nil.
func assignedTo(info *types.Info, c *ast.CallExpr, at cursor) types.Object {
	switch s := at.Parent().Node().(type) {
	case *ast.AssignStmt:
		for i, r := range s.Rhs {
			if id, ok := s.Lhs[min(i, len(s.Lhs)-1)].(*ast.Ident); ok && r == c {
				return info.ObjectOf(id)
			}
		}
	case *ast.ValueSpec:
		return info.ObjectOf(s.Names[0])
	}
	return nil
}

// A loopUse says what becomes of a loop.
type loopUse struct {
	closed bool
	moved  bool // to another variable of this package
	away   bool // to where this package does not see it
}

func (u *loopUse) add(v loopUse) {
	u.closed, u.moved, u.away = u.closed || v.closed, u.moved || v.moved, u.away || v.away
}

// loopUse returns what an identifier of a loop is used for.
func (p *program) loopUse(at cursor) loopUse {
	parent := at.Parent()
	if sel, ok := parent.Node().(*ast.SelectorExpr); ok {
		if sel.Sel != at.Node() { // loop.Method
			return loopUse{closed: sel.Sel.Name == "Close"}
		}
		return p.loopUse(parent) // g.loop
	}
	switch n := parent.Node().(type) {
	case *ast.CallExpr:
		if f := called(n); f != nil {
			fun, ok := p.pass.TypesInfo.Uses[f].(*types.Func)
			switch {
			case !ok || fun.Pkg() == nil:
				return loopUse{away: true}
			case name(fun) == "frame/ebitenhost.Run":
				return loopUse{closed: true}
			case strings.HasPrefix(fun.Pkg().Path(), library):
				return loopUse{}
			case fun.Pkg() == p.pass.Pkg:
				return loopUse{moved: true}
			}
		}
		return loopUse{away: true}
	case *ast.ReturnStmt:
		return loopUse{away: true}
	case *ast.AssignStmt, *ast.KeyValueExpr, *ast.ValueSpec, *ast.CompositeLit:
		return loopUse{moved: true}
	case *ast.IndexExpr: // an instance of a generic function
		return loopUse{}
	}
	return loopUse{}
}
