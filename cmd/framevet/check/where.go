package check

import (
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/types/typeutil"
)

// newWhere returns the analyzer that finds out where the functions of a package run. It reports nothing but a
// framevet:ok without a reason.
func newWhere() *analysis.Analyzer {
	return &analysis.Analyzer{
		Name:       "framewhere",
		Doc:        "finds out which functions run on the frame goroutine, and which on workers",
		Requires:   []*analysis.Analyzer{inspect.Analyzer},
		ResultType: reflect.TypeFor[*program](),
		FactTypes:  []analysis.Fact{new(about)},
		Run:        func(pass *analysis.Pass) (any, error) { return where(pass), nil },
	}
}

// about is what a package tells those that import it of one of its functions.
type about struct {
	Blocks string  // what it waits for, or ""
	Image  string  // what it does that only the frame goroutine may do, or ""
	Depth  int     // how deep loops of unknown length are nested in it: 0, 1 or 2
	Params []place // where its parameters run
	Marked bool    // framevet:frame
	Ends   bool    // it ends the program
}

func (*about) AFact() {}

// A fn is a function with a body.
type fn struct {
	obj   *types.Func // nil for a literal
	lit   *ast.FuncLit
	outer *fn // of a literal: the function that it stands in
	typ   *ast.FuncType
	body  *ast.BlockStmt
	calls []call

	places place
	use    place     // of a literal: where it runs, seen from outer
	from   *fn       // which function called it first on the frame goroutine
	at     token.Pos // and where
	given  bool      // to a verb
	start  string
	about  about
}

// A call is a static call.
type call struct {
	*ast.CallExpr
	f     *types.Func // nil for a value
	spawn bool        // by a go statement
}

// A program is what framewhere knows of a package.
type program struct {
	pass    *analysis.Pass
	fns     []*fn
	decl    map[*types.Func]*fn
	lit     map[*ast.FuncLit]*fn
	value   map[types.Object][]ast.Expr // the functions that a local variable gets
	param   map[types.Object]paramOf
	spawned map[*ast.CallExpr]bool  // by a go statement
	quiet   map[string]map[int]bool // lines with framevet:ok
	marks   map[types.Object]bool   // framevet:frame, for hostOnly
}

type paramOf struct {
	fn *fn
	n  int
}

// where computes all about a package. Of the standard library and of foreign modules it says nothing.
func where(pass *analysis.Pass) *program {
	p := &program{
		pass: pass, decl: map[*types.Func]*fn{}, lit: map[*ast.FuncLit]*fn{}, value: map[types.Object][]ast.Expr{},
		param: map[types.Object]paramOf{}, quiet: map[string]map[int]bool{}, spawned: map[*ast.CallExpr]bool{},
	}
	if m := pass.Module; m == nil && !strings.Contains(pass.Pkg.Path(), ".") && pass.Pkg.Name() != "main" ||
		m != nil && m.Version != "" {
		return p
	}
	for _, f := range pass.Files {
		p.comments(f)
		for _, d := range f.Decls {
			p.collect(d, nil)
		}
	}
	p.parameters()
	p.endings()
	p.roots()
	for changed := true; changed; {
		changed = false
		for _, f := range p.fns {
			changed = p.spread(f) || changed
		}
	}
	p.summaries()
	return p
}

