package options

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/demo/load"
)

func TestDefaults(t *testing.T) {
	o, err := Parse(nil)
	if err != nil {
		t.Fatal(err)
	}
	want := Options{
		Mode: string(load.Frameslice), Load: load.DefaultLoad, Seed: 1, Job: load.DefaultJob,
		Wait: string(load.WaitSyscall), Placement: "auto",
	}
	if o != want {
		t.Errorf("got %+v", o)
	}
	if got := o.Interval(); got != time.Second/60 {
		t.Errorf("interval: got %v", got)
	}
}

func TestEveryFlagIsTaken(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	line := []string{
		"-load", "2.5", "-seed", "9", "-job", "20ms", "-alloc", "-tasks", "100",
		"-compare", "-modes", "idle,frameslice", "-duration", "3s",
		"-placement", "shadow", "-hz", "120", "-size", "640x360", "-bare", "-v",
		"-json", in("j"), "-csv", in("c"), "-png", in("p"), "-hgrm", in("h"), "-shot", in("s"),
		"-record", dir, "-flight", dir,
	}
	o, err := Parse(line)
	if err != nil {
		t.Fatal(err)
	}
	want := Options{
		Mode: "frameslice", Modes: "idle,frameslice", Load: 2.5, Seed: 9, Tasks: 100,
		Job: 20 * time.Millisecond, Alloc: true,
		Wait: "syscall", Placement: "shadow", Hz: 120, Compare: true,
		Duration: 3 * time.Second, Width: 640, Height: 360, Bare: true, Verbose: true,
		JSON: in("j"), CSV: in("c"), PNG: in("p"), Hgrm: in("h"), Shot: in("s"), Record: dir,
		Flight: dir,
	}
	if o != want {
		t.Errorf("got  %+v\nwant %+v", o, want)
	}
	for _, f := range table {
		if slices.Contains([]string{"headless", "wait", "mode", "beside"}, f.name) { // not with the others
			continue
		}
		if !strings.Contains(strings.Join(line, " ")+" ", "-"+f.name+" ") {
			t.Errorf("this test does not give -%s", f.name)
		}
	}
}

func TestConfigCarriesEverythingOver(t *testing.T) {
	o, err := Parse(strings.Fields("-headless -compare -modes idle,inline -beside none,builds -load 0 -alloc -seed 4"))
	if err != nil {
		t.Fatal(err)
	}
	c := o.Config()
	if !c.Compare || len(c.Modes) != 2 || c.Modes[1] != load.Inline || len(c.Beside) != 2 || !c.Alloc || c.Seed != 4 {
		t.Errorf("got %+v", c)
	}
	if got := c.WithDefaults().Load; got != 0 {
		t.Errorf("-load 0 must mean no jobs, there it means %v", got)
	}
}

