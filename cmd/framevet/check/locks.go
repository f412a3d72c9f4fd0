package check

import (
	"go/ast"
	"go/token"
	"go/types"
)

// heldLocks returns the locks that a job or a goroutine of this package holds while it waits, and for what it waits.
func (p *program) heldLocks() map[types.Object]string {
	held := map[types.Object]string{}
	for _, f := range p.fns {
		if f.places&(beside|elsewhere) == 0 {
			continue
		}
		waits := p.waits(f)
		for _, c := range f.calls {
			if in, _ := p.targets(c.Fun); len(in) > 0 && in[0].about.Blocks != "" && !c.spawn {
				waits = append(waits, wait{c.Pos(), in[0].about.Blocks, none, ""})
			}
		}
		for mu, spans := range p.locked(f) {
			for _, s := range spans {
				for _, w := range waits {
					if s.from < w.pos && w.pos < s.to && held[mu] == "" {
						held[mu] = w.what
					}
				}
			}
		}
	}
	return held
}

// A span is the text between a Lock and its Unlock.
type span struct{ from, to token.Pos }

// locked returns where f holds which locks. A deferred Unlock comes at the end.
func (p *program) locked(f *fn) map[types.Object][]span {
	spans := map[types.Object][]span{}
	for _, c := range f.calls {
		mu, verb := p.mutex(c)
		if verb == "Lock" || verb == "RLock" {
			spans[mu] = append(spans[mu], span{c.Pos(), f.body.End()})
		}
	}
	deferred := map[*ast.CallExpr]bool{}
	f.ops(func(n ast.Node) bool {
		if d, ok := n.(*ast.DeferStmt); ok {
			deferred[d.Call] = true
		}
		return true
	})
	for _, c := range f.calls {
		if mu, verb := p.mutex(c); (verb == "Unlock" || verb == "RUnlock") && !deferred[c.CallExpr] {
			for i := range spans[mu] {
				if s := &spans[mu][i]; s.from < c.Pos() && c.Pos() < s.to {
					s.to = c.Pos()
				}
			}
		}
	}
	return spans
}

// mutex returns the lock of a call, and the name of the method.
func (p *program) mutex(c call) (types.Object, string) {
	if c.f == nil || c.f.Pkg() == nil || c.f.Pkg().Path() != "sync" {
		return nil, ""
	}
	if sel, ok := c.Fun.(*ast.SelectorExpr); ok {
		if mu := variable(p.pass.TypesInfo, sel.X); mu != nil {
			return mu, c.f.Name()
		}
	}
	return nil, ""
}

// lockWaits returns where f waits for a lock that others hold for long.
func (p *program) lockWaits(f *fn, held map[types.Object]string) (found []wait) {
	for _, c := range f.calls {
		if mu, verb := p.mutex(c); (verb == "Lock" || verb == "RLock") && held[mu] != "" {
			found = append(found, wait{c.Pos(), "a lock that another goroutine holds over " + held[mu], lock, ""})
		}
	}
	return found
}
