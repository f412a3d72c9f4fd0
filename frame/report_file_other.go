//go:build !unix

package frame

// noWait has no meaning where pipes have no names in folders.
const noWait = 0