// Each line is wrong in one way, and the answer has to name the flag.
func TestMistakesAreNamedInOneLine(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for line, name := range map[string]string{
		"-bogus":                                 "-bogus",
		"-mode":                                  "-mode",
		"-mode quick":                            "-mode",
		"-modes idle,quick -compare":             "-modes",
		"-modes idle":                            "-modes",
		"-beside one -compare":                   "-beside",
		"-compare -headless -beside three":       "-beside",
		"-compare -headless -beside one,one":     "-beside",
		"-load -1":                               "-load",
		"-load NaN":                              "-load",
		"-load many":                             "-load",
		"-load 5":                                "-load",
		"-seed -1":                               "-seed",
		"-tasks -1":                              "-tasks",
		"-job 10us":                              "-job",
		"-job 2":                                 "-job",
		"-wait never":                            "-wait",
		"-placement below":                       "-placement",
		"-hz 10":                                 "-hz",
		"-duration -1s":                          "-duration",
		"-duration 5":                            "-duration",
		"-duration 1ms":                          "-duration",
		"-size 10":                               "-size",
		"-size 10x10":                            "-size",
		"-size -1x5":                             "-size",
		"-headless -shot s.png":                  "-shot",
		"-headless -tasks 1":                     "-tasks",
		"-headless -placement auto":              "-placement",
		"-headless -size 640x360":                "-size",
		"-headless -bare":                        "-bare",
		"-wait syscall":                          "-wait",
		"-compare -headless -hz 250":             "-hz",
		"-compare -mode idle":                    "-mode",
		"-compare -wait timer":                   "-wait",
		"-json " + dir:                           "-json",
		"-record " + dir + "/none":               "-record",
		"-flight " + file:                        "-flight",
		"-json " + dir + "/none/x":               "-json",
		"-png " + file + "/x":                    "-png",
		"-json " + dir + "/x -png " + dir + "/x": "-png",
		"extra":                                  "extra",
	} {
		_, err := Parse(strings.Fields(line))
		if err == nil {
			t.Errorf("%s: taken", line)
			continue
		}
		s := err.Error()
		if !strings.Contains(s, name) || strings.Contains(s, "\n") || strings.Contains(s, "strconv") {
			t.Errorf("%s: the answer is %q", line, s)
		}
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 {
		t.Errorf("parsing left files behind: %v, %v", left, err)
	}
}

// What cannot be read is answered by what would be.
func TestMistakesOfKindSayWhatIsWanted(t *testing.T) {
	for line, want := range map[string]string{
		"-load many":                  `invalid value "many" for -load: want a number`,
		"-load 1e999":                 `invalid value "1e999" for -load: want a number`,
		"-duration 5":                 `invalid value "5" for -duration: want a time with its unit, such as 20s or 2ms`,
		"-seed -1":                    `invalid value "-1" for -seed: want a whole number from 0`,
		"-tasks 1.5":                  `invalid value "1.5" for -tasks: want a whole number`,
		"-seed 99999999999999999999":  `invalid value "99999999999999999999" for -seed: want a whole number from 0`,
		"-headless=perhaps -load 0.5": `invalid boolean value "perhaps" for -headless: want nothing, true or false`,
	} {
		if _, err := Parse(strings.Fields(line)); err == nil || err.Error() != want+" (demo -help lists the flags)" {
			t.Errorf("%s: %v\nwant %s", line, err, want)
		}
	}
}

func TestUnwritableFolderIsRefused(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(dir, 0o700)
	if f, err := os.CreateTemp(dir, ""); err == nil { // root may, and systems without such modes let all
		f.Close()
		os.Remove(f.Name())
		t.Log("this user may write anywhere; looked at the other cases only")
		return
	}
	if _, err := Parse([]string{"-json", filepath.Join(dir, "x")}); err == nil {
		t.Error("taken")
	}
}

func TestHelpHasEveryFlagWithItsDefault(t *testing.T) {
	if _, err := Parse([]string{"-help"}); !errors.Is(err, ErrHelp) {
		t.Fatalf("-help: got %v", err)
	}
	var b strings.Builder
	Help(&b)
	help := b.String()
	fs := flag.NewFlagSet("", flag.ContinueOnError)
	for _, f := range table {
		f.register(fs, &Options{})
	}
	fs.VisitAll(func(f *flag.Flag) {
		if !regexp.MustCompile(`(?m)^  -` + f.Name + `\b`).MatchString(help) {
			t.Errorf("-%s is not in the help", f.Name)
		}
		// A default that does something is said; an empty one, or a switch that is off, is not.
		v, text := f.DefValue, strings.Join(strings.Fields(help), " ")
		if v != "" && v != "false" && !strings.Contains(text, "(default "+v+")") {
			t.Errorf("-%s: the help does not say that its default is %s", f.Name, v)
		}
	})
	for _, l := range strings.Split(help, "\n") {
		if len(l) > 110 {
			t.Errorf("line of %d columns: %s", len(l), l)
		}
	}
}

func TestModesOfTheKeyAreModes(t *testing.T) {
	for _, m := range Modes() {
		if !m.Valid() || m == load.Idle {
			t.Errorf("%q", m)
		}
	}
}

func TestABrowserSaysWhatItHasNot(t *testing.T) {
	for _, name := range []string{"headless", "wait", "json", "csv", "png", "hgrm", "flight"} {
		err := inBrowser(map[string]bool{name: true})
		if err == nil || !strings.HasPrefix(err.Error(), "-"+name+" is not for a browser") {
			t.Errorf("-%s: %v", name, err)
		}
	}
	if err := inBrowser(map[string]bool{"shot": true, "compare": true, "load": true}); err != nil {
		t.Error(err)
	}
}
