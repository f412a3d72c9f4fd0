package check

import (
	"go/ast"
	"go/token"
	"strings"

	"golang.org/x/tools/go/analysis"
)

const (
	okMark    = "//framevet:ok"
	frameMark = "//framevet:frame"
)

// comments notes where findings are silenced.
func (p *program) comments(f *ast.File) {
	for _, g := range f.Comments {
		for _, c := range g.List {
			reason, ok := strings.CutPrefix(c.Text, okMark)
			if !ok {
				continue
			}
			if reason = strings.TrimSpace(reason); reason == "" || strings.HasPrefix(reason, "//") {
				p.pass.Reportf(c.Pos(), "framevet:ok has no reason: write why this is right behind it")
				continue
			}
			at := p.pass.Fset.Position(c.Pos())
			if p.quiet[at.Filename] == nil {
				p.quiet[at.Filename] = map[int]bool{}
			}
			p.quiet[at.Filename][at.Line] = true
		}
	}
}

// silenced reports whether a comment on the line of pos, or on the line above, has a reason for what is there.
func (p *program) silenced(pos token.Pos) bool {
	at := p.pass.Fset.Position(pos)
	return p.quiet[at.Filename][at.Line] || p.quiet[at.Filename][at.Line-1]
}

// report reports a finding of another analyzer's pass.
func (p *program) report(pass *analysis.Pass, pos token.Pos, format string, args ...any) {
	if !p.silenced(pos) {
		pass.Reportf(pos, format, args...)
	}
}

// marked reports whether a comment says that only the frame goroutine may use what follows.
func marked(docs ...*ast.CommentGroup) bool {
	for _, d := range docs {
		if d != nil {
			for _, c := range d.List {
				if strings.HasPrefix(c.Text, frameMark) {
					return true
				}
			}
		}
	}
	return false
}
