package workers_test

import (
	"context"
	"fmt"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/workers"
)

// A library that must be called from one thread lives on worker 0; a job on any other goes there for a moment.
func ExamplePool_SubmitTo() {
	p := workers.New(workers.Options{Bound: 1})
	defer p.Close(context.Background())
	upload := func(pixels string) (int, error) { return len(pixels), nil } // only on that thread
	texture := workers.Submit(p, deadline.Normal, func() (int, error) {
		pixels := "decoded anywhere"
		return workers.SubmitTo(p, 0, func() (int, error) { return upload(pixels) }).Wait(context.Background())
	})
	fmt.Println(texture.Wait(context.Background()))
	// Output: 16 <nil>
}
