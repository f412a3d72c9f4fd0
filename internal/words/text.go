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
// the width of the longest cell in this column. A row may lack cells at its end.
func (t *Text) Table(format string, rows ...[]string) {
	var wide []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(wide) {
				wide = append(wide, 0)
			}
			wide[i] = max(wide[i], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range rows {
		var cells []any
		for i, w := range wide {
			cell := ""
			if i < len(row) {
				cell = row[i]
			}
			cells = append(cells, w, cell)
		}
		t.Line(format, cells...)
	}
}
