package frame

import (
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/internal/bubble"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// Wait says how the loop waits for the next tick, in Run and with Options.Pace.
type Wait uint8

const (
	// WaitSyscall is the zero value: on Linux a clock_nanosleep until the absolute time of the tick, late by
	// 0.04 ms at the 99th percentile where a Go timer is late by 0.8 ms. Elsewhere a sleep that is shortened
	// by the measured lateness of sleeps, and a spin of at most 1 ms. Stop and a canceled context end the
	// wait within 20 ms: of a longer wait only the end is such a sleep, and the rest is that of WaitTimer.
	WaitSyscall Wait = iota
	// WaitTimer waits on a Go timer: late by up to a millisecond, and without a thread of its own. Stop and a canceled
	// context end the wait at once. Within a testing/synctest bubble it is what WaitSyscall is, too.
	WaitTimer
)

// String returns "syscall" or "timer".
func (w Wait) String() string {
	switch w {
	case WaitSyscall:
		return "syscall"
	case WaitTimer:
		return "timer"
	}
	return "invalid wait"
}

// Options are the settings of a Loop. The zero value is ready: a hosted loop whose refresh period is
// measured, a scheduler and a pool of its own with their defaults, no process-wide setting touched. So it is in a test
// in virtual time: see the package comment.
type Options struct {
	// Interval is the time from the start of one frame to the start of the next. Run keeps it; for a hosted loop it is
	// what is assumed until the host's own period has been measured, and the target where nothing paces the host; with
	// Pace no frame comes sooner. The default (zero) value is 1/60 s; otherwise at least 50 µs.
	//
	// With the default a hosted loop's slices are small until the period is known (but not in the shadow), as slices
	// that fill 1/60 s would hide that the display is faster: 0.5 ms at most until four frames in a row, each with half
	// of its time to spare, have agreed on it, and so is one in four of the first 24 frames. Where they do not agree,
	// for want of a display or because the game's own work is more than half of its frames, all of the 24 are small.
	// Frames after a Rest do not count there, so where each frame follows one the slices stay small. An interval that
	// is given holds from the first frame on, and until measured frames contradict it. To keep it whatever is
	// measured, set Budget.Interval. SetInterval changes it.
	Interval time.Duration

	// Budget bounds the slice. A zero Interval means the measured one, or Options.Interval for Run, whose ticks another
	// one leaves as they are; a zero Reserve means a controlled one (see the package comment), and a negative one
	// none; the other zero values are deadline.Budget's: at least 500 µs or an eighth of the interval, whichever is
	// less, and at most the interval.
	Budget deadline.Budget

	// Scheduler are the options of the loop's scheduler; the default (zero) values are its own. It must have no
	// Clock: the loop goes by the system's. With Rethrow the panic of a task comes out of Slice, under PlaceShadow
	// out of the next Begin, and that of a phase's callback out of where the phase runs.
	Scheduler scheduler.Options

	// Workers are the options of the loop's pool; the default (zero) values are its own: one worker less than
	// GOMAXPROCS. On one P and on js there are no workers, and the jobs run in the slice.
	Workers workers.Options

	// Pool, if not nil, is a pool to share instead of one of the loop's own: Workers is ignored, Close leaves
	// it open. The default (nil) is one of the loop's own. Within a testing/synctest bubble it must have been made
	// there: New panics with any other.
	Pool *workers.Pool

	// NoJobs keeps the slice from running the pool's jobs in what the tasks leave of it. It is ignored while
	// the pool has no worker, or only background workers, which leave the urgent jobs alone. The default (zero)
	// value lets the frame goroutine help.
	NoJobs bool

	// Placement is where a frame's slice lies. The default (zero) value is PlaceAuto, which Wrap decides: in the
	// shadow of the swap if a P is to spare then, and otherwise in Slice. Without Wrap it is in Slice, and with Run
	// between its function and the waiting.
	Placement Placement

	// Wait is how the loop waits, where it does: in Run and with Pace. The default (zero) value is WaitSyscall, but
	// within a testing/synctest bubble WaitTimer, whatever is said here.
	Wait Wait

	// Pace makes a hosted loop wait at the end of a frame, in End, while the host turns out not to be paced by
	// anything: a window without vertical synchronization, a virtual display. Such a host runs at hundreds of frames
	// per second and leaves the workers nothing. With an Interval (or SetInterval) it waits whatever the host is paced
	// by, as long as the host's own frames are shorter by an eighth or more: then that is the frame rate, also where
	// the display is faster, or a renderer in software takes half of it for each frame. So a program that is to go with
	// the display sets Pace alone. The default (zero) value leaves the host alone.
	Pace bool

	// Thread is what Run takes of its thread, or the most below that which the system grants: Stats tells. But for
	// ThreadShared Run locks its goroutine to the thread, if it is not, and leaves it locked: coroutines that were made
	// under the lock can only be resumed under it, on that thread. So Run also closes the loop before it returns; the
	// thread's priority it gives back. The default (zero) value is ThreadShared. A host
	// that has its own loop calls TakeThread. Within a testing/synctest bubble it is ThreadLocked at most: the system
	// knows nothing of that time.
	Thread Thread

	// Tick is the fixed step by which one Update of a wrapped game moves its world: one second by Ebitengine's
	// TPS. The default (zero) value is unknown, and the records then carry no Step. It must not be negative.
	Tick time.Duration

	// JumpAfter is the gap between two frames, from End to Begin, beyond which it counts as a jump of the clock (a
	// suspended machine, a hidden tab, a debugger) rather than as a late frame: a jump is in no statistics but Jumps
	// and JumpTime, and puts off all timers by its length. In Ebitengine all uploads of pictures and all drawing lie in
	// that gap: see "Jumps" in the package comment. A time from Begin to End that is 20 times as long is a jump, too.
	//
	// The default (zero) value is 5 s or 160 intervals, whichever is longer, for both. Shorter gaps are late frames
	// then, and from 250 ms or 8 intervals on they also put off all timers. In a fourth such gap in a row, and those
	// that follow, they are the host's rate: up to 2 s they put off no timer, and beyond 750 ms they are jumps.
	// Negative means that there are no jumps and no timer is put off: for tests, which are to fail on every freeze. A
	// host that sleeps on purpose says so by Loop.Rest. In a browser, the time for which the page is hidden is such a
	// rest.
	JumpAfter time.Duration

	// KeepOpen makes a wrapped game's error (ebiten.Termination included) leave the loop open. The default
	// (zero) value closes it before the host sees the error, because the host's library may not outlive its
	// loop, and jobs may call it.
	KeepOpen bool

	// Grace is how long Close waits for the jobs that the pool has accepted. The default (zero) value is one
	// second; negative drops what has not started.
	Grace time.Duration

	// IdleGC has the loop begin the process's garbage collections itself, on a goroutine of its own, right after a
	// frame's own work: at the beginning of Slice, or in End of a frame without one, and not when half an interval has
	// gone by since then because every P was busy. What they stop, and what they take away from others, then falls into
	// the time in which nobody waits for a frame; and the pool's background workers, for which a collection may have to
	// wait, begin no jobs for up to 3 ms: see Pool.StandBack. It is for programs whose jobs allocate, the more so with
	// background workers. One begins when the heap, with what two frames may add to it, is where a collection should
	// end by GOGC, or has grown by 32 MiB where that is more, and at four fifths of the way there if GOMEMLIMIT makes
	// the goal nearer; none in the first half of it, and none where the goal is within a sixteenth of what is alive.
	//
	// So that the runtime's do not come first, GOGC is raised while the loop looks at the heap, once in five frames at
	// least: to twice of what it was, and to as much as is needed to have 64 MiB more, but five times as much at most.
	// So a program that allocates that much in a few frames, or between two, or whose frames have no such rest, uses
	// more memory. When there has been no look for a second, and from Close of the last such loop on, GOGC is what it
	// was. A GOGC that the program sets meanwhile stays. To save GOGC and set it again later saves the raised one.
	//
	// A frame pays 50 ns, one in five or more of them 3 µs more for a look, and Close waits for a collection in
	// progress. Stats counts them. Several loops may set it, and close in any order: they share one GOGC, and each
	// begins collections when its own frame is done. The default (zero) value leaves all collections to the runtime,
	// which begins them whenever the goal is near.
	IdleGC bool

	// Watchdog is for how long a frame may be under way, from its Begin to its End, before OnStuck is told, once: then
	// a task, a job or the frame's own work waits for what never comes, or for what comes much too late. Between
	// frames a host may wait for as long as it likes; so it may in Nest, and between the calls of a wrapped game.
	// A debugger that stops the program, and a machine that sleeps, are not taken for a hang, unless the frame goes on
	// for half as long again. The default (zero) value is 10 s, what is less than a millisecond counts as one, and
	// negative means that nobody watches. It takes some 12 ns a frame, and twice in each Watchdog, while there are
	// frames, a timer. In a browser, where all goroutines share one thread, it does not see what computes without end.
	Watchdog time.Duration

	// OnStuck is told of a frame that has been under way for Watchdog, on a goroutine of its own, which nobody waits
	// for. It may call what any goroutine may. The default (nil) prints Stuck to standard error, with its stacks.
	OnStuck func(Stuck)

	// Recorder are the options of the loop's Recorder. The default (zero) values are its own, but for Target, which
	// is Interval, and where that is not set 1/60 s in Run, else either Budget.Interval, or the host's refresh period
	// as measured: frames are judged by the display that they are on. (Where the host is always late by as much, as
	// with a GPU that takes two refreshes for every frame, that looks like a slower display: set Interval to judge it
	// by your own.)
	Recorder record.Options

	// Pressure says when Loop.Pressure rises and falls. The default (zero) values stand at its fields.
	Pressure PressureOptions
}

// withDefaults returns o with every default filled in that does not depend on measurement.
func (o Options) withDefaults() Options {
	o.check()
	if bubble.Here() {
		o.Wait = WaitTimer // a wait in a system call would be one in the machine's time
	}
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
