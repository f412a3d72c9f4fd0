package explore

// Raced reports whether the race detector runs.
func Raced() bool { return raced() }
