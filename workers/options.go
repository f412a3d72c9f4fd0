package workers

import (
	"fmt"
	"math"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/mpmc"
)

// Pin says what binds an ordinary worker to the machine. A worker is always the same goroutine with the same
// index and queues; background workers are always locked to a thread of their own.
type Pin uint8

const (
	// PinNone leaves the goroutine to Go's scheduler, and its thread to the system's. It is the default.
	PinNone Pin = iota
	// PinThread locks each worker to an OS thread. A pool with one such worker is for a library that must be called
	// from one thread: see the example. Blocking and waking it cost two switches of threads more, but not for its own
	// sleep with ParkSyscall, with which it is woken soonest: see Park.
	PinThread
	// PinCPU locks each worker to an OS thread and that to one processor, a core of its own as long as there are
	// any, near to where the frame is; where cores are fast and slow, the fast ones first, and background workers
	// may use the slow ones only: see Pool.Topology. Linux and Windows; elsewhere
	// and where the system refuses, it is PinThread, with a word about it in Stats.
	//
	// Child processes and C threads that a job starts inherit the binding, except on Windows: all of them share that
	// one processor. In the same way they inherit the low priority of a background worker. To avoid that, start them on
	// a goroutine, with go, and wait for the goroutine within Worker.Blocking: Go never runs it on a worker's thread.
	PinCPU
)

// String returns the name of the way in lower case.
func (k Pin) String() string {
	switch k {
	case PinNone:
		return "none"
	case PinThread:
		return "thread"
	case PinCPU:
		return "cpu"
	}
	return "invalid"
}

