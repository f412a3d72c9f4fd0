package canvas

import (
	"strconv"
	"time"
)

// AppendMillis writes a duration in milliseconds with the digits that matter.
func AppendMillis(b []byte, d time.Duration) []byte {
	return append(AppendMS(b, float64(d)/1e6), " ms"...)
}

// AppendMS writes milliseconds: two decimals below ten, one below a hundred.
func AppendMS(b []byte, ms float64) []byte {
	switch {
	case ms < 9.995:
		return strconv.AppendFloat(b, ms, 'f', 2, 64)
	case ms < 99.95:
		return strconv.AppendFloat(b, ms, 'f', 1, 64)
	}
	return strconv.AppendFloat(b, ms, 'f', 0, 64)
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
