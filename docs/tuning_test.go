package docs_test

import (
	"fmt"
	"time"

	"github.com/frameslice/frameslice"
)

func Example_preset() {
	o := frameslice.Balanced.Options()
	o.Interval = time.Second / 60 // a guess is corrected; without one, some of the first 24 slices have only 0.5 ms
	o.Recorder.WarmUp = -1        // else the report leaves out the first 60 frames
	loop := frameslice.NewWith(o)
	defer loop.Close()
	fmt.Println(loop.Stats().Interval.Round(time.Microsecond))
	// Output: 16.667ms
}

func Example_quality() {
	loop := frameslice.New(frameslice.Balanced)
	defer loop.Close()
	particles := 4000
	loop.Each(frameslice.BeforeUpdate, func() {
		particles = 4000 / (1 + loop.Pressure()) // 0: all is well, 4: far too much work
	})
	frame(loop)
	fmt.Println(particles)
	// Output: 4000
}

func Example_whyShort() {
	loop := frameslice.New(frameslice.Balanced)
	defer loop.Close()
	later := loop.After(frameslice.Normal, time.Hour, func() {})
	frame(loop)
	fmt.Println("the slice:", loop.Stats().Short)
	fmt.Println("the task:", later.Why())
}
