package docs_test

import (
	"fmt"
	"time"

	"github.com/frameslice/frameslice"
)

func Example_preset() {
	o := frameslice.FillAll.Options()
	o.Interval = time.Second / 120 // the display's rate, if the game knows it
	loop := frameslice.NewWith(o)
	defer loop.Close()
	fmt.Println(loop.Stats().Interval.Round(time.Microsecond))
	// Output: 8.333ms
}

func Example_quality() {
	loop := frameslice.New(frameslice.LeaveOne)
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
	loop := frameslice.New(frameslice.LeaveOne)
	defer loop.Close()
	later := loop.After(frameslice.Normal, time.Hour, func() {})
	frame(loop)
	fmt.Println("the slice:", loop.Stats().Short)
	fmt.Println("the task:", later.Why())
}
