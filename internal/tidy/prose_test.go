package tidy_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// An allowance is how many faults of style the comments of a package may have. It may only fall.
type allowance struct {
	long int // sentences of more than maxWords words
	odd  int // words that oddWords finds, and sentences that begin with Who or What
}

// allowances by folder. A library package that is not listed is allowed none. Lower the entry when a package gets
// better. TestProse fails if an entry is too small, and also if an entry is much too large.
var allowances = map[string]allowance{
	"workers": {0, 2},
}

// doubledLabels is how many labels of invariants are stated more than once in the repository. It may only fall.
const doubledLabels = 28

const maxWords = 30

// oddWords are words and turns that plain English does not need, and words that the code once invented.
var oddWords = regexp.MustCompile(`\b(?:for ever|lest|be it|amid|anew|whom|beneath|but for|by as much|` +
	`as a negative one|crews?|beds?|knock(?:s|ed|ing)?|letters?|stocks?|seats?|sites?|linger(?:s|ed|ing)?|` +
	`nudg(?:e|es|ed|ing)|ow(?:e|es|ed|ing))\b`)

var (
	sentenceEnd = regexp.MustCompile(`[.!?:]["')]*\s+`)
	whoNoun     = regexp.MustCompile(`^["'(]*(?:Who|Whoever|Whatever|What|That which)\b`)
)

// prose returns the faults of style in a file's comments: long sentences and odd words. It leaves out indented
// paragraphs, which are code or tables.
func (f *file) prose() (long, odd []string) {
	for _, group := range f.ast.Comments {
		line := f.line(group.Pos())
		for paragraph := range strings.SplitSeq(group.Text(), "\n\n") {
			if strings.HasPrefix(paragraph, "\t") || strings.HasPrefix(paragraph, " ") {
				continue
			}
			text := strings.ReplaceAll(paragraph, "\n", " ")
			for _, word := range oddWords.FindAllString(text, -1) {
				odd = append(odd, f.at(line, "the word %q", word))
			}
			for _, s := range sentenceEnd.Split(text, -1) {
				if n := len(strings.Fields(s)); n > maxWords {
					long = append(long, f.at(line, "%d words: %.60s", n, s))
				}
				if who := whoNoun.FindString(s); who != "" {
					odd = append(odd, f.at(line, "a sentence that begins with %s: %.60s", who, s))
				}
			}
		}
	}
	return long, odd
}

// library reports whether f is part of the library, not of a program or of a test.
func (f *file) library() bool {
	top, _, _ := strings.Cut(f.path, "/")
	return !f.test() && !slices.Contains([]string{"demo", "scripts", "bench", "cmd"}, top)
}

// over compares the faults of one kind in a package with the number that is allowed.
func over(dir, kind string, found []string, allowed int) string {
	switch n := len(found); {
	case n > allowed:
		list := strings.Join(found, "\n\t")
		return fmt.Sprintf("%s: %d %s, more than the %d allowed:\n\t%s", dir, n, kind, allowed, list)
	case n < allowed-2-allowed/5:
		return fmt.Sprintf("%s: %d %s, and %d allowed: lower the allowance to %d", dir, n, kind, allowed, n)
	}
	return ""
}

// style compares the prose of the library with the allowances.
func style(files []*file, allowed map[string]allowance) (found []string) {
	long, odd := map[string][]string{}, map[string][]string{}
	dirs := map[string]bool{}
	for _, f := range files {
		if f.library() {
			l, o := f.prose()
			long[f.dir()] = append(long[f.dir()], l...)
			odd[f.dir()] = append(odd[f.dir()], o...)
			dirs[f.dir()] = true
		}
	}
	for dir := range allowed {
		dirs[dir] = true // a package that is gone needs no allowance
	}
	for _, dir := range slices.Sorted(maps.Keys(dirs)) {
		found = append(found, over(dir, "sentences of more than 30 words", long[dir], allowed[dir].long),
			over(dir, "odd words", odd[dir], allowed[dir].odd))
	}
	return slices.DeleteFunc(found, func(s string) bool { return s == "" })
}

// doubled returns the statements of labels that are stated elsewhere, too.
func doubled(files []*file) (found []string) {
	at := map[string]string{}
	for _, f := range files {
		if f.test() {
			continue
		}
		for _, r := range f.states() {
			if first := at[r.name]; first == "" {
				at[r.name] = fmt.Sprintf("%s:%d", f.path, r.line)
			} else {
				found = append(found, f.at(r.line, "%s is also stated at %s", r.name, first))
			}
		}
	}
	return found
}

func TestProse(t *testing.T) {
	root, _ := moduleRoot(t)
	files := goFiles(t, root)
	for _, finding := range style(files, allowances) {
		t.Error(finding)
	}
	finding := over("all packages", "labels that are stated twice", doubled(files), doubledLabels)
	if finding != "" {
		t.Error(finding)
	}
}

func TestProseCanFail(t *testing.T) {
	words := func(n int) string { return "//" + strings.Repeat(" word", n) + "." }
	for _, c := range []struct {
		src     string
		allowed allowance
		want    string
	}{
		{words(30), allowance{}, ""},
		{words(31), allowance{}, "p: 1 sentences of more than 30 words"},
		{words(31), allowance{long: 1}, ""},
		{words(31), allowance{long: 5}, "lower the allowance to 1"},
		{words(20) + "\n" + words(20), allowance{}, ""},
		{words(20) + "\n//\n" + words(20), allowance{}, ""},
		{"//\t" + words(40)[2:], allowance{}, ""},
		{"// It lasts for ever.", allowance{}, `the word "for ever"`},
		{"// All but\n// for one.", allowance{}, `the word "but for"`},
		{"// The knocker is crewed.", allowance{}, ""},
		{"// First. Who waits, enters.", allowance{}, "begins with Who"},
		{"// Whose turn is it?", allowance{}, ""},
		{"// Who waits, enters.", allowance{odd: 1}, ""},
	} {
		f, err := parse("p/a.go", []byte("package p\n\n"+c.src+"\nvar x int\n"))
		if err != nil {
			t.Fatal(err)
		}
		got := strings.Join(style([]*file{f}, map[string]allowance{"p": c.allowed}), "\n")
		if got != "" && c.want == "" || !strings.Contains(got, c.want) {
			t.Errorf("%s\ngot %q, want %q", c.src, got, c.want)
		}
	}
}

func TestDoubledCanFail(t *testing.T) {
	for _, c := range []struct{ a, b, want string }{
		{"// W1. It is.", "// W2. It is.", ""},
		{"// W1. It is.", "// see W1", ""},
		{"// W1. It is.", "//   - W1. It was.", "q/b.go:2: W1 is also stated at p/a.go:2"},
		{"// WS1. It is.", "// S1. It is.", ""},
	} {
		var files []*file
		for _, s := range [][2]string{{"p/a.go", c.a}, {"q/b.go", c.b}, {"r/c_test.go", c.a}} {
			f, err := parse(s[0], []byte("package p\n"+s[1]+"\n"))
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
		}
		if got := strings.Join(doubled(files), "\n"); got != c.want {
			t.Errorf("%s\n%s\ngot %q, want %q", c.a, c.b, got, c.want)
		}
	}
}
