//go:build !unix

package cli

// keepWithoutReader does nothing: without SIGPIPE a reader of the output that has gone is an error in any case.
func keepWithoutReader() {}
