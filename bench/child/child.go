// Package child builds programs in other languages and talks to them. Such a program lives as long as the command, so
// that it is as warm as we are. Its first line names its workloads. Then it reads lines "workload number number" on
// its standard input. It answers each with lines "metric value unit" and an empty line, or with one line "error
// text".
package child

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"github.com/frameslice/frameslice/bench/report"
)

// A Child is a running program.
type Child struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner

	workloads []string // which it has
}

// Start starts the program, with the variables added to the environment.
func Start(env []string, name string, args ...string) (*Child, error) {
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	c := &Child{cmd: cmd, in: in, out: bufio.NewScanner(out)}
	if c.out.Scan() {
		c.workloads = strings.Fields(c.out.Text())
		return c, nil
	}
	return nil, fmt.Errorf("%s ended before it began: %w", name, errors.Join(c.out.Err(), cmd.Wait()))
}

// Ask has the program run a workload once.
func (c *Child) Ask(workload string, numbers ...int) ([]report.Value, error) {
	line := workload
	for _, n := range numbers {
		line += " " + strconv.Itoa(n)
	}
	if _, err := fmt.Fprintln(c.in, line); err != nil {
		return nil, err
	}
	var values []report.Value
	for c.out.Scan() {
		text := c.out.Text()
		if text == "" {
			return values, nil
		}
		if message, bad := strings.CutPrefix(text, "error "); bad {
			return nil, errors.New(message)
		}
		f := strings.Fields(text)
		if len(f) != 3 {
			return nil, fmt.Errorf("answered %q to %q", text, line)
		}
		v, err := strconv.ParseFloat(f[1], 64)
		if err != nil {
			return nil, fmt.Errorf("answered %q to %q", text, line)
		}
		values = append(values, report.Value{Metric: f[0], V: v, Unit: f[2]})
	}
	return nil, fmt.Errorf("ended within %q: %v", line, errors.Join(c.out.Err(), c.cmd.Wait()))
}

// Has reports whether the program has the workload.
func (c *Child) Has(workload string) bool { return slices.Contains(c.workloads, workload) }

// Close ends the program.
func (c *Child) Close() {
	c.in.Close()
	c.cmd.Wait()
}

// Build runs a command that builds a program in the folder dir. Its output is part of the error.
func Build(dir string, name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, out)
	}
	return nil
}

// Have reports whether a program is installed.
func Have(name string) bool {
	_, err := exec.LookPath(name)
	return err == nil
}
