package load

// Flights returns how many keys are under way, when no task runs.
func Flights[K comparable, T any](ld *Loader[K, T]) int { return len(ld.flights) }

// Ahead returns how many of them the pool has, or have a value that waits, and how many are held back.
func Ahead[K comparable, T any](ld *Loader[K, T]) (ahead, held int) {
	for _, n := range ld.ahead {
		ahead += n
	}
	return ahead, len(ld.held)
}
