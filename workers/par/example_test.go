package par_test

import (
	"context"
	"fmt"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/workers"
	"github.com/frameslice/frameslice/workers/par"
)

func ExampleMap() {
	p := workers.New(workers.Options{})
	defer p.Close(context.Background())
	squares := par.Map(p, nil, []int{1, 2, 3}, func(x int) int { return x * x })
	sum := par.Reduce(p, len(squares), 0,
		func(lo, hi int) (s int) {
			for _, x := range squares[lo:hi] {
				s += x
			}
			return s
		},
		func(a, b int) int { return a + b })
	fmt.Println(squares, sum)
	// Output: [1 4 9] 14
}

func ExampleStrand() {
	p := workers.New(workers.Options{})
	saves := par.NewStrand(p)
	file := "" // needs no lock, because only the strand's functions use it
	for _, line := range []string{"grass", "stone", "water"} {
		saves.Go(deadline.Low, func() { file += line + " " })
	}
	fmt.Println(p.Close(context.Background()), file) // Close runs what is left
	// Output: <nil> grass stone water
}

func ExampleStream() {
	p := workers.New(workers.Options{})
	defer p.Close(context.Background())
	s := par.NewStream[string](p, deadline.Normal, 0)
	for i := range 3 {
		_ = s.TrySubmit(func(out *string) error { *out = fmt.Sprint("chunk ", i); return nil })
	}
	s.Close()
	for v, err := range s.All(context.Background()) {
		fmt.Println(*v, err)
	}
	// Output:
	// chunk 0 <nil>
	// chunk 1 <nil>
	// chunk 2 <nil>
}
