package canvas

import (
	"strconv"
)

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
