package autopsy_test

import (
	"fmt"
	"os"

	"github.com/frameslice/frameslice"
	"github.com/frameslice/frameslice/frame/autopsy"
)

func ExampleStart() {
	dir, err := os.MkdirTemp("", "frames")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)

	box, err := autopsy.Start(autopsy.Options{Dir: dir, OnHitch: func(r autopsy.Report) { fmt.Println(r) }})
	if err != nil {
		fmt.Println(err) // a nil box does nothing
	}
	o := frameslice.LeaveOne.Options()
	o.Recorder.OnLate = box.Late
	loop := frameslice.NewWith(o)
	for range 3 {
		loop.Begin()
		loop.Slice()
		loop.End()
	}
	fmt.Println(loop.Close(), box.Close())
	// Output: <nil> <nil>
}
