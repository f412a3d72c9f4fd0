package frameslice_test

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/frameslice/frameslice"
)

// The page of the package names each method of its aliases, and no other.
func TestThePageNamesAllMethods(t *testing.T) {
	page, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n// # The methods\n")
	section, _, _ = strings.Cut(section, "\n// # ")
	named := map[string][]string{} // by the first type of the heading
	heading := ""
	for line := range strings.Lines(section) {
		line = strings.TrimRight(strings.TrimPrefix(line, "//"), "\n")
		method, isMethod := strings.CutPrefix(line, "\t")
		switch words := strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == ',' || r == ':' }); {
		case isMethod:
			name, _, ok := strings.Cut(method, "(")
			if !ok {
				t.Errorf("no method: %q", line)
			}
			named[heading] = append(named[heading], name)
		case len(words) > 0:
			heading = words[0]
		}
	}
	types := map[string][]any{
		"Loop": {&frameslice.Loop{}}, "Co": {&frameslice.Co{}}, "Group": {&frameslice.Group{}},
		"Task": {&frameslice.Task{}, frameslice.Handle{}}, "Future": {&frameslice.Future[int]{}},
		"Loader": {&frameslice.Loader[int, int]{}, &frameslice.Request{}, frameslice.Progress{}, &frameslice.Meter{}},
		"Cache":  {&frameslice.Cache[int, int]{}, &frameslice.View[int, int]{}},
		"Report": {&frameslice.Report{}},
	}
	for heading, all := range types {
		want := map[string]bool{}
		for _, v := range all {
			of := reflect.TypeOf(v)
			for i := range of.NumMethod() {
				want[of.Method(i).Name] = true
			}
		}
		for _, name := range named[heading] {
			if !want[name] {
				t.Errorf("%s: %s is no method, or stands there twice", heading, name)
			}
			delete(want, name)
		}
		for name := range want {
			t.Errorf("%s: the method %s is not named", heading, name)
		}
	}
}
