package report

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// A Command is what the flags of a benchmark command say.
type Command struct {
	Quick   bool // small runs, few rounds
	Rounds  int
	Workers int

	// Others are systems that may be asked for although they have no case here, as what is not installed.
	Others []string

	only, systems []string // empty means all
	json, md      string
}

// Parse reads the flags. -workers is one of them if most, its greatest value, is not 0. The default of -rounds is
// rounds, or quick with -quick.
func Parse(about string, rounds, quick, most int) *Command {
	c := &Command{Workers: min(runtime.NumCPU(), max(most, 1))}
	var only, systems string
	flag.BoolVar(&c.Quick, "quick", false, "small runs in few rounds: to see that all works, not to compare")
	flag.IntVar(&c.Rounds, "rounds", 0, fmt.Sprintf("rounds of each workload (default %d, with -quick %d)", rounds, quick))
	if most > 0 {
		flag.IntVar(&c.Workers, "workers", c.Workers, fmt.Sprintf("workers of every system, at most %d", most))
	}
	flag.StringVar(&only, "only", "", "run only these workloads, separated by commas")
	flag.StringVar(&systems, "systems", "", "measure only these systems, separated by commas")
	flag.StringVar(&c.json, "json", "", "write the rows, with all values, to this file too")
	flag.StringVar(&c.md, "md", "", "write a table with a line for each metric, for a document, to this file too")
	flag.Usage = func() {
		fmt.Fprintf(flag.CommandLine.Output(), "%s\n\nFlags:\n", about)
		flag.PrintDefaults()
	}
	flag.Parse()
	if err := c.check(flag.Args(), most); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if c.Rounds == 0 {
		c.Rounds = rounds
		if c.Quick {
			c.Rounds = quick
		}
	}
	c.only, c.systems = names(only), names(systems)
	return c
}

// check returns what is wrong with the flags, or with the arguments, of which there are to be none.
func (c *Command) check(args []string, most int) error {
	switch {
	case len(args) > 0:
		return fmt.Errorf("unexpected argument %q: options are flags (-help lists them)", args[0])
	case most > 0 && (c.Workers < 1 || c.Workers > most):
		return fmt.Errorf("-workers %d: want 1 to %d", c.Workers, most)
	case c.Rounds < 0:
		return fmt.Errorf("-rounds %d: want 1 or more, or 0 for the default", c.Rounds)
	case c.json != "" && filepath.Clean(c.json) == filepath.Clean(c.md):
		return fmt.Errorf("-json and -md name the same file, %s", c.json)
	}
	if err := placed(c.json); err != nil {
		return fmt.Errorf("-json: %w", err)
	}
	if err := placed(c.md); err != nil {
		return fmt.Errorf("-md: %w", err)
	}
	return nil
}

// placed reports what is wrong with the name of an output file, minutes before the file is written.
func placed(name string) error {
	if name == "" {
		return nil
	}
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return fmt.Errorf("%s is a folder", name)
	}
	if _, err := os.Stat(filepath.Dir(name)); err != nil {
		return fmt.Errorf("%s cannot be written: %w", name, err)
	}
	return nil
}

func names(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
}

// Main runs the workloads that the flags ask for, prints their rows as they come and the tables at the end.
func (c *Command) Main(workloads []Workload) error {
	workloads, err := c.chosen(workloads)
	if err != nil {
		return err
	}
	fmt.Println("# workload system metric value unit")
	var rows []Row
	for _, w := range workloads {
		of, err := Run(w, c.Rounds, NewProgress(os.Stderr))
		if err != nil {
			return err
		}
		for _, r := range of {
			fmt.Println(r)
		}
		rows = append(rows, of...)
	}
	Tables(os.Stdout, workloads, rows)
	if c.md != "" {
		var text bytes.Buffer
		Markdown(&text, workloads, rows)
		if err := os.WriteFile(c.md, text.Bytes(), 0o644); err != nil {
			return err
		}
	}
	if c.json == "" {
		return nil
	}
	text, err := json.MarshalIndent(rows, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(c.json, append(text, '\n'), 0o644)
}

// Wants reports whether the system is to be measured.
func (c *Command) Wants(system string) bool {
	return len(c.systems) == 0 || slices.Contains(c.systems, system)
}

// chosen returns the workloads and cases that the flags ask for.
func (c *Command) chosen(all []Workload) ([]Workload, error) {
	var known, systems []string
	for _, w := range all {
		known = append(known, w.Name)
		for _, k := range w.Cases {
			if !slices.Contains(systems, k.System) {
				systems = append(systems, k.System)
			}
		}
	}
	for _, name := range c.only {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("no workload %s; there are %s", name, strings.Join(known, ", "))
		}
	}
	for _, name := range c.systems {
		if !slices.Contains(systems, name) && !slices.Contains(c.Others, name) {
			return nil, fmt.Errorf("no system %s; there are %s", name, strings.Join(systems, ", "))
		}
	}
	var some []Workload
	for _, w := range all {
		if len(c.only) > 0 && !slices.Contains(c.only, w.Name) {
			continue
		}
		var cases []Case
		for _, k := range w.Cases {
			if c.Wants(k.System) {
				cases = append(cases, k)
			}
		}
		if w.Cases = cases; len(cases) > 0 {
			some = append(some, w)
		}
	}
	if len(some) == 0 {
		return nil, fmt.Errorf("none of the systems %s has a workload", strings.Join(c.systems, ", "))
	}
	return some, nil
}

// Progress tells how far a command is: on a terminal in one line that changes, elsewhere in a line a round.
type Progress struct {
	out      io.Writer
	terminal bool
}

// NewProgress returns a Progress that writes to the file.
func NewProgress(f *os.File) Progress {
	info, err := f.Stat()
	return Progress{f, err == nil && info.Mode()&os.ModeCharDevice != 0}
}

func (p Progress) at(format string, args ...any) {
	if p.terminal {
		fmt.Fprintf(p.out, "\r\033[K"+format, args...)
	}
}

func (p Progress) done(format string, args ...any) {
	if p.terminal {
		fmt.Fprint(p.out, "\r\033[K")
	}
	if p.out != nil {
		fmt.Fprintf(p.out, format+"\n", args...)
	}
}
