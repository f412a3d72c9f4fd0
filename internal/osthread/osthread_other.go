//go:build !linux && !windows

package osthread

// Lower is not supported here.
func Lower() (Class, error) { return Ordinary, ErrUnsupported }

// Lowered is not supported here.
func Lowered() (Class, error) { return Ordinary, ErrUnsupported }

// CPUs is not supported here.
func CPUs() ([]int, error) { return nil, ErrUnsupported }

// Pin is not supported here.
func Pin(...int) error { return ErrUnsupported }

// Name is not supported here.
func Name(string) error { return ErrUnsupported }

// ID is not supported here: it returns 0.
func ID() int { return 0 }

// ReadUsage is not supported here.
func ReadUsage() (Usage, error) { return Usage{}, ErrUnsupported }

// first is not known here, and does not matter: no thread is changed.
func first() bool { return false }
