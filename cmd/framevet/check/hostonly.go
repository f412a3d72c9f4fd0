package check

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// newHostOnly returns the analyzer that finds jobs, decodes and sources that touch what is the frame goroutine's:
// Ebitengine's images, and what is marked by framevet:frame.
func newHostOnly(where *analysis.Analyzer) *analysis.Analyzer {
	return analyzer(where, "frameonly", "finds jobs that use what only the frame goroutine may use",
		func(pass *analysis.Pass, p *program) {
			for _, f := range p.fns {
				if f.places&beside == 0 || f.places&joined != 0 { // a part of a frame's own work
					continue
				}
				for _, o := range p.hostOnly(f) {
					p.report(pass, o.pos, "%s in a function that runs on a worker: return plain data, such as an "+
						"image.Image, and do this in the commit", o.what)
				}
			}
		})
}

// hostOnly returns where the statements of f touch what is the frame goroutine's.
func (p *program) hostOnly(f *fn) (found []wait) {
	add := func(pos token.Pos, what string) { found = append(found, wait{pos, what, none, ""}) }
	for _, c := range f.calls {
		if c.f == nil || c.spawn || c.f.Pkg() == nil {
			continue
		}
		recv := c.f.Signature().Recv()
		path := c.f.Pkg().Path()
		switch a := p.foreign(c.f); {
		case recv != nil && isImage(recv.Type()) && c.f.Name() != "Bounds",
			strings.HasPrefix(path, "github.com/hajimehoshi/ebiten/v2") && strings.HasPrefix(c.f.Name(), "NewImage"):
			add(c.Pos(), plain(c.f)+" touches an image of Ebitengine")
		case a.Image != "":
			found = append(found, wait{c.Pos(), plain(c.f) + ", in which " + a.Image + ",", none, a.Image})
		case a.Marked || p.decl[c.f.Origin()] != nil && p.decl[c.f.Origin()].about.Marked:
			add(c.Pos(), plain(c.f)+" is marked framevet:frame")
		}
	}
	f.ops(func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if v, ok := p.pass.TypesInfo.Uses[id].(*types.Var); ok && p.isMarked(v) && !p.receiver(v) {
				add(id.Pos(), id.Name+" is marked framevet:frame")
			}
		}
		return true
	})
	return found
}

// isMarked reports whether a variable or field of this package, or its type, is marked.
func (p *program) isMarked(v *types.Var) bool {
	if p.marks == nil {
		p.marks = map[types.Object]bool{}
		p.each(func(n ast.Node, _ cursor) {
			var names []*ast.Ident
			switch n := n.(type) {
			case *ast.GenDecl:
				if !marked(n.Doc) {
					return
				}
				for _, s := range n.Specs {
					switch s := s.(type) {
					case *ast.TypeSpec:
						names = append(names, s.Name)
					case *ast.ValueSpec:
						names = append(names, s.Names...)
					}
				}
			case *ast.TypeSpec:
				if marked(n.Doc, n.Comment) {
					names = []*ast.Ident{n.Name}
				}
			case *ast.ValueSpec:
				if marked(n.Doc, n.Comment) {
					names = n.Names
				}
			case *ast.Field:
				if marked(n.Doc, n.Comment) {
					names = n.Names
				}
			}
			for _, id := range names {
				p.marks[p.pass.TypesInfo.Defs[id]] = true
			}
		}, (*ast.GenDecl)(nil), (*ast.TypeSpec)(nil), (*ast.ValueSpec)(nil), (*ast.Field)(nil))
	}
	n := named(v.Type())
	return p.marks[v.Origin()] || n != nil && p.marks[n.Obj()]
}
