package workers

// An item is what queues hold: a caller-owned Job, or a bare function. It is two words by value, so that Go neither
// needs a node nor allocates. One of the words is a type, which the garbage collector neither reads nor is told of
// when it is written: a field for each would cost it twice as much. The zero item is none.
type item struct{ v any }

func jobItem(j *Job) item { return item{j} }

func funcItem(f func()) item { return item{f} }

// job returns nil if it is a function.
func (it item) job() *Job {
	j, _ := it.v.(*Job)
	return j
}

func (it item) fn() func() {
	f, _ := it.v.(func())
	return f
}