// collect notes the functions below n, and their calls.
func (p *program) collect(n ast.Node, in *fn) {
	info := p.pass.TypesInfo
	ast.Inspect(n, func(m ast.Node) bool {
		switch m := m.(type) {
		case *ast.FuncDecl:
			if m.Body == nil {
				return false
			}
			f := &fn{typ: m.Type, body: m.Body}
			f.obj, _ = info.Defs[m.Name].(*types.Func)
			f.about.Marked = marked(m.Doc)
			p.decl[f.obj] = f
			p.add(f)
			return false
		case *ast.FuncLit:
			f := &fn{lit: m, outer: in, typ: m.Type, body: m.Body}
			p.lit[m] = f
			p.add(f)
			return false
		case *ast.GoStmt:
			p.spawned[m.Call] = true
		case *ast.CallExpr:
			if in != nil {
				f, _ := typeutil.Callee(info, m).(*types.Func)
				in.calls = append(in.calls, call{m, f, p.spawned[m]})
			}
		case *ast.AssignStmt:
			for i, l := range m.Lhs {
				if id, ok := l.(*ast.Ident); ok && len(m.Lhs) == len(m.Rhs) {
					p.assigned(info.ObjectOf(id), m.Rhs[i])
				}
			}
		case *ast.ValueSpec:
			for i, id := range m.Names {
				if len(m.Names) == len(m.Values) {
					p.assigned(info.ObjectOf(id), m.Values[i])
				}
			}
		}
		return true
	})
}

func (p *program) add(f *fn) {
	p.fns = append(p.fns, f)
	i := 0
	for _, field := range f.typ.Params.List {
		for _, id := range field.Names {
			p.param[p.pass.TypesInfo.Defs[id]] = paramOf{f, i}
			i++
		}
		if len(field.Names) == 0 {
			i++
		}
	}
	f.about.Params = make([]place, i)
	p.collect(f.body, f)
}

func (p *program) assigned(v types.Object, e ast.Expr) {
	if v == nil || v.Parent() == p.pass.Pkg.Scope() {
		return
	}
	if _, ok := v.Type().Underlying().(*types.Signature); ok {
		p.value[v] = append(p.value[v], e)
	}
}

// targets returns the functions of this package that e may be, and otherwise the function of another package.
func (p *program) targets(e ast.Expr) (in []*fn, out *types.Func) {
	switch e := ast.Unparen(e).(type) {
	case *ast.FuncLit:
		return []*fn{p.lit[e]}, nil
	case *ast.Ident:
		obj := p.pass.TypesInfo.ObjectOf(e)
		for _, v := range p.value[obj] {
			if _, chain := ast.Unparen(v).(*ast.Ident); !chain {
				more, _ := p.targets(v)
				in = append(in, more...)
			}
		}
		if f, ok := obj.(*types.Func); ok {
			return p.known(f)
		}
	case *ast.SelectorExpr:
		if f, ok := p.pass.TypesInfo.ObjectOf(e.Sel).(*types.Func); ok {
			return p.known(f)
		}
	case *ast.IndexExpr:
		return p.targets(e.X)
	case *ast.IndexListExpr:
		return p.targets(e.X)
	}
	return in, nil
}

func (p *program) known(f *types.Func) ([]*fn, *types.Func) {
	if d := p.decl[f.Origin()]; d != nil {
		return []*fn{d}, nil
	}
	return nil, f.Origin()
}

// foreign returns what another package of this module reports of f. What the library does, placesOf tells.
func (p *program) foreign(f *types.Func) (a about) {
	if f != nil && f.Pkg() != nil && f.Pkg() != p.pass.Pkg && !isLibrary(f.Pkg().Path()) {
		p.pass.ImportObjectFact(f.Origin(), &a)
	}
	return a
}

// givenTo returns where the argument n of c runs.
func (p *program) givenTo(c call, n int) place {
	var params []place
	if c.f == nil {
		if in, _ := p.targets(c.Fun); len(in) == 1 {
			params = in[0].about.Params
		}
	} else if params = placesOf(name(c.f)); params != nil {
		k := 0 // among the functions
		for _, a := range c.Args[:n] {
			if _, ok := p.pass.TypesInfo.TypeOf(a).Underlying().(*types.Signature); ok {
				k++
			}
		}
		return params[min(k, len(params)-1)]
	} else if d := p.decl[c.f.Origin()]; d != nil {
		params = d.about.Params
	} else {
		params = p.foreign(c.f).Params
	}
	if len(params) == 0 {
		return 0
	}
	return params[min(n, len(params)-1)]
}

