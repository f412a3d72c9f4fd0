package workers

// Notify arranges that f is called once j has finished: at once on the calling goroutine if it has, later on
// whatever goroutine ends it. So f must be short, must not block and must not panic. It may be called before
// Submit. If j is submitted again at the moment when it finishes, f may be called a second time. It allocates
// a few words. Any goroutine.
func (j *Job) Notify(f func()) {
	if f == nil {
		panic("workers: Job.Notify of a nil function")
	}
	j.notify(f)
}
