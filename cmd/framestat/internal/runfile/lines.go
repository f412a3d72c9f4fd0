package runfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// lines reads a text with limits on its size and on the length of a line.
type lines struct {
	in *bufio.Reader
	n  int // the number of the line that was read last
	// comma is between the cells of a CSV.
	comma string
	// cut is set if the last line had no end.
	cut bool
}

func newLines(r io.Reader) *lines {
	return &lines{in: bufio.NewReaderSize(&limited{r, maxFile}, 64<<10), comma: ","}
}

// limited fails after some bytes, where an io.LimitReader would end as if the file were complete.
type limited struct {
	io.Reader
	left int
}

func (l *limited) Read(b []byte) (int, error) {
	n, err := l.Reader.Read(b)
	if l.left -= n; l.left < 0 {
		return 0, fmt.Errorf("more than %d MiB", maxFile>>20)
	}
	return n, err
}

// next returns the next line without its end, or io.EOF.
func (l *lines) next() (string, error) {
	var line []byte
	for {
		part, err := l.in.ReadSlice('\n')
		if len(line)+len(part) > maxLine {
			l.n++
			return "", fmt.Errorf("a line of more than %d KiB", maxLine>>10)
		}
		if errors.Is(err, bufio.ErrBufferFull) || line != nil {
			line = append(line, part...)
			part = line
		}
		switch {
		case err == nil:
			l.n++
			return strings.TrimRight(string(part), "\r\n"), nil
		case errors.Is(err, io.EOF) && len(part) > 0:
			l.n++
			l.cut = true
			return strings.TrimRight(string(part), "\r"), nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return "", err
		}
	}
}

// record returns the cells of the next line of a CSV.
func (l *lines) record() ([]string, error) {
	line, err := l.next()
	if err != nil {
		return nil, err
	}
	cells, open := split(line, l.comma)
	if open {
		return nil, errors.New("a quote has no end")
	}
	return cells, nil
}

// split returns the cells of a record. A quote counts only at the beginning of a cell. open tells that it has no end.
func split(line, comma string) (cells []string, open bool) {
	if !strings.Contains(line, `"`) {
		return strings.Split(line, comma), false
	}
	for {
		if !strings.HasPrefix(line, `"`) {
			cell, rest, more := strings.Cut(line, comma)
			cells = append(cells, cell)
			if line = rest; !more {
				return cells, false
			}
			continue
		}
		var cell strings.Builder
		for line = line[1:]; ; {
			part, rest, closed := strings.Cut(line, `"`)
			cell.WriteString(part)
			if !closed {
				return nil, true
			}
			if line = rest; !strings.HasPrefix(line, `"`) {
				break
			}
			cell.WriteByte('"') // two quotes are one
			line = line[1:]
		}
		tail, rest, more := strings.Cut(line, comma)
		cells = append(cells, cell.String()+tail)
		if line = rest; !more {
			return cells, false
		}
	}
}

// number reads a figure with a decimal point, or with a decimal comma where commas do not part the cells: there a comma
// within one may be either, and is an error.
func (l *lines) number(s string) (float64, error) {
	if l.comma == "," && strings.Contains(s, ",") {
		return 0, fmt.Errorf("%.40q may have a decimal comma, or mean thousands: save numbers with points", s)
	}
	f, err := strconv.ParseFloat(strings.Replace(s, ",", ".", 1), 64)
	if err != nil || f != f {
		return 0, fmt.Errorf("%.40q is no number", s)
	}
	return f, nil
}
