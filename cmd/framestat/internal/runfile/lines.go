package runfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// lines reads a text with limits on its size and on the length of a line.
type lines struct {
	in *bufio.Reader
	n  int // the number of the line that was read last
	// comma is between the cells of a CSV.
	comma string
	// cut is set if the last line had no end.
	cut bool
	// thousands is the mark that has been between thousands, and commas tells that one was a decimal mark.
	thousands string
	commas    bool
}

func newLines(r io.Reader) *lines {
	return &lines{in: bufio.NewReaderSize(&limited{r, maxFile}, 64<<10), comma: ","}
}

// utf16Text turns UTF-16 into UTF-8, as programs of Windows save "Unicode text".
type utf16Text struct {
	in  io.ByteReader
	big bool // the high byte comes first
	low rune // the first half of a pair that was read as the second half of another, or -1
}

func (u *utf16Text) Read(b []byte) (n int, err error) {
	for n+utf8.UTFMax <= len(b) {
		r, err := u.rune()
		if err != nil {
			return n, err
		}
		n += utf8.EncodeRune(b[n:], r)
	}
	return n, nil
}

func (u *utf16Text) rune() (rune, error) {
	first := u.low
	var err error
	if u.low = -1; first < 0 {
		if first, err = u.unit(); err != nil {
			return 0, err
		}
	}
	if !utf16.IsSurrogate(first) {
		return first, nil
	}
	second, err := u.unit()
	if err != nil {
		return utf8.RuneError, nil // the next call has the error again
	}
	r := utf16.DecodeRune(first, second)
	if r == utf8.RuneError {
		u.low = second
	}
	return r, nil
}

func (u *utf16Text) unit() (rune, error) {
	a, err := u.in.ReadByte()
	if err != nil {
		return 0, err
	}
	b, err := u.in.ReadByte()
	if err != nil {
		return 0, err
	}
	if u.big {
		a, b = b, a
	}
	return rune(b)<<8 | rune(a), nil
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

// record returns the cells of the next record of a CSV, which may have line ends in quotes.
func (l *lines) record() ([]string, error) {
	line, err := l.next()
	if err != nil {
		return nil, err
	}
	return l.cells(line)
}

// cells returns the cells of the record that begins with a line.
func (l *lines) cells(line string) ([]string, error) {
	for {
		cells, open := split(line, l.comma)
		if !open {
			return cells, nil
		}
		more, err := l.next()
		switch {
		case errors.Is(err, io.EOF):
			return nil, errors.New("a quote has no end")
		case err != nil:
			return nil, err
		case len(line)+len(more) > maxLine/16: // each line makes split begin anew
			return nil, errors.New("a quote goes over too many lines")
		}
		line += "\n" + more
	}
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

// number reads a figure as programs and spreadsheets of different countries write it: 1234.5, 1,234.5, 1.234,5, or with
// a space or an apostrophe between thousands. A comma or a point that stands alone, as in 1,234, is between thousands
// if one was before in this file. Else it is a decimal mark, but where commas part the cells a comma within one may be
// either, and is an error.
func (l *lines) number(s string) (float64, error) {
	text := s
	if strings.Trim(s, "0123456789") != "." { // else it is plain
		text = strings.Map(func(r rune) rune {
			if strings.ContainsRune("'’ \u00a0\u202f", r) {
				return -1
			}
			return r
		}, s)
	}
	digits := strings.TrimLeft(text, "+-")
	commas, points := strings.Count(digits, ","), strings.Count(digits, ".")
	mark := "" // between thousands
	switch alone := groups(strings.FieldsFunc(digits, func(r rune) bool { return r == ',' || r == '.' })); {
	case commas > 0 && points > 0: // the later is the decimal mark
		if mark = ","; strings.LastIndex(digits, ",") > strings.LastIndex(digits, ".") {
			mark = "."
		}
	case commas > 1:
		mark = ","
	case points > 1:
		mark = "."
	case alone && commas == 1 && l.thousands == ",", alone && points == 1 && l.thousands == ".":
		mark = l.thousands
	case alone && commas == 1 && l.comma == "," && !l.commas:
		return 0, fmt.Errorf("%.40q may have a decimal comma, or mean thousands: save numbers with points", s)
	case commas == 1:
		l.commas = true
	}
	if whole, _, _ := strings.Cut(digits, otherMark[mark]); mark != "" {
		if !groups(strings.Split(whole, mark)) {
			return 0, fmt.Errorf("%.40q is no number", s)
		}
		l.thousands = mark
		text = strings.ReplaceAll(text, mark, "")
	}
	f, err := strconv.ParseFloat(strings.Replace(text, ",", ".", 1), 64)
	if err != nil || f != f || text != s && !spaced(s) {
		return 0, fmt.Errorf("%.40q is no number", s)
	}
	return f, nil
}

// otherMark is the decimal mark beside one between thousands. Nothing has a space.
var otherMark = map[string]string{",": ".", ".": ",", "": " "}

// spaced reports whether spaces or apostrophes in a number are between thousands.
func spaced(s string) bool {
	if i := strings.LastIndexAny(s, ".,"); i >= 0 {
		s = s[:i]
	}
	parts := strings.FieldsFunc(strings.TrimLeft(s, "+-"), func(r rune) bool { return r < '0' || r > '9' })
	return len(parts) < 2 || groups(parts)
}

// groups reports whether the parts of a number are thousands: up to three digits, then three in each.
func groups(parts []string) bool {
	for i, p := range parts {
		if len(p) > 3 || i > 0 && len(p) < 3 || p == "" || strings.Trim(p, "0123456789") != "" {
			return false
		}
	}
	return len(parts) > 1
}
