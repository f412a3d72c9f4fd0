// Package autopsy says in one sentence what made a frame late: it reads Go's execution trace of the last seconds.
//
//	box, err := autopsy.Start(autopsy.Options{Dir: "out", OnHitch: func(r autopsy.Report) { fmt.Println(r) }})
//	...
//	loop := frame.New(frame.Options{Recorder: record.Options{OnLate: box.Late}})
//	...
//	loop.Close()
//	err = box.Close()
//
// It prints, for example:
//
//	frame 8123, 41.0 ms late: 27.9 waiting for a processor: job decode and main.walk had both; 9.1 helping the garbage collection in task spawn;
//	3.2 the system ran other threads or processes; 17.5 the rest
//
// The trace also lies in a file, for `go tool trace`. Read accounts for the frame in such a file later.
//
// # What the account has
//
// The interval is from the start of the frame before to the start of the late frame, as in record.Record.Interval. Each
// nanosecond belongs to one Part, and the parts add up to the interval. A part has a Kind, the place where the frame
// was, and who or what caused it. The places are the regions that frameslice writes while a trace is on, and the
// program's own (runtime/trace.StartRegion). While the frame waits for its slice on another goroutine, or for a
// coroutine, the account is that goroutine's. So it is for a host that waits for a goroutine in a system call.
//
// The frames before, in the same trace, say how long each part usually takes. A part that is most above its usual time
// comes first. The loop's wait for the time of the next frame is never a cause.
//
// On Linux, where the frame stays on one thread (runtime.LockOSThread in the host), the account also has the time that
// the system took from that thread. It took the time for other threads and processes, the CPU quota of a container,
// stops by SIGSTOP, or page faults. The thread's use is read at the beginning of a frame and after each region of 1 ms
// or more. So name the long parts of a frame, as sections or tasks with a label, and the system's part lies where it
// was.
//
// A program cannot tell the system from the hypervisor: both pause a thread. Memory in huge pages counts as work. The
// time charged to goroutines that made a timer late is an upper bound.
//
// # What it costs
//
// While no frame is late a Box costs what the runtime's tracing costs, a percent or two, and the memory of the window.
// A goroutine of its own writes a file. Writing stops the process twice, for microseconds, and takes some milliseconds
// of a processor. With Options.OnHitch the goroutine then reads the trace: up to two seconds of a processor and some
// 100 MB for a full one, in which it yields often. Frames beside that may be late for that reason. So there are 10 s
// between two files, and a limit on all (Options.Files). A file goes back at least two seconds, as far as 16 MiB hold
// them. Open it with "go tool trace FILE".
package autopsy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/trace"
	"sync"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/internal/osthread"
)

// Options are the settings of a Box. The zero value is ready.
type Options struct {
	// Dir is the folder of the files, which must exist. The default (empty) is the current folder. Name begins the
	// names of the files. The default (empty) is "hitch": hitch-000123.trace, by the number of the late frame.
	Dir, Name string
	// Least is how much longer than its target an interval must be for a file. The default (zero) is any frame that
	// missed a refresh.
	Least time.Duration
	// Files is how many files are written at most. The default (zero) is 4.
	Files int
	// OnHitch gets the account of each late frame that has a file, on a goroutine of the Box. The default (nil) is
	// none: then Close reads the files.
	OnHitch func(Report)
}

const (
	cooldown = 10 * time.Second // after a file: writing and reading may make frames late
	window   = 2 * time.Second  // how far a file goes back at least, if that fits into size
	size     = 16 << 20         // how much of the trace is kept in memory: about the size of a file
)

func (o Options) withDefaults() Options {
	o.Name = cmp.Or(o.Name, "hitch")
	o.Files = cmp.Or(max(o.Files, 0), 4)
	return o
}

// A Box is a flight recorder at work. The runtime has one at a time. The methods of a nil Box do nothing. So a program
// needs no other loop if Start has failed.
type Box struct {
	o      Options
	fr     *trace.FlightRecorder
	late   chan record.Record // one place: a file that is asked for
	closed chan struct{}
	ended  chan struct{}
	once   sync.Once
	fault  time.Duration // how long a page fault takes

	// Late's caller only.
	begun int              // files asked for
	next  deadline.Instant // no file before

	mu      sync.Mutex
	reports []Report
}

