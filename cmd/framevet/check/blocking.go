package check

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// newBlocking returns the analyzer that finds what the frame goroutine waits for. A frame that waits is late.
func newBlocking(where *analysis.Analyzer) *analysis.Analyzer {
	return analyzer(where, "frameblocks", "finds waits on the frame goroutine", func(pass *analysis.Pass, p *program) {
		held := p.heldLocks()
		for _, f := range p.fns {
			if f.places&frame == 0 {
				continue
			}
			if strings.HasSuffix(pass.Fset.Position(f.body.Pos()).Filename, "_test.go") {
				continue // a test waits on purpose
			}
			for _, w := range append(p.waits(f), p.lockWaits(f, held)...) {
				p.report(pass, w.pos, "%s on the frame goroutine (%s), so the frame waits: %s",
					w.what, f.chain(), p.cure(w.kind))
			}
		}
	})
}

// A wait is a place at which a function may block.
type wait struct {
	pos  token.Pos
	what string
	kind kind
	root string // what it leads to in another package, or ""
}

// A kind says what helps against a wait.
type kind uint8

const (
	none    kind = iota
	sleep        // for time to pass
	channel      // for another goroutine
	given        // for another goroutine, by a channel that the caller made, and knows
	result       // for work that was begun
	outside      // for the system
	lock
)

// cure says what to write instead of a wait.
func (p *program) cure(k kind) string {
	loop := p.uses(library) || p.uses(library+"/frame") || p.uses(library+"/scheduler")
	switch {
	case k == sleep && loop:
		return "call co.Sleep in a coroutine, or loop.After"
	case k == sleep:
		return "keep the time in the game, and compare it in each Update"
	case k == channel, k == given:
		return "give the select a default, or let the other goroutine post its result"
	case k == lock:
		return "release the lock before that wait, or hand over a copy"
	case k == result && loop:
		return "call Await or co.Wait in a coroutine, or ask in each frame whether it has ended"
	case k == outside && loop:
		return "call frameslice.IO in a coroutine, or SubmitIO"
	}
	return "do it in a goroutine, and take its result with select and default in Update"
}

// uses reports whether the package imports the one with that path.
func (p *program) uses(path string) bool {
	for _, i := range p.pass.Pkg.Imports() {
		if i.Path() == path {
			return true
		}
	}
	return false
}

// kindOf is the table of functions that wait. Files count as outside, except those that are open: nearly all of these
// are logs, or in memory.
func kindOf(fun string) kind {
	switch fun {
	case "time.Sleep":
		return sleep
	case "sync.WaitGroup.Wait", "sync.Cond.Wait", "golang.org/x/sync/errgroup.Group.Wait",
		"golang.org/x/sync/semaphore.Weighted.Acquire", "os.Process.Wait",
		"workers.Future.Wait", "workers.Job.Wait", "workers.Group.Wait", "workers.Queue.Push",
		"workers.Queue.Pop", "workers.Pool.Close", "workers/par.Stream.Next", "workers/par.Stream.Submit",
		"scheduler/flow.Bound.PostWait":
		return result
	case "os.ReadFile", "os.WriteFile", "os.Open", "os.Create", "os.OpenFile", "os.CreateTemp", "os.ReadDir",
		"os.MkdirAll", "os.RemoveAll", "os.File.Read", "os.File.ReadAt", "os.File.Sync", "os.File.ReadDir",
		"path/filepath.Walk", "path/filepath.WalkDir", "path/filepath.Glob", "io/ioutil.ReadFile",
		"io/ioutil.WriteFile", "io/ioutil.ReadDir", "fmt.Scan", "fmt.Scanln", "fmt.Scanf",
		"os/exec.Cmd.Run", "os/exec.Cmd.Output", "os/exec.Cmd.CombinedOutput", "os/exec.Cmd.Wait",
		"net/http.Get", "net/http.Post", "net/http.Head", "net/http.PostForm", "net/http.Client.Do",
		"net/http.Client.Get", "net/http.Client.Post", "net/http.Client.Head", "net/http.Client.PostForm",
		"net/http.ListenAndServe", "net/http.Serve", "net/http.Server.Serve", "net/http.Server.ListenAndServe",
		"net/http.Server.Shutdown", "net/rpc.Dial", "net/rpc.Client.Call", "crypto/tls.Dial", "net/smtp.SendMail",
		"github.com/hajimehoshi/ebiten/v2/ebitenutil.NewImageFromURL",
		"github.com/hajimehoshi/ebiten/v2/ebitenutil.NewImageFromFile",
		"github.com/hajimehoshi/ebiten/v2/ebitenutil.OpenFile":
		return outside
	}
	pack, method, ok := strings.Cut(fun, ".")
	if !ok {
		return none
	}
	method = method[strings.LastIndexByte(method, '.')+1:]
	begins := func(prefixes ...string) bool {
		for _, s := range prefixes {
			if strings.HasPrefix(method, s) {
				return true
			}
		}
		return false
	}
	if pack == "net" && begins("Dial", "Lookup", "Listen", "Accept", "Read", "Write") ||
		pack == "database/sql" && begins("Exec", "Query", "Ping", "Prepare", "Begin", "Commit", "Rollback") {
		return outside
	}
	return none
}

