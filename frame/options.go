package frame

import (
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// Options are the settings of a Loop. The zero value is ready: a hosted loop that measures the display's refresh
// period, with a scheduler and a pool of its own. It also works in a testing/synctest bubble.
type Options struct {
	// Interval is the time from the start of one frame to the start of the next: 1/60 s by default, at least 50 µs.
	// Run keeps to the interval. A hosted loop measures the display's period and corrects the interval.
	//
	// Until the loop has measured the period, it keeps most slices to 0.5 ms. Set Interval to skip that. To keep the
	// interval whatever is measured, set Budget.Interval. SetInterval changes the interval later.
	Interval time.Duration

	// Budget bounds the slice. A zero Interval means the measured one. A zero Reserve means that the loop controls the
	// reserve by its result. The other zero values have the defaults of deadline.Budget.
	Budget deadline.Budget

	// Scheduler has the options of the loop's scheduler. It must have no Clock. With Rethrow the panic of a task comes
	// out of Slice, or with PlaceShadow out of the next Begin.
	Scheduler scheduler.Options

	// Workers has the options of the loop's pool. By default there is one worker less than GOMAXPROCS. On one P and in
	// a browser there are no workers, and the slice runs the jobs.
	Workers workers.Options

	// Pool is a pool to share; by default the loop makes one. The loop then ignores Workers, and Close leaves the pool
	// open. In a testing/synctest bubble the pool must be from the same bubble.
	Pool *workers.Pool

	// NoJobs keeps jobs out of the slice; by default the frame goroutine helps the workers in what the tasks leave.
	// Set it with Background workers on every processor. A pool without ordinary workers ignores it for urgent jobs.
	NoJobs bool

	// Placement says where in a frame the slice lies: PlaceAuto by default.
	Placement Placement

	// Pace makes a hosted loop wait in End if nothing else paces the host; by default it does not.
	// Set it for a window without vertical synchronization. With an Interval the loop also holds back a host that is
	// paced to a shorter one.
	Pace bool

	// Thread is what Run asks of its thread: nothing by default. Other values lock Run's goroutine to its thread, and
	// Run closes the loop before it returns. Stats tells what the system has granted. A host that has its own loop
	// calls TakeThread.
	Thread Thread

	// Tick is the fixed step of a wrapped game's Update, for the records: unknown by default. Set it to one second
	// divided by the game's ticks per second.
	Tick time.Duration

	// JumpAfter is how long a gap between two frames is a jump of the clock and no late frame. The default is 5 s, or
	// 160 intervals if that is longer. A jump is in no statistics but Jumps and JumpTime, and puts off all timers.
	//
	// Set it to 250 ms where dragging the window stops the frames. Negative means no jumps: for tests, which must fail
	// on every freeze. A host that sleeps on purpose calls Rest instead. See "Jumps" in the package comment.
	JumpAfter time.Duration

	// Grace is how long Close waits for the jobs of the loop's own pool: one second by default. Negative drops the jobs
	// that have not started.
	Grace time.Duration

	// IdleGC has the loop begin the process's garbage collections, right after a frame's own work; by default the
	// runtime begins them at any time. Set it if jobs allocate much.
	//
	// The loop raises GOGC while there are frames, at most to five times its value, so the program uses more memory.
	// Close restores GOGC. A GOGC that the program sets meanwhile stays. Several loops may set IdleGC.
	IdleGC bool

	// Watchdog is how long a frame may take from Begin to End before the loop calls OnStuck, once: 10 s by default, at
	// least 1 ms. Negative means that nobody watches.
	Watchdog time.Duration

	// OnStuck is told of a frame that does not end, on a goroutine of its own. The default prints the frame to standard
	// error.
	OnStuck func(Stuck)

	// Recorder has the options of the loop's Recorder. The default Target is Interval. Without Interval it is 1/60 s in
	// Run, and the display's period as measured in a hosted loop.
	Recorder record.Options

	// Pressure says what Loop.Pressure counts as a full load. The defaults stand at its fields.
	Pressure PressureOptions
}

// withDefaults returns o with every default filled in that does not depend on measurement.
func (o Options) withDefaults() Options {
	o.check()
	if o.Recorder.Target == 0 {
		o.Recorder.Target = o.Interval // 0 is for the loop to fill in, frame by frame
	}
	if o.Interval == 0 {
		o.Interval = record.DefaultInterval
	}
	if o.Grace == 0 {
		o.Grace = time.Second
	}
	if !shadowPossible {
		o.Placement = PlaceAfterDraw
	}
	return o
}
