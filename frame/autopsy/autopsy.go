// Package autopsy says in one sentence what made a frame late: it reads Go's execution trace of the last seconds.
//
//	o := autopsy.Options{Dir: "out", OnHitch: func(r autopsy.Report) { fmt.Println(r) }}
//	box, err := autopsy.Watch(loop.Recorder(), o)
//	...
//	loop.Close()
//	err = box.Close()
//
// It prints, for example:
//
//	frame 8123, 41.0 ms late: 27.9 waiting for a processor: job decode and main.walk had both; 9.1 helping the garbage
//	collection in task spawn; 3.2 the system ran other threads or processes; 17.5 the rest
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
// On Linux the account also has the time that the system took from the frame's thread. It took the time for other
// threads and processes, the CPU quota of a container, stops by SIGSTOP, or page faults. The thread's use is read at
// the beginning of a frame and after each region of 1 ms or more. So name the long parts of a frame, as sections or
// tasks with a label, and the system's part lies where it was. If the frame went to another thread meanwhile, only the
// use of the process is known. Then what nobody can tell is called "own work or the system": runtime.LockOSThread in
// the host prevents that. So is all work on other systems.
//
// A sleep, or a timer's channel, that the program waits for between most frames is its own pacing, and no cause. The
// time after the frame's target is: then the system woke a thread late, or goroutines had every processor.
//
// A program cannot tell the system from the hypervisor: both pause a thread. Memory in huge pages counts as work. The
// time charged to goroutines that made a timer late is an upper bound.
//
// # What it costs
//
// While no frame is late a Box costs what the runtime's tracing costs: one to three percent of the work of the frame's
// goroutine and of the process. A frame of ten sections has 15 allocations more. The memory is that of the window. A
// goroutine of its own writes a file. Writing stops the process twice, for microseconds, and takes some milliseconds of
// a processor. With Options.OnHitch the goroutine then reads the trace: up to two seconds of a processor and about 100
// MB for a full one, in which it yields often. Frames beside that may be late for that reason. So there are 10 s
// between two files, unless the second frame is later by a quarter, and a limit on all (Options.Files). A file goes
// back at least two seconds, as far as 16 MiB hold them. Open it with "go tool trace FILE".
package autopsy

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/trace"
	"slices"
	"sync"
	"sync/atomic"
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
	// Files is how many files are kept. The default (zero) is 4. Once there are so many, the file of a frame that is
	// later than one of them takes the place of the least.
	Files int
	// OnHitch gets the account of each late frame for which a file is written, on a goroutine of the Box. The default
	// (nil) is none: then Close reads the files.
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
	late   chan request // one place: a file that is asked for
	asked  chan struct{}
	closed chan struct{}
	ended  chan struct{}
	once   sync.Once
	fault  time.Duration // how long a page fault takes

	// Late's caller only.
	kept []late           // frames with a file
	last time.Duration    // how late the last of them was
	next deadline.Instant // no file before, unless for a frame later by a quarter

	without atomic.Int64 // late frames that got no file

	mu      sync.Mutex
	reports []Report
	numbers int // of the files that Ask has asked for
}

// late is a frame with a file, and how late the frame was.
type late struct {
	frame uint64
	by    time.Duration
}

// A request is for a file of a late frame.
type request struct {
	record.Record
	instead uint64 // the frame whose file goes; 0: none
}

// Start begins to trace. The error is the runtime's, that another flight recorder is at work, or says that there is no
// such folder as Options.Dir, or that no file can be written there.
func Start(o Options) (*Box, error) {
	o = o.withDefaults()
	if info, err := os.Stat(cmp.Or(o.Dir, ".")); err != nil {
		return nil, fmt.Errorf("autopsy: Options.Dir: %w", err)
	} else if !info.IsDir() {
		return nil, fmt.Errorf("autopsy: Options.Dir: %s is no folder", o.Dir)
	}
	if err := writable(o.Dir); err != nil {
		return nil, fmt.Errorf("autopsy: Options.Dir: %w", err)
	}
	b := &Box{
		o: o, fr: trace.NewFlightRecorder(trace.FlightRecorderConfig{MinAge: window, MaxBytes: size}),
		late: make(chan request, 1), asked: make(chan struct{}, 1),
		closed: make(chan struct{}), ended: make(chan struct{}),
	}
	if err := b.fr.Start(); err != nil {
		return nil, fmt.Errorf("autopsy: %w", err)
	}
	b.fault = osthread.FaultCost()
	go b.run()
	return b, nil
}

// Watch is Start for the frames of rec, such as the Recorder of a loop. Late is called for each late frame of rec, and
// the sentence about each frame with a file goes to rec: reports, the overlay and the live page show it. Watch panics
// if rec is nil.
func Watch(rec *record.Recorder, o Options) (*Box, error) {
	if rec == nil {
		panic("autopsy: Watch of a nil Recorder")
	}
	told := o.OnHitch
	o.OnHitch = func(r Report) {
		rec.Explain(r.Frame, r.Cause())
		if told != nil {
			told(r)
		}
	}
	b, err := Start(o)
	if err == nil {
		rec.OnLate(b.Late)
	}
	return b, err
}