// Options configures a Pool. The zero Options is a good choice for a program with a frame, and in its tests: a pool
// that is made within a testing/synctest bubble lets virtual time pass, whatever the options. There Park is ParkChan,
// background workers have the ordinary OS priority, and nobody is nudged; such a pool is for that bubble's goroutines
// only, and one from outside is not for those.
type Options struct {
	// Workers is how many workers run at the process's own priority. The default (zero) value is
	// GOMAXPROCS-1, so that one P is always left to the frame, without what RaiseProcs added, and it follows
	// GOMAXPROCS up to the number of processors; but not more than keep, with the frame, within a container's CPU
	// quota, which Go rounds up, because whoever uses it up is stopped for several frames. On one P, and in a browser,
	// that is none: jobs then run in RunUntil, Wait, Scope and Close. Negative means none. At most MaxWorkers.
	//
	// On Linux a quota below one processor also paces the jobs of every worker, and of RunUntil with a deadline, while
	// frames begin (BeginFrame). A job then waits until the process has saved up the time for the job, so that the
	// frames keep their share. Jobs that the frames leave no time for begin once a second. Stats has a note about it.
	Workers int

	// Background is how many workers there are besides, each locked to a thread of the lowest OS priority.
	// They take the jobs of the priorities Normal, Low and Idle, and the Workers take only what is more
	// urgent: so a frame never depends on a thread that the system may leave standing, and a job there may be
	// long, because it is the system that interrupts it. The default (zero) value is none; then the Workers
	// take all jobs. Negative means one for each processor, or under a CPU quota, which they use up like everybody,
	// one less than that grants in full, but one at least. At most MaxWorkers. Where threads cannot be
	// lowered there are none, with a word about it in Stats.
	//
	// Where other programs of this one's session or control group keep every processor busy, such a thread gets some
	// ms in each second. A job that it is in holds up whatever stops the world, so the frame, should that or anybody
	// allocate. So on Linux, when a job of more than 0.2 ms has been kept off for 0.1 s, and for eight times as long as
	// it ran, and the process itself did not use three quarters of the processors, background workers have ordinary
	// priority, each on a new thread from its next job on, for 3 s at least, and until jobs are hardly kept off any
	// more. Stats tells each one's class. Until that is seen, in each such time, a frame may stand still once or twice,
	// for 0.5 to 2.5 s, and for longer where a long job is in hand.
	//
	// A process of real-time priority (chrt -r) has no background workers, and Stats says so: there a thread of low
	// priority may not run at all, and Go's runtime waits for every thread.
	Background int

	// RaiseProcs raises GOMAXPROCS by the number of background workers, and if there are any by two more, and by one
	// for each processor that is nudged (ExpectFrame), while the pool is open, so that a goroutine of the
	// frame does not wait for a P that a descheduled thread holds: a background worker's, or one of the runtime's that
	// another has displaced. With Pin and ParkSyscall it also adds one for each ordinary worker that there is at New,
	// up to the number of processors, unless a CPU quota grants less: such a worker holds one, or soon finds one, when
	// it is woken. This is an act on the whole process: it stops the world for some 50 µs at New and Close. While a
	// pool is open Go does not follow a change of the container's CPU limit. Close takes its share back, and the last
	// one to close restores Go's default, if that was in force before. If somebody has set GOMAXPROCS meanwhile, the
	// value stays.
	RaiseProcs bool

	// Pin binds ordinary workers. The default (zero) value is PinNone.
	Pin Pin

	// Park is how workers without work sleep. The default (zero) value is ParkAuto. Within a testing/synctest bubble it
	// is ParkChan whatever it says, as the others would have time stand still there.
	Park Park

	// Timeouts say after how long a waiting lane is served ahead of more urgent ones, where workers serve
	// several. Zero fields mean the defaults of deadline.Timeouts.
	Timeouts deadline.Timeouts

	// OnPanic is called with the panic of a function that was passed to Go, on the goroutine that ran it. The
	// default (nil) value lets it crash the process, as the panic of a goroutine does.
	OnPanic func(*PanicError)

	// MaxWaiting is how many submitted jobs may wait at once: what Pool.Go, Pool.Submit, Submit, Pool.SubmitContext
	// and Streams have submitted and nobody has begun. Not counted, and always taken, is what jobs submit through their
	// Worker, and what belongs to a Scope or Group. The default (zero) value, as a negative
	// one, means no limit. At most 1<<30, and 1<<24 on 32 bits; each takes 16 bytes.
	MaxWaiting int

	// Overflow is what becomes of a submission when MaxWaiting jobs wait. The default (zero) value is
	// OverflowReject. Without a way to return the error, Go drops the function, and a Job or Future finishes
	// with it.
	Overflow Overflow

	// Spares is how many workers, of each class, may stand in at once for those within Worker.Blocking. The
	// default (zero) value is 8. Negative means none. With them there are at most MaxWorkers.
	Spares int

	// Labels says that a goroutine which runs a job has the profiler's label "job" with the job's label, or its
	// function's name, so that a CPU profile can be divided by it. The default (zero) value is not; else a
	// change from one kind of job to another costs some 20 ns.
	Labels bool

	// Insight says that the pool keeps what Pool.Insight tells: counts for each lane and worker, how long jobs and
	// wake-ups take to begin, and what each kind of job costs. The default (zero) value is not, which costs nothing;
	// else some 200 ns for each job, and an allocation for each function that is passed to Go.
	Insight bool
}

// maxWaiting is the greatest Options.MaxWaiting: a pool makes room for all places at once.
const maxWaiting = mpmc.MaxCapacity

// check panics if a field has a value that it cannot have: here, where the caller's name is on the stack.
func (o *Options) check() {
	for _, f := range []struct {
		name             string
		value, low, high int
	}{
		{"Workers", o.Workers, math.MinInt, MaxWorkers},
		{"Background", o.Background, math.MinInt, MaxWorkers},
		{"Pin", int(o.Pin), 0, int(PinCPU)},
		{"Park", int(o.Park), 0, int(ParkSyscall)},
		{"Overflow", int(o.Overflow), 0, int(OverflowRun)},
		{"MaxWaiting", o.MaxWaiting, math.MinInt, maxWaiting},
	} {
		switch {
		case f.value < f.low:
			panic(fmt.Sprintf("workers: New with Options.%s of %d, less than %d", f.name, f.value, f.low))
		case f.value > f.high:
			panic(fmt.Sprintf("workers: New with Options.%s of %d, more than %d", f.name, f.value, f.high))
		}
	}
}
