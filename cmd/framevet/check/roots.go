package check

import (
	"go/ast"
	"go/token"
	"go/types"
)

// roots gives a place to the functions at which the frame goroutine and the workers begin.
func (p *program) roots() {
	for _, f := range p.fns { // a Co is the frame goroutine's, a Worker its pool's
		for _, field := range f.typ.Params.List {
			switch t := p.pass.TypesInfo.TypeOf(field.Type); {
			case is(t, "scheduler.Co"):
				p.put(f, asCo, nil, token.NoPos)
			case is(t, "workers.Worker"):
				p.put(f, job, nil, token.NoPos)
			}
		}
		for _, c := range f.calls { // a game that is wrapped
			if c.f != nil && len(c.Args) > 0 {
				switch name(c.f) {
				case "frame.Wrap", "frame/ebitenhost.Wrap", "frame/ebitenhost.Run":
					p.game(p.pass.TypesInfo.TypeOf(c.Args[0]))
				}
			}
		}
	}
	scope := p.pass.Pkg.Scope()
	for _, n := range scope.Names() {
		if t, ok := scope.Lookup(n).(*types.TypeName); ok && !t.IsAlias() && isGame(t.Type()) {
			p.game(t.Type())
		}
	}
	info := p.pass.TypesInfo
	field := func(sel *ast.Ident, owner types.Type, e ast.Expr) {
		if n := named(owner); n != nil {
			in, _ := p.targets(e)
			for _, f := range in {
				where := placeOfField(typeName(n) + "." + sel.Name)
				f.use |= where
				p.put(f, where, nil, token.NoPos)
			}
		}
	}
	p.each(func(n ast.Node, _ cursor) {
		switch n := n.(type) {
		case *ast.CompositeLit:
			for _, e := range n.Elts {
				if kv, ok := e.(*ast.KeyValueExpr); ok {
					if key, ok := kv.Key.(*ast.Ident); ok {
						field(key, info.TypeOf(n), kv.Value)
					}
				}
			}
		case *ast.AssignStmt:
			for i, l := range n.Lhs {
				if sel, ok := l.(*ast.SelectorExpr); ok && len(n.Lhs) == len(n.Rhs) {
					field(sel.Sel, p.owner(sel), n.Rhs[i])
				}
			}
		}
	}, (*ast.CompositeLit)(nil), (*ast.AssignStmt)(nil))
}

// owner returns the type that declares the field of sel, also through embedded ones.
func (p *program) owner(sel *ast.SelectorExpr) types.Type {
	s := p.pass.TypesInfo.Selections[sel]
	if s == nil {
		return types.Typ[types.Invalid]
	}
	t := s.Recv()
	for _, i := range s.Index()[:len(s.Index())-1] {
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		t = t.Underlying().(*types.Struct).Field(i).Type()
	}
	return t
}

// isGame reports whether t has the methods of ebiten.Game.
func isGame(t types.Type) bool {
	methods := types.NewMethodSet(types.NewPointer(t))
	signature := func(name string) *types.Signature {
		if m := methods.Lookup(nil, name); m != nil {
			return m.Obj().(*types.Func).Signature()
		}
		return nil
	}
	update, draw := signature("Update"), signature("Draw")
	return update != nil && update.Params().Len() == 0 && update.Results().Len() == 1 &&
		draw != nil && draw.Params().Len() == 1 && isImage(draw.Params().At(0).Type()) &&
		(signature("Layout") != nil || signature("LayoutF") != nil)
}

// game gives a place to the methods that a host calls.
func (p *program) game(t types.Type) {
	methods := types.NewMethodSet(t)
	if _, ok := t.Underlying().(*types.Pointer); !ok {
		methods = types.NewMethodSet(types.NewPointer(t))
	}
	for _, name := range []string{"Update", "Draw", "Layout", "LayoutF", "DrawFinalScreen"} {
		if m := methods.Lookup(nil, name); m != nil {
			if f := p.decl[m.Obj().(*types.Func).Origin()]; f != nil {
				p.put(f, asUpdate, nil, token.NoPos)
				f.start = name
			}
		}
	}
}
