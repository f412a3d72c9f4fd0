package load

// Left returns how many keys a request may join, how many decodes are in flight, and how many are held, when no task
// runs.
func Left[K comparable, T any](ld *Loader[K, T]) (decodes, inFlight, held int) {
	for lane := range ld.held {
		inFlight += ld.inFlight[lane]
		held += ld.held[lane].Len()
	}
	return len(ld.decodes), inFlight, held
}

// LeftOfSources returns how many sources run, and how many decodings wait for one.
func LeftOfSources[K comparable, T any](ld *Loader[K, T]) (running, waiting int) {
	for lane := range ld.sources.line {
		waiting += ld.sources.line[lane].Len()
	}
	return ld.sources.running, waiting
}
