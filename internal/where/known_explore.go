//go:build explore

package where

// known knows of no goroutine. A table that outlives a schedule would make the next schedule of a program differ.
var known nobody

type nobody struct{}

func (nobody) make(uintptr) *cell { return new(cell) }

func (nobody) find(uintptr) *cell { return new(cell) }
