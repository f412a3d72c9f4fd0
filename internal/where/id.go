package where

// ID returns the number of the calling goroutine, never 0: the address of the runtime's g, of which nothing is read. A
// goroutine has its number for its lifetime. A later goroutine may get the number of one that has ended.
func ID() uintptr { return g() }

// g returns the g pointer.
func g() uintptr
