package load

import (
	"encoding/csv"
	"fmt"
	"io"
	"reflect"
	"strings"
)

// WriteCSV writes the figures of the report as lines of cells, one for each row of the table. The columns are those
// fields of a Result in the JSON form that are one figure, and the two ends of a confidence interval.
func (r *Report) WriteCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	head, _ := cells(Result{})
	err := c.Write(head)
	for _, x := range r.Modes {
		if _, line := cells(x); err == nil {
			err = c.Write(line)
		}
	}
	if c.Flush(); err == nil {
		err = c.Error()
	}
	return err
}

// cells returns the names of a line's cells, and the cells.
func cells(x Result) (names, line []string) {
	v := reflect.ValueOf(x)
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		switch f := v.Field(i); f.Kind() {
		case reflect.Struct:
			if ci, ok := f.Interface().(CI); ok {
				names = append(names, name+"_lo", name+"_hi")
				line = append(line, fmt.Sprint(ci.Lo), fmt.Sprint(ci.Hi))
			}
		case reflect.Slice:
		default:
			if name != "-" {
				names, line = append(names, name), append(line, fmt.Sprint(f))
			}
		}
	}
	return names, line
}
