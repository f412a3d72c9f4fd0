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

// LeftOfSources returns how many decodings are ready for their source or run it, and how many wait in line.
func LeftOfSources[K comparable, T any](ld *Loader[K, T]) (in, waiting int) {
	for lane := range ld.sources.line {
		waiting += ld.sources.line[lane].Len()
		in += ld.sources.in[lane]
	}
	return in, waiting
}
