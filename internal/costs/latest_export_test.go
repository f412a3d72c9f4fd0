package costs

// Skip counts n runs that took no time.
func (l *Latest) Skip(n int) { l.runs.Add(uint64(n)) }
