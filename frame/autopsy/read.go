package autopsy

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"time"

	"golang.org/x/exp/trace"
)

// Read accounts for the late frame in a trace that a Box wrote, or else for the longest frame in the trace.
func Read(from io.Reader) (Report, error) { return account(from, 0) }

// account accounts for the frame with a number, or as Read if that is 0.
func account(from io.Reader, frame uint64) (Report, error) {
	rec, err := parse(from)
	if err != nil {
		return Report{}, err
	}
	rec.wanted = frame
	return rec.report()
}

// turns are those of a goroutine that computes beside a game.
type turns struct {
	n    int
	next time.Time
}

// yield lets others run, often. Where they take long, as on Ps that all compute, it then computes as long itself, up to
// 2 ms.
func (t *turns) yield() {
	if t.n++; t.n%256 > 0 {
		return
	}
	if begin := time.Now(); begin.After(t.next) {
		runtime.Gosched()
		end := time.Now()
		t.next = end.Add(min(end.Sub(begin), 2*time.Millisecond))
	}
}

// parse reads a trace.
func parse(from io.Reader) (rec *recording, err error) {
	defer func() {
		if v := recover(); v != nil { // of the reader of a damaged file
			rec, err = nil, refused(v)
		}
	}()
	r, err := trace.NewReader(bufio.NewReaderSize(&bounded{from, mostBytes}, 1<<16))
	if err != nil {
		return nil, refused(err)
	}
	rec = &recording{}
	for t := (turns{}); ; {
		t.yield()
		e, err := r.ReadEvent()
		if errors.Is(err, io.EOF) {
			return rec, nil
		}
		if err != nil {
			if errors.Is(err, errTooLarge) {
				return nil, errTooLarge
			}
			return nil, refused(err)
		}
		rec.add(&e)
		if rec.events.n+len(rec.frames)+len(rec.samples)+len(rec.laters)+len(rec.resumed) > mostEvents {
			return nil, errTooLarge
		}
	}
}

// refused returns the error of a trace that the reader refuses. The reader tells its whole state, in many lines.
func refused(why any) error {
	text, _, _ := strings.Cut(strings.TrimSpace(fmt.Sprint(why)), "\n")
	return fmt.Errorf("autopsy: the trace cannot be read: %.200s", strings.TrimRight(text, ": "))
}

// A file of a Box has 16 MiB and 4 million events at most.
const (
	mostBytes  = 256 << 20
	mostEvents = 8 << 20
)

var errTooLarge = fmt.Errorf("autopsy: the trace has more than %d MiB or %d million events",
	mostBytes>>20, mostEvents>>20)

// bounded reads so much, and then fails.
type bounded struct {
	from io.Reader
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooLarge
	}
	n, err := b.from.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}

// A list has its events in blocks: a list of millions of events that grew by copying would take twice the time to read.
type list struct {
	blocks [][]event
	n      int
}

const block = 1 << 12

func (l *list) nth(i int32) *event { return &l.blocks[i/block][i%block] }

func (l *list) add(e event) {
	if l.n%block == 0 {
		l.blocks = append(l.blocks, make([]event, block))
	}
	l.n++
	*l.nth(int32(l.n - 1)) = e
}
