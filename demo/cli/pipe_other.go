//go:build !unix

package cli

// keepWithoutReader does nothing, because there is no SIGPIPE.
func keepWithoutReader() {}
