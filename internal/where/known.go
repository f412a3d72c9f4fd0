//go:build !explore

package where

// known is the one table of the process: goroutines belong to nothing smaller.
var known table
