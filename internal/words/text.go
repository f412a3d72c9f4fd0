package words

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// A Text is a report in lines and tables. The zero value is empty.
type Text struct{ strings.Builder }

// Line writes a line as package fmt formats it, without the spaces at its end.
func (t *Text) Line(format string, a ...any) {
	t.WriteString(strings.TrimRight(fmt.Sprintf(format, a...), " "))
	t.WriteByte('\n')
}

// Table writes a line for each row. The format has a verb such as %*s or %-*s for each cell, where the star stands for
// the width of the longest cell in this column. A row may have fewer cells than the first one, but not more.
func (t *Text) Table(format string, rows ...[]string) {
	wide := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			wide[i] = max(wide[i], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range rows {
		cells := make([]any, 2*len(wide))
		for i := range wide {
			cells[2*i], cells[2*i+1] = wide[i], ""
			if i < len(row) {
				cells[2*i+1] = row[i]
			}
		}
		t.Line(format, cells...)
	}
}
