package workers

// While a trace is taken, jobs are regions of it, named like the job. A job of less than 20 µs is a region only now and
// then, as the job is timed only now and then: a region takes longer than the job.

// show says what kind of work the worker does from now on, nil for none.
func (w *Worker) show(k *kind) {
	if w.shown == k {
		return
	}
	w.shown = k
	w.kind.Store(k)
}

// endRegion ends the region of the job that the worker ran, if it has one.
func (w *Worker) endRegion() {
	if w.region != nil {
		w.region.End()
		w.region = nil
	}
}
