package load

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// A Beside names the other programs that run beside a mode. The comparison starts and ends them.
type Beside string

// The other programs of a comparison.
const (
	None   Beside = "none"   // only those that are there anyway
	One    Beside = "one"    // a process that spins
	Two    Beside = "two"    // two such processes
	Bursts Beside = "bursts" // a process that spins in bursts
	Builds Beside = "builds" // go build of the standard library, again and again
)

const burst, lull = 200 * time.Millisecond, 300 * time.Millisecond

// neighbours has each Beside, how many processes it is, and how a sentence about it begins.
var neighbours = [...]struct {
	name  Beside
	procs int
	says  string
}{
	{None, 0, "Beside no other program"},
	{One, 1, "Beside a program that spins"},
	{Two, 2, "Beside two programs that spin"},
	{Bursts, 1, "Beside a program that spins in bursts"},
	{Builds, 1, "Beside builds of Go's standard library"},
}

func (b Beside) index() int {
	for i := range neighbours {
		if neighbours[i].name == b {
			return i
		}
	}
	return 0
}

// ParseBeside reads a comma-separated list of at least one name, each named once.
func ParseBeside(list string) ([]Beside, error) {
	return parseList(list, func(s string) (Beside, error) {
		var names []string
		for _, n := range neighbours {
			if string(n.name) == s {
				return n.name, nil
			}
			names = append(names, string(n.name))
		}
		return "", fmt.Errorf("unknown programs %q; there are %s", s, strings.Join(names, ", "))
	})
}

// beside returns the programs that run beside the modes, as WithDefaults would.
func (c Config) beside() []Beside {
	if len(c.Beside) == 0 {
		return []Beside{None}
	}
	return c.Beside
}

// check says why the programs cannot be run here.
func (b Beside) check() error {
	if b == Builds {
		if _, err := exec.LookPath("go"); err != nil {
			return fmt.Errorf("-beside %s needs the go command: %w", b, err)
		}
	}
	return nil
}

// besideArg is the first argument of a process that this program starts of itself. The second is a Beside.
const besideArg = "run-beside"

// RunBeside reports whether args are those of a process that a comparison has started to run beside it, and then has
// been that process. It ends with its standard input, so that no process outlives a comparison that was killed. A
// program that runs comparisons calls RunBeside before it reads its arguments.
func RunBeside(args []string) bool {
	if len(args) != 2 || args[0] != besideArg {
		return false
	}
	signal.Ignore(os.Interrupt, syscall.SIGTERM) // they are for the comparison
	ctx, end := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		end()
	}()
	switch b := Beside(args[1]); b {
	case Builds:
		if err := builds(ctx); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	default:
		spin(ctx, b == Bursts)
	}
	return true
}

// spin computes until ctx ends, with pauses or without.
func spin(ctx context.Context, bursts bool) (sink uint64) {
	for from := deadline.Now(); ctx.Err() == nil; {
		sink += filler(1 << 14)
		if bursts && deadline.Now().Sub(from) > burst {
			select {
			case <-ctx.Done():
			case <-time.After(lull):
			}
			from = deadline.Now()
		}
	}
	return sink
}

// builds builds until ctx ends, with a cache of its own, and leaves nothing behind.
func builds(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "demo-builds-*")
	if err != nil {
		return err
	}
	for err == nil && ctx.Err() == nil {
		var out []byte
		c := exec.CommandContext(ctx, "go", "build", "-a", "std")
		c.Dir, c.Env = dir, append(os.Environ(), "GOCACHE="+dir, "GOTMPDIR="+dir, "GOFLAGS=", "GOTOOLCHAIN=local")
		asGroup(c)
		if out, err = c.CombinedOutput(); err != nil {
			err = fmt.Errorf("go build -a std: %w\n%s", err, bytes.TrimSpace(out))
		}
	}
	if ctx.Err() != nil {
		err = nil
	}
	for range 50 { // a compiler may be about to end
		left := os.RemoveAll(dir)
		if left == nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	return err
}

// programs are the processes of a Beside.
type programs struct {
	what  Beside
	procs []*program
}

type program struct {
	*exec.Cmd
	life  io.Closer // the process ends when it is closed
	said  bytes.Buffer
	ended chan struct{}
}

// start starts the processes of b.
func (b Beside) start() (*programs, error) {
	ps := &programs{what: b}
	self, err := os.Executable()
	for range neighbours[b.index()].procs {
		if err != nil {
			break
		}
		p := &program{Cmd: exec.Command(self, besideArg, string(b)), ended: make(chan struct{})}
		p.Stderr = &p.said
		if p.life, err = p.StdinPipe(); err == nil {
			err = p.Start()
		}
		if err == nil {
			ps.procs = append(ps.procs, p)
			go func() {
				_ = p.Wait()
				close(p.ended)
			}()
		}
	}
	if err != nil {
		err = errors.Join(fmt.Errorf("cannot run programs beside: %w", err), ps.end())
	}
	return ps, err
}

// end ends the processes, and waits for them. It is an error if one has ended before.
func (ps *programs) end() (err error) {
	if ps == nil {
		return nil
	}
	for _, p := range ps.procs {
		select {
		case <-p.ended:
			why := cmp.Or(strings.TrimSpace(p.said.String()), p.ProcessState.String())
			err = errors.Join(err, fmt.Errorf("the program beside (%s) ended early: %s", ps.what, why))
		default:
		}
		_ = p.life.Close() // an error says that the process has gone
	}
	for _, p := range ps.procs {
		<-p.ended
	}
	ps.procs = nil
	return err
}