// Start begins to trace. The error is the runtime's, that another flight recorder is at work, or says that there is no
// such folder as Options.Dir.
func Start(o Options) (*Box, error) {
	o = o.withDefaults()
	if info, err := os.Stat(cmp.Or(o.Dir, ".")); err != nil {
		return nil, fmt.Errorf("autopsy: Options.Dir: %w", err)
	} else if !info.IsDir() {
		return nil, fmt.Errorf("autopsy: Options.Dir: %s is no folder", o.Dir)
	}
	b := &Box{
		o: o, fr: trace.NewFlightRecorder(trace.FlightRecorderConfig{MinAge: window, MaxBytes: size}),
		late: make(chan record.Record, 1), closed: make(chan struct{}), ended: make(chan struct{}),
	}
	if err := b.fr.Start(); err != nil {
		return nil, fmt.Errorf("autopsy: %w", err)
	}
	b.fault = osthread.FaultCost()
	go b.run()
	return b, nil
}

// Late asks for the account of r, if there may be one now: it is for record.Options.OnLate. It never blocks. Where it
// asks for nothing, it allocates nothing and takes some ns. After Close it does nothing. One goroutine at a time, that
// of the frames.
func (b *Box) Late(r record.Record) {
	if b == nil || b.begun >= b.o.Files || r.Start < b.next || b.o.Least > 0 && r.Interval-r.Target < b.o.Least ||
		len(b.late) > 0 { // the last file is still being written
		return
	}
	b.begun++
	b.next = r.Start.Add(cooldown)
	trace.Log(context.Background(), logLate, fmt.Sprint(r.Number, int64(deadline.Now().Sub(r.Start)),
		int64(r.Interval), int64(r.Target), int64(b.fault)))
	b.late <- r
}

// run writes the files that are asked for.
func (b *Box) run() {
	defer close(b.ended)
	continued, stop := notifyContinued()
	defer stop()
	for {
		select {
		case <-continued:
			trace.Log(context.Background(), logContinued, "")
		case r := <-b.late:
			select {
			case <-continued:
				trace.Log(context.Background(), logContinued, "")
			default:
			}
			b.write(r)
		case <-b.closed:
			select {
			case r := <-b.late: // asked for before
				b.write(r)
			default:
			}
			return
		}
	}
}

func (b *Box) write(l record.Record) {
	r := Report{
		File:  filepath.Join(b.o.Dir, fmt.Sprintf("%s-%06d.trace", b.o.Name, l.Number)),
		Frame: l.Number, Interval: l.Interval, Target: l.Target,
	}
	err := record.WriteFile(r.File, func(w io.Writer) (err error) {
		r.Bytes, err = b.fr.WriteTo(w)
		return err
	})
	if err != nil {
		r.Bytes, r.Err = 0, err.Error()
	}
	if b.o.OnHitch != nil {
		r.read()
		defer b.o.OnHitch(r)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.reports = append(b.reports, r)
}

// read fills the parts in.
func (r *Report) read() {
	if r.Err != "" {
		return
	}
	f, err := os.Open(r.File)
	if err == nil {
		var read Report
		read, err = Read(f)
		r.Parts = read.Parts
		f.Close()
	}
	if err != nil {
		r.Err = err.Error()
	}
}

// Reports returns the late frames so far. Any goroutine.
func (b *Box) Reports() []Report {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]Report(nil), b.reports...)
}

// Close ends the tracing, once the requested files are written, and reads what has not been read. The error says what
// could not be written or read. Idempotent.
func (b *Box) Close() error {
	if b == nil {
		return nil
	}
	b.once.Do(func() {
		close(b.closed)
		<-b.ended
		b.fr.Stop()
		all := b.Reports()
		for i := range all {
			if r := &all[i]; len(r.Parts) == 0 {
				r.read()
			}
		}
		b.mu.Lock()
		defer b.mu.Unlock()
		b.reports = all
	})
	var err error
	for _, r := range b.Reports() {
		if r.Err != "" {
			err = errors.Join(err, fmt.Errorf("autopsy: frame %d: %s", r.Frame, r.Err))
		}
	}
	return err
}
