// Package words writes figures and names into the texts of reports, pages and the overlay, so that all of them write
// the same thing in the same way.
package words

import (
	"strconv"
	"strings"
	"time"
)

// Millis returns a duration in milliseconds.
func Millis(d time.Duration) float64 { return float64(d) / 1e6 }

// MS returns a duration in milliseconds with so many decimals, without the unit.
func MS(d time.Duration, decimals int) string {
	return strconv.FormatFloat(Millis(d), 'f', decimals, 64)
}

// AppendMS appends milliseconds with the digits that matter: two decimals below ten, one below a hundred.
func AppendMS(b []byte, ms float64) []byte {
	decimals := 0
	switch {
	case ms < 9.995:
		decimals = 2
	case ms < 99.95:
		decimals = 1
	}
	return strconv.AppendFloat(b, ms, 'f', decimals, 64)
}

// AppendTenths writes a figure with one decimal below a thousand, and none from there.
func AppendTenths(b []byte, v float64) []byte {
	if v < 999.95 {
		return strconv.AppendFloat(b, v, 'f', 1, 64)
	}
	return strconv.AppendFloat(b, v, 'f', 0, 64)
}

// AppendCount writes a count in at most four or five characters: 87, 1234, 12.3k.
func AppendCount(b []byte, n int) []byte {
	if n < 10_000 {
		return strconv.AppendInt(b, int64(n), 10)
	}
	b = strconv.AppendFloat(b, float64(n)/1000, 'f', 1, 64)
	return append(b, 'k')
}

// Short leaves out of a function's name the path of its package, and the mark of a method value. Other labels stay as
// they are.
func Short(label string) string {
	if label == "" {
		return "without a name"
	}
	name := label[strings.LastIndexByte(label, '/')+1:]
	if !strings.Contains(name, ".") || strings.Contains(label, " ") {
		return label
	}
	return strings.TrimSuffix(name, "-fm")
}

// A cause of a late frame begins so if it names the host alone, or if nothing is known: see record.Record.AppendCause.
const (
	NoRecord    = "the frame before has no record"
	NotRecorded = "not recorded:"
	Host        = "host, display or system:"
)

// Blameless are these beginnings.
var Blameless = [...]string{NoRecord, NotRecorded, Host}

// Tail returns a text of at most n runes. Of a longer one it returns the end, which tells one function or file from
// others: without folders, and with an ellipsis where that is still too long.
func Tail(s string, n int) string {
	if i := strings.LastIndexByte(s, '/'); len(s) > n && i >= 0 {
		s = s[i+1:]
	}
	if r := []rune(s); len(r) > n {
		return "…" + string(r[len(r)-n+1:])
	}
	return s
}
