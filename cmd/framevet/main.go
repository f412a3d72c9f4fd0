// Framevet finds work that a frame must not wait for. It knows which functions run on the frame goroutine of a game,
// and which run on workers. It is a tool for go vet, and a program by itself:
//
//	go vet -vettool=$(which framevet) ./...
//	framevet ./...
//
// It needs no frameslice in the game: Update and Draw of a plain Ebitengine game run on the frame goroutine, too.
// A comment on the line of a finding, or on the line above, silences it:
//
//	time.Sleep(d) //framevet:ok the game has ended
package main

import (
	"golang.org/x/tools/go/analysis/multichecker"

	"github.com/frameslice/frameslice/cmd/framevet/check"
)

func main() { multichecker.Main(check.Analyzers()...) }
