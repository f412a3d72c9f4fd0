// Package flight keeps the last seconds of the runtime's execution trace in memory. When a frame was late, it writes
// them to a file for `go tool trace`: what every goroutine and processor did then. Frames, slices, tasks and jobs are
// regions of the trace.
//
//	box, err := flight.Start(flight.Options{Dir: "out"})
//	...
//	loop := frame.New(frame.Options{Recorder: record.Options{OnLate: box.Late}})
//	...
//	loop.Close()
//	err = box.Close()
//	fmt.Println(box.Dumps()) // where they are
//
// While no frame is late a Box costs what the runtime's tracing costs, a percent or two, and the memory of the window.
// A goroutine of its own writes a dump. The dump stops the process twice, for microseconds, and takes some milliseconds
// of a processor. Frames beside a dump may be late for that reason. So there are 10 s between two dumps, and a limit on
// all (Options.Files). A dump goes back at least two seconds, as far as 16 MiB hold them.
package flight

import (
	"cmp"
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
)

// Options are the settings of a Box. The zero value is ready.
type Options struct {
	// Dir is the folder of the files, which must exist. The default (empty) is the current folder. Name begins the
	// names of the files. The default (empty) is "hitch": hitch-000123.trace, by the number of the late frame.
	Dir, Name string
	// Least is how much longer than its target an interval must be for a dump. The default (zero) is any frame that
	// missed a refresh.
	Least time.Duration
	// Files is how many files are written at most. The default (zero) is 4.
	Files int
}

const (
	cooldown = 10 * time.Second // after a dump: a dump itself may make frames late
	window   = 2 * time.Second  // how far a dump goes back at least, if that fits into bytes
	bytes    = 16 << 20         // how much of the trace is kept in memory: about the size of a file
)

func (o Options) withDefaults() Options {
	o.Name = cmp.Or(o.Name, "hitch")
	o.Files = cmp.Or(max(o.Files, 0), 4)
	return o
}

// A Dump is a file that was written, or could not be.
type Dump struct {
	File     string        `json:"file"`
	Frame    uint64        `json:"frame"`       // its number
	Interval time.Duration `json:"interval_ns"` // from the start of the frame before
	Bytes    int64         `json:"bytes"`
	Err      string        `json:"error,omitempty"` // why there is no file
}

// String returns the dump in one line.
func (d Dump) String() string {
	late := fmt.Sprintf("frame %d came %.1f ms after the one before", d.Frame, d.Interval.Seconds()*1000)
	if d.Err != "" {
		return fmt.Sprintf("%s: no trace: %s", late, d.Err)
	}
	return fmt.Sprintf("%s: %s (%d KiB, for go tool trace)", late, d.File, (d.Bytes+1023)/1024)
}

// A Box is a flight recorder at work. The runtime has one at a time. The methods of a nil Box do nothing. So a program
// needs no other loop if Start has failed.
type Box struct {
	o      Options
	fr     *trace.FlightRecorder
	late   chan record.Record // one place: a dump that is asked for
	closed chan struct{}
	ended  chan struct{}
	once   sync.Once

	// Late's caller only.
	begun int              // dumps asked for
	next  deadline.Instant // no dump before

	mu    sync.Mutex
	dumps []Dump
}

// Start begins to trace. The error is the runtime's, that another flight recorder is at work, or says that there is no
// such folder as Options.Dir.
func Start(o Options) (*Box, error) {
	o = o.withDefaults()
	if info, err := os.Stat(cmp.Or(o.Dir, ".")); err != nil {
		return nil, fmt.Errorf("flight: Options.Dir: %w", err)
	} else if !info.IsDir() {
		return nil, fmt.Errorf("flight: Options.Dir: %s is no folder", o.Dir)
	}
	b := &Box{
		o: o, fr: trace.NewFlightRecorder(trace.FlightRecorderConfig{MinAge: window, MaxBytes: bytes}),
		late: make(chan record.Record, 1), closed: make(chan struct{}), ended: make(chan struct{}),
	}
	if err := b.fr.Start(); err != nil {
		return nil, fmt.Errorf("flight: %w", err)
	}
	go b.write()
	return b, nil
}

// Late asks for a dump because of r, if there may be one now: it is for record.Options.OnLate. It never blocks and
// allocates nothing: some ns, and a wake-up where there is a dump. After Close it does nothing. One goroutine at a
// time.
func (b *Box) Late(r record.Record) {
	if b == nil || b.begun >= b.o.Files || r.Start < b.next || b.o.Least > 0 && r.Interval-r.Target < b.o.Least {
		return
	}
	select {
	case b.late <- r:
		b.begun++
		b.next = r.Start.Add(cooldown)
	default: // the last dump is still being written
	}
}

// write writes the dumps that are asked for.
func (b *Box) write() {
	defer close(b.ended)
	for {
		select {
		case r := <-b.late:
			b.dump(r)
		case <-b.closed:
			select {
			case r := <-b.late: // asked for before
				b.dump(r)
			default:
			}
			return
		}
	}
}

func (b *Box) dump(r record.Record) {
	d := Dump{
		File:  filepath.Join(b.o.Dir, fmt.Sprintf("%s-%06d.trace", b.o.Name, r.Number)),
		Frame: r.Number, Interval: r.Interval,
	}
	err := record.WriteFile(d.File, func(w io.Writer) (err error) {
		d.Bytes, err = b.fr.WriteTo(w)
		return err
	})
	if err != nil {
		d.Bytes, d.Err = 0, err.Error()
	}
	b.mu.Lock()
	b.dumps = append(b.dumps, d)
	b.mu.Unlock()
}

// Dumps returns what was written so far. Any goroutine.
func (b *Box) Dumps() []Dump {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]Dump(nil), b.dumps...)
}

// Close ends the tracing, once the requested dumps are written. The error says what could not be written. Idempotent.
func (b *Box) Close() error {
	if b == nil {
		return nil
	}
	b.once.Do(func() {
		close(b.closed)
		<-b.ended
		b.fr.Stop()
	})
	<-b.ended
	var err error
	for _, d := range b.Dumps() {
		if d.Err != "" {
			err = errors.Join(err, fmt.Errorf("flight: frame %d: %s", d.Frame, d.Err))
		}
	}
	return err
}
