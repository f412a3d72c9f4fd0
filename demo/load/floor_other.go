//go:build !linux

package load

func canSpin() error { return usage("mode %q needs Linux", Floor) }

func spin(int) (stop func(), err error) { return nil, canSpin() }
