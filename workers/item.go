package workers

// An item is what queues hold: a caller-owned Job, or a bare function. It is an interface value, two words, so that Go
// needs no node and does not allocate. One of the words is a type, which the garbage collector ignores. Two fields
// instead, for a Job and a function, would cost the collector twice as much. The zero item is none.
type item struct{ v any }

func jobItem(j *Job) item { return item{j} }

func funcItem(f func()) item { return item{f} }

// job returns nil for a function.
func (it item) job() *Job {
	j, _ := it.v.(*Job)
	return j
}

// waits reports whether the item is a job of SubmitWaiting.
func (it item) waits() bool {
	j := it.job()
	return j != nil && j.waits
}

func (it item) fn() func() {
	f, _ := it.v.(func())
	return f
}

// An executor runs in place of Func: a Future, a link, a job of a Group, or a function passed to Go.
type executor interface {
	exec(w *Worker)
	execEnded(err error) // called before the job is finished, if exec did not return
	entry() uintptr      // the code pointer of the user's function
}

func (w *Worker) invoke(it item) {
	switch {
	case it.job() == nil:
		it.fn()()
	case it.job().exec != nil:
		it.job().exec.exec(w)
	default:
		it.job().Func(w)
	}
}
