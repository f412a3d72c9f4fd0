package tidy_test

import (
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
)

var inBackquotes = regexp.MustCompile("`([^`]+)`")

// The table of CONTRIBUTING that says what to read for a change names files that exist, and names that stand in them. A
// file without a folder is in the folder of the file before it in its row.
func TestTheTableOfChanges(t *testing.T) {
	text, err := os.ReadFile("../../CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, ok := strings.Cut(string(text), "| to change | read |")
	if !ok {
		t.Fatal("no table")
	}
	table, _, _ = strings.Cut(table, "\n\n")
	rows := strings.Split(table, "\n")[2:]
	for _, row := range rows {
		var code strings.Builder
		var names []string
		folder := "."
		for _, m := range inBackquotes.FindAllStringSubmatch(row, -1) {
			name := m[1]
			switch {
			case strings.HasSuffix(name, ".go") || strings.Contains(name, "/"):
				if strings.HasSuffix(name, ".go") && strings.Contains(name, "/") {
					folder = path.Dir(name)
				} else if !strings.Contains(name, "/") {
					name = path.Join(folder, name)
				}
				code.WriteString(read(t, "../../"+name))
			default:
				names = append(names, name)
			}
		}
		for _, name := range names {
			word := regexp.MustCompile(`\b` + regexp.QuoteMeta(strings.TrimSuffix(name, "++")) + `\b`)
			if !word.MatchString(code.String()) {
				t.Errorf("%s stands in no file of its row: %s", name, row)
			}
		}
	}
	if len(rows) < 15 {
		t.Errorf("%d rows", len(rows))
	}
}

// read returns a file, or all Go files of a folder.
func read(t *testing.T, name string) string {
	t.Helper()
	if i, err := os.Stat(name); err == nil && i.IsDir() {
		files, _ := os.ReadDir(name)
		all := ""
		for _, f := range files {
			if strings.HasSuffix(f.Name(), ".go") {
				all += read(t, path.Join(name, f.Name()))
			}
		}
		return all
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Error(err)
	}
	return string(text)
}
