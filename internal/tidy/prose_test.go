package tidy_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// allowances are how many faults of style the comments of a folder may have; not listed is none. Lower the number when
// a package gets better. TestModule fails if a number is too small, and also if it is too large.
var allowances = map[string]int{"workers": 2}

// doubledLabels is how many labels of invariants are stated more than once in the repository. It may only fall.
const doubledLabels = 14

// oddWords are words and turns that plain English does not need, and words that the code once invented.
var oddWords = regexp.MustCompile(`\b(?:for ever|lest|be it|amid|anew|whom|beneath|but for|by as much|` +
	`as a negative one|crews?|beds?|knock(?:s|ed|ing)?|letters?|stocks?|seats?|sites?|linger(?:s|ed|ing)?|` +
	`nudg(?:e|es|ed|ing)|ow(?:e|es|ed|ing))\b`)

var (
	sentenceEnd = regexp.MustCompile(`[.!?:]["')]*\s+`)
	whoNoun     = regexp.MustCompile(`^["'(]*(?:Who|Whoever|Whatever|What|That which)\b`)
)

// prose returns the faults of style in comments: sentences that begin with a noun who or what, and in the library odd
// words, too. It leaves out indented paragraphs, which are code or tables.
func prose(_ string, f *file) (found []string) {
	if f.test() || strings.HasPrefix(f.path, "cmd/") {
		return nil
	}
	for _, group := range f.ast.Comments {
		line := f.line(group.Pos())
		for paragraph := range strings.SplitSeq(group.Text(), "\n\n") {
			if strings.HasPrefix(paragraph, "\t") || strings.HasPrefix(paragraph, " ") {
				continue
			}
			text := strings.ReplaceAll(paragraph, "\n", " ")
			for _, word := range oddWords.FindAllString(text, -1) {
				if !f.library() {
					break
				}
				found = append(found, f.at(line, "the word %q", word))
			}
			for _, s := range sentenceEnd.Split(text, -1) {
				if who := whoNoun.FindString(s); who != "" {
					found = append(found, f.at(line, "a sentence that begins with %s: %.60s", who, s))
				}
			}
		}
	}
	return found
}

// library reports whether f is part of the library, not of a program or of a test.
func (f *file) library() bool {
	top, _, _ := strings.Cut(f.path, "/")
	return !f.test() && !slices.Contains([]string{"demo", "scripts", "bench", "cmd"}, top)
}

// over compares the findings in a folder with the number that is allowed.
func over(dir string, found []string, allowed int) (says string) {
	switch n := len(found); {
	case n > allowed:
		return fmt.Sprintf("%s: %d, more than the %d allowed:\n\t%s", dir, n, allowed, strings.Join(found, "\n\t"))
	case n < allowed-2-allowed/5:
		return fmt.Sprintf("%s: %d, and %d allowed: lower the allowance to %d", dir, n, allowed, n)
	}
	return ""
}

func TestOver(t *testing.T) {
	for _, c := range []struct {
		n, allowed int
		want       string
	}{{0, 0, ""}, {1, 0, "more than the 0"}, {1, 1, ""}, {1, 2, ""}, {1, 5, "lower the allowance to 1"}} {
		got := over("p", make([]string, c.n), c.allowed)
		if got != "" && c.want == "" || !strings.Contains(got, c.want) {
			t.Errorf("%d of %d: %q, want %q", c.n, c.allowed, got, c.want)
		}
	}
}
