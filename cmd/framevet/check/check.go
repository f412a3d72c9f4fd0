// Package check has the analyzers of framevet, for an editor or a checker that embeds them.
package check

import (
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/inspector"
)

// Analyzers returns the analyzers. They share one that finds out where functions run.
func Analyzers() []*analysis.Analyzer {
	where := newWhere()
	return []*analysis.Analyzer{
		where, newBlocking(where), newLoops(where), newHostOnly(where), newEscapes(where), newCopies(where),
		newResubmits(where), newHandBack(where), newClosing(where), newPure(where),
	}
}

type cursor = inspector.Cursor

// analyzer returns an analyzer that looks at a program.
func analyzer(where *analysis.Analyzer, name, doc string, run func(*analysis.Pass, *program)) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name: name, Doc: doc, Requires: []*analysis.Analyzer{where},
		Run: func(pass *analysis.Pass) (any, error) {
			run(pass, pass.ResultOf[where].(*program))
			return nil, nil
		},
	}
}
