package runqueue

import "testing"

// A rival is a way to use the deque.
type rival interface {
	Push(j *int)
	Pop() (j *int, ok bool)
	Steal() (j *int, ok, retry bool)
}

// A shared is a deque with every item published at once, as jobs are.
type shared struct{ Deque[*int] }

func (d *shared) Push(j *int) {
	d.Deque.Push(j)
	d.Publish()
}

func (d *shared) Pop() (*int, bool) { return d.PopOne() }

// A hungry is a deque with items published when the shared end is empty, as forks are while there are thieves.
type hungry struct{ Deque[*int] }

func (d *hungry) Push(j *int) {
	d.Deque.Push(j)
	if d.AllTaken() {
		d.PublishHalf()
	}
}

func rivals() map[string]rival {
	return map[string]rival{"private": &Deque[*int]{}, "on demand": &hungry{}, "published": &shared{}}
}

func BenchmarkDeque(b *testing.B) {
	j := new(int)
	for name, d := range rivals() {
		b.Run("push+pop/"+name, func(b *testing.B) {
			for b.Loop() {
				d.Push(j)
				d.Pop()
			}
		})
		b.Run("push+steal/"+name, func(b *testing.B) {
			for b.Loop() {
				d.Push(j)
				d.Steal()
			}
		})
	}
}

func BenchmarkInjector(b *testing.B) {
	var q Injector[any]
	q.Init()
	for b.Loop() {
		q.Push(nil)
		q.Pop()
	}
}