// waits returns where the statements of f wait, functions of other packages of the module included.
func (p *program) waits(f *fn) (found []wait) {
	info := p.pass.TypesInfo
	add := func(pos token.Pos, what string, k kind) { found = append(found, wait{pos, what, k, ""}) }
	var visit func(ast.Node) bool
	visit = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			for _, a := range n.Call.Args {
				ast.Inspect(a, visit)
			}
			return false
		case *ast.FuncLit:
			return false
		case *ast.IfStmt:
			if asksLength(info, n.Cond) {
				return false
			}
		case *ast.SelectStmt:
			blocks := true
			for _, c := range n.Body.List {
				c := c.(*ast.CommClause)
				blocks = blocks && c.Comm != nil
				for _, s := range c.Body {
					ast.Inspect(s, visit)
				}
			}
			if blocks {
				add(n.Pos(), "a select without default", channel)
			}
			return false
		case *ast.SendStmt:
			k := channel
			if _, param := p.param[variable(info, n.Chan)]; param {
				k = given
			}
			if !p.roomy(n.Chan) {
				add(n.Arrow, "a send to a channel", k)
			}
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				add(n.Pos(), "a receive from a channel", channel)
			}
		case *ast.RangeStmt:
			if _, ok := info.TypeOf(n.X).Underlying().(*types.Chan); ok {
				add(n.Pos(), "a range over a channel", channel)
			}
		}
		return true
	}
	ast.Inspect(f.body, visit)
	for _, c := range f.calls {
		if c.f == nil || c.spawn {
			continue
		}
		if k := kindOf(name(c.f)); k != none {
			add(c.Pos(), plain(c.f), k)
		} else if a := p.foreign(c.f); a.Blocks != "" {
			found = append(found, wait{c.Pos(), plain(c.f) + ", which leads to " + a.Blocks + ",", outside, a.Blocks})
		}
	}
	return found
}

// plain names a function as a caller writes it.
func plain(f *types.Func) string {
	if recv := f.Signature().Recv(); recv != nil {
		if n := named(recv.Type()); n != nil {
			return n.Obj().Name() + "." + f.Name()
		}
		return f.Name()
	}
	return f.Pkg().Name() + "." + f.Name()
}

// asksLength reports whether a condition asks how full a channel is: then its user knows.
func asksLength(info *types.Info, cond ast.Expr) (asks bool) {
	ast.Inspect(cond, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok && len(c.Args) == 1 {
			if id, ok := c.Fun.(*ast.Ident); ok && id.Name == "len" {
				_, isChan := info.TypeOf(c.Args[0]).Underlying().(*types.Chan)
				asks = asks || isChan
			}
		}
		return true
	})
	return asks
}

// roomy reports whether a channel is made in this package with room, so that a send to it rarely waits. A parameter has
// room if all calls in this package give it a channel with room. Before are the parameters that led to ch.
func (p *program) roomy(ch ast.Expr, before ...types.Object) bool {
	if c, ok := made(ch); ok {
		return p.room(c)
	}
	want, all, some := variable(p.pass.TypesInfo, ch), true, false
	if want == nil {
		return false
	}
	have := func(room bool) { all, some = all && room, true }
	p.makes(func(v types.Object, m *ast.CallExpr) {
		if v == want {
			have(p.room(m))
		}
	})
	param, ok := p.param[want]
	if ok && slices.Contains(before, want) {
		return true // the call that led there decides
	}
	if ok {
		for _, f := range p.fns {
			for _, c := range f.calls {
				if in, _ := p.targets(c.Fun); slices.Contains(in, param.fn) && param.n < len(c.Args) {
					have(p.roomy(c.Args[param.n], append(before, want)...))
				}
			}
		}
	}
	return some && all
}

// room reports whether a made channel has room.
func (p *program) room(m *ast.CallExpr) bool {
	if len(m.Args) < 2 {
		return false
	}
	n := p.pass.TypesInfo.Types[m.Args[1]].Value
	return n == nil || constant.Sign(n) != 0
}

// made returns e if it is a call of make.
func made(e ast.Expr) (*ast.CallExpr, bool) {
	c, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return nil, false
	}
	id, ok := c.Fun.(*ast.Ident)
	return c, ok && id.Name == "make"
}

// makes calls visit for each variable or field that is set to a made channel.
func (p *program) makes(visit func(types.Object, *ast.CallExpr)) {
	info := p.pass.TypesInfo
	to := func(l, r ast.Expr) {
		if c, ok := made(r); ok {
			visit(variable(info, l), c)
		}
	}
	p.each(func(n ast.Node, _ cursor) {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i := range n.Rhs {
				if len(n.Lhs) == len(n.Rhs) {
					to(n.Lhs[i], n.Rhs[i])
				}
			}
		case *ast.ValueSpec:
			for i := range n.Values {
				to(n.Names[i], n.Values[i])
			}
		case *ast.KeyValueExpr:
			if k, ok := n.Key.(*ast.Ident); ok {
				to(k, n.Value)
			}
		}
	}, (*ast.AssignStmt)(nil), (*ast.ValueSpec)(nil), (*ast.KeyValueExpr)(nil))
}

// variable returns the variable or field that e names, or nil.
func variable(info *types.Info, e ast.Expr) types.Object {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		if v, ok := info.ObjectOf(e).(*types.Var); ok {
			return v.Origin()
		}
	case *ast.SelectorExpr:
		return variable(info, e.Sel)
	case *ast.StarExpr:
		return variable(info, e.X)
	case *ast.UnaryExpr:
		if e.Op == token.AND {
			return variable(info, e.X)
		}
	}
	return nil
}