// parameters finds out where the functions run that the functions of this package are given.
func (p *program) parameters() {
	for changed := true; changed; {
		changed = false
		put := func(to *place, add place) {
			if *to|add != *to {
				*to, changed = *to|add, true
			}
		}
		at := func(f *fn, e ast.Expr, where place) { // e, in f, is called at where
			id, ok := ast.Unparen(e).(*ast.Ident)
			if !ok {
				return
			}
			v, ok := p.param[p.pass.TypesInfo.ObjectOf(id)]
			if !ok {
				return
			}
			for ; f != nil && f != v.fn && where&same != 0; f = f.outer {
				where = where&^same | f.use
			}
			put(&v.fn.about.Params[v.n], where)
		}
		for _, f := range p.fns {
			for _, c := range f.calls {
				where := same
				if c.spawn {
					where = elsewhere
				}
				if in, _ := p.targets(c.Fun); len(in) > 0 && in[0].lit != nil {
					put(&in[0].use, where)
				}
				at(f, c.Fun, where)
				for i, a := range c.Args {
					where := p.givenTo(c, i)
					if where == 0 {
						continue
					}
					at(f, a, where)
					in, _ := p.targets(a)
					for _, t := range in {
						put(&t.use, where)
					}
				}
			}
		}
	}
}

// spread takes the places of f to the functions that f calls and passes on.
func (p *program) spread(f *fn) (changed bool) {
	to := func(e ast.Expr, where place, from *fn, at token.Pos) {
		in, _ := p.targets(e)
		for _, t := range in {
			if from != nil && t.about.Ends {
				continue
			}
			t.given = t.given || from == nil && where != 0
			changed = p.put(t, where, from, at) || changed
		}
	}
	for _, c := range f.calls {
		if c.spawn {
			to(c.Fun, elsewhere, nil, c.Pos())
		} else {
			to(c.Fun, f.places, f, c.Pos())
		}
		for i, a := range c.Args {
			if where := p.givenTo(c, i); where&same != 0 {
				to(a, where&^same|f.places, f, c.Pos())
			} else {
				to(a, where, nil, c.Pos())
			}
		}
	}
	return changed
}

// put notes that f runs at where, because from calls it at a position.
func (p *program) put(f *fn, where place, from *fn, at token.Pos) bool {
	if f == nil || f.places|where == f.places {
		return false
	}
	if where&frame != 0 && f.places&frame == 0 && f != from {
		f.from, f.at = from, at
	}
	f.places |= where
	return true
}

// chain says how f comes to run on the frame goroutine.
func (f *fn) chain() string {
	s := f.title()
	for from, n := f.from, 0; from != nil && n < 4; from, n = from.from, n+1 {
		if from.places&frame != 0 && from.lit == nil {
			s = from.title() + " → " + s
		}
	}
	return s
}

// title names f as a programmer would.
func (f *fn) title() string {
	switch {
	case f.start != "":
		return f.start
	case f.obj != nil:
		return f.obj.Name()
	case f.places&coroutine != 0:
		return "this coroutine"
	case f.places&task != 0:
		return "this task"
	}
	return "this function"
}

// ops calls op for each node of f's own, not those of its literals.
func (f *fn) ops(op func(ast.Node) bool) {
	ast.Inspect(f.body, func(n ast.Node) bool {
		if _, lit := n.(*ast.FuncLit); lit {
			return false
		}
		return n == nil || op(n)
	})
}

// each calls visit for all nodes of the package.
func (p *program) each(visit func(ast.Node, inspector.Cursor), kinds ...ast.Node) {
	if len(p.fns) == 0 {
		return
	}
	for c := range p.pass.ResultOf[inspect.Analyzer].(*inspector.Inspector).Root().Preorder(kinds...) {
		visit(c.Node(), c)
	}
}
