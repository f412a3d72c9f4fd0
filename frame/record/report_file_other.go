//go:build !unix

package record

// noWait has no meaning where pipes have no names in folders.
const noWait = 0
