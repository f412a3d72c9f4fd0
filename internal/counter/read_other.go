//go:build !amd64 || !linux || purego

package counter

// Available reports whether the processor has a counter that runs at one rate. It does not change.
func Available() bool { return false }

// Read reads the counter. Only if Available.
func Read() uint64 { return 0 }