// writable tries to write a file.
func writable(dir string) error {
	f, err := os.CreateTemp(cmp.Or(dir, "."), "autopsy")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// Late asks for the account of r, if there may be one now: it is for record.Recorder.OnLate. It never blocks. Where it
// asks for nothing, it allocates nothing and takes some ns. After Close it does nothing. One goroutine at a time, that
// of the frames.
//
// The worst frames of all get a file: see Options.Files. For 10 s after one only a frame does that is later by a
// quarter. Frames 1 and 2 never do: the window opens in the interval between them.
func (b *Box) Late(r record.Record) {
	by := r.Interval - r.Target
	if b == nil || b.o.Least > 0 && by < b.o.Least || r.Number == 1 || r.Number == 2 {
		return
	}
	instead, ok := b.place(r.Start, by)
	if !ok || len(b.late) > 0 { // the last file is still being written
		b.without.Add(1)
		return
	}
	b.kept = append(slices.DeleteFunc(b.kept, func(k late) bool { return instead > 0 && k.frame == instead }),
		late{r.Number, by})
	b.last, b.next = by, r.Start.Add(cooldown)
	trace.Log(context.Background(), logLate, fmt.Sprint(r.Number, int64(deadline.Now().Sub(r.Start)),
		int64(r.Interval), int64(r.Target), int64(b.fault)))
	b.late <- request{r, instead}
}

// place returns the frame whose file a frame that is late by so much takes the place of, if it gets one.
func (b *Box) place(at deadline.Instant, by time.Duration) (instead uint64, ok bool) {
	if at < b.next && by-by/5 < b.last {
		return 0, false
	}
	if len(b.kept) < b.o.Files {
		return 0, true
	}
	least := slices.MinFunc(b.kept, func(x, y late) int { return cmp.Compare(x.by, y.by) })
	return least.frame, by > least.by
}

// Ask asks for a file now, as on a key of the player's. It is of the late frame of the last seconds, or else of the
// longest one, and called hitch-asked-1.trace and so on. It counts in no limit, and never goes. Any goroutine. While a
// file is asked for already, and after Close, it does nothing.
func (b *Box) Ask() {
	if b == nil {
		return
	}
	select {
	case b.asked <- struct{}{}:
	default:
	}
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
		case <-b.asked:
			b.mu.Lock()
			b.numbers++
			r := Report{File: b.file(fmt.Sprintf("asked-%d", b.numbers))}
			b.mu.Unlock()
			b.keep(r, 0)
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

func (b *Box) file(name string) string { return filepath.Join(b.o.Dir, b.o.Name+"-"+name+".trace") }

func (b *Box) write(l request) {
	b.keep(Report{
		File: b.file(fmt.Sprintf("%06d", l.Number)), Frame: l.Number, Interval: l.Interval, Target: l.Target,
		Without: int(b.without.Load()),
	}, l.instead)
}

// keep writes the trace of r. If the disk takes no file, the account is read from memory.
func (b *Box) keep(r Report, instead uint64) {
	var data bytes.Buffer
	trace.Log(context.Background(), logFile, fmt.Sprint(r.Frame)) // another late frame may have come meanwhile
	_, err := b.fr.WriteTo(&data)
	if err == nil {
		err = record.WriteFile(r.File, func(w io.Writer) error {
			_, err := w.Write(data.Bytes())
			return err
		})
	}
	if r.Bytes = int64(data.Len()); err != nil {
		r.Bytes, r.Err = 0, err.Error()
		r.read(&data)
	}
	if b.o.OnHitch != nil {
		if err == nil {
			r.read(&data)
		}
		defer b.o.OnHitch(r)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if err == nil && instead > 0 {
		b.reports = slices.DeleteFunc(b.reports, func(o Report) bool {
			gone := o.Frame == instead && o.File != r.File
			if gone && o.Err == "" {
				_ = os.Remove(o.File)
			}
			return gone
		})
	}
	b.reports = append(b.reports, r)
}

// read fills in what the trace tells.
func (r *Report) read(from io.Reader) {
	read, err := account(from, r.Frame)
	if err != nil {
		r.Err = cmp.Or(r.Err, err.Error())
		return
	}
	r.Frame, r.Interval, r.Target, r.Parts = read.Frame, read.Interval, read.Target, read.Parts
}

// readFile is read of the file.
func (r *Report) readFile() {
	f, err := os.Open(r.File)
	if err != nil {
		r.Err = err.Error()
		return
	}
	defer f.Close()
	r.read(f)
}

// Reports returns the late frames that have a file, and those that Ask has asked for. Any goroutine.
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
			if r := &all[i]; len(r.Parts) == 0 && r.Err == "" {
				r.readFile()
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
