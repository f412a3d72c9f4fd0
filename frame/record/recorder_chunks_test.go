package record

// holdChunks holds every chunk but the current one, as that many readers would, until release is called. It
// returns how many it held.
func (r *Recorder) holdChunks(which func(i int) bool) (held int, release func()) {
	var chunks []*chunk
	for i, c := range r.ring.chunks {
		if int32(i) != r.ring.current.Load() && which(i) && c.hold() {
			chunks = append(chunks, c)
		}
	}
	return len(chunks), func() {
		for _, c := range chunks {
			c.release()
		}
	}
}

// oldest returns the index of the chunk which the writer takes next.
func (r *Recorder) oldest() int { return (int(r.ring.current.Load()) + 1) % len(r.ring.chunks) }

// takeOver leaves the chunk k before the current one as the writer does while it takes it over. done ends
// that, and reports whether nobody else touched it.
func (r *Recorder) takeOver(k int) (done func() bool) {
	n := len(r.ring.chunks)
	c := r.ring.chunks[(int(r.ring.current.Load())-k+n)%n]
	c.holders.Store(-1)
	return func() bool { return c.holders.CompareAndSwap(-1, 0) }
}
