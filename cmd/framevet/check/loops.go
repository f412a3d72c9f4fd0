package check

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
)

// newLoops returns the analyzer that finds long loops in coroutines, which share the frame only where they yield.
func newLoops(where *analysis.Analyzer) *analysis.Analyzer {
	return analyzer(where, "frameyields", "finds long loops in coroutines that do not yield",
		func(pass *analysis.Pass, p *program) {
			for _, f := range p.fns {
				if p.hasCo(f) {
					p.eachLoop(f, func(n ast.Stmt, body *ast.BlockStmt) {
						if why := p.tooLong(f, n, body); why != "" {
							p.report(pass, n.Pos(),
								"a loop in a coroutine %s and does not yield: call co.Yield in it, or "+
									"co.NextFrame", why)
						}
					})
				}
			}
		})
}

// hasCo reports whether f is a coroutine, or a part of one that is given its Co.
func (p *program) hasCo(f *fn) bool {
	return slices.ContainsFunc(f.typ.Params.List, func(a *ast.Field) bool {
		return is(p.pass.TypesInfo.TypeOf(a.Type), "scheduler.Co")
	})
}

// eachLoop calls visit for the outermost loops of f that do not yield.
func (p *program) eachLoop(f *fn, visit func(ast.Stmt, *ast.BlockStmt)) {
	f.ops(func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ForStmt:
			if !p.yields(n) {
				visit(n, n.Body)
				return false
			}
		case *ast.RangeStmt:
			if !p.yields(n) {
				visit(n, n.Body)
				return false
			}
		}
		return true
	})
}

// tooLong says why a loop is too long for a frame, or "".
func (p *program) tooLong(f *fn, n ast.Stmt, body *ast.BlockStmt) string {
	if loop, ok := n.(*ast.ForStmt); ok {
		if loop.Cond == nil && !leaves(body) {
			return "never ends"
		}
		if loop.Cond != nil && loop.Init == nil && loop.Post == nil && idles(body) {
			return "waits for its condition"
		}
	}
	if p.depth(f, n) >= 2 {
		return "has loops of unknown length within"
	}
	return ""
}

// yields reports whether a loop has a call with a Co, or asks a ShouldYield.
func (p *program) yields(loop ast.Stmt) (yes bool) {
	ast.Inspect(loop, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.Ident:
			v, ok := p.pass.TypesInfo.Uses[n].(*types.Var)
			yes = yes || ok && is(v.Type(), "scheduler.Co")
		case *ast.SelectorExpr:
			yes = yes || n.Sel.Name == "ShouldYield"
		}
		return !yes
	})
	return yes
}

// leaves reports whether the body of a loop can leave the loop.
func leaves(body *ast.BlockStmt) (yes bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			yes = true
		case *ast.BranchStmt:
			yes = yes || n.Tok == token.BREAK || n.Tok == token.GOTO
		case *ast.CallExpr:
			if id, ok := n.Fun.(*ast.Ident); ok && id.Name == "panic" {
				yes = true
			}
		}
		return !yes
	})
	return yes
}

// idles reports whether the body of a loop has nothing but calls of runtime.Gosched.
func idles(body *ast.BlockStmt) bool {
	return !slices.ContainsFunc(body.List, func(s ast.Stmt) bool {
		e, ok := s.(*ast.ExprStmt)
		if !ok {
			return true
		}
		c, ok := e.X.(*ast.CallExpr)
		if !ok {
			return true
		}
		sel, ok := c.Fun.(*ast.SelectorExpr)
		return !ok || sel.Sel.Name != "Gosched"
	})
}

// long is how many rounds are no longer few.
const long = 1_000_000

// depth returns how deep loops of unknown length are nested in n, a statement of f, with those of the functions that n
// calls: at most 2.
func (p *program) depth(f *fn, n ast.Node) int {
	deepest := 0
	ast.Inspect(n, func(m ast.Node) bool {
		if m == n && m != ast.Node(f.body) { // the loop itself
			return true
		}
		switch m := m.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ForStmt, *ast.RangeStmt:
			deepest = max(deepest, p.depth(f, m))
			return false
		case *ast.CallExpr:
			deepest = max(deepest, p.depthOfCall(f, m))
		}
		return true
	})
	return min(deepest+p.rounds(n), 2)
}

func (p *program) depthOfCall(f *fn, e *ast.CallExpr) int {
	i := slices.IndexFunc(f.calls, func(c call) bool { return c.CallExpr == e })
	if i < 0 || f.calls[i].spawn {
		return 0
	}
	deepest := 0
	in, _ := p.targets(e.Fun)
	for _, t := range in {
		deepest = max(deepest, t.about.Depth)
	}
	if g := f.calls[i].f; g != nil {
		switch name(g) {
		case "image.Decode", "image/png.Decode", "image/jpeg.Decode", "image/gif.Decode", "encoding/json.Unmarshal",
			"encoding/json.Marshal", "encoding/gob.Decoder.Decode", "io.ReadAll", "image/png.Encode":
			return 1
		}
		deepest = max(deepest, p.foreign(g).Depth)
	}
	return deepest
}

// rounds returns how much deeper a statement is than what is in it: 0 for one of few rounds, 1 for one of unknown
// many, 2 for one of very many.
func (p *program) rounds(n ast.Node) int {
	info := p.pass.TypesInfo
	size := func(e ast.Expr) int {
		v := info.Types[e].Value
		if v == nil {
			return 1
		}
		if many, _ := constant.Float64Val(constant.ToFloat(v)); many >= long {
			return 2
		}
		return 0
	}
	switch n := n.(type) {
	case *ast.RangeStmt:
		t := info.TypeOf(n.X).Underlying()
		if ptr, ok := t.(*types.Pointer); ok {
			t = ptr.Elem().Underlying()
		}
		if _, ok := t.(*types.Array); ok {
			return 0
		}
		return size(n.X)
	case *ast.ForStmt:
		begin, counts := n.Init.(*ast.AssignStmt)
		c, compares := n.Cond.(*ast.BinaryExpr)
		if compares && counts && len(begin.Rhs) == 1 && info.Types[begin.Rhs[0]].Value != nil {
			return min(size(c.X), size(c.Y))
		}
		return 1
	}
	return 0
}
