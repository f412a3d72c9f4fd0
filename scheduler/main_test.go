package scheduler_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/testkit"
	"github.com/frameslice/frameslice/scheduler"
)

func TestMain(m *testing.M) {
	if os.Getenv("SCHEDULER_TEST_PROCESS") != "" {
		os.Exit(m.Run()) // a test that leaves something behind: see inProcess
	}
	testkit.Main(m)
}

const ms = time.Millisecond

var none [deadline.NumPriorities]int // of each priority

// world is a scheduler in virtual time, in which sleeping is the exact cost of work, and a log of what ran
// when.
type world struct {
	t     *testing.T
	s     *scheduler.Scheduler
	base  time.Time
	rows  []*row
	slice *row
}

// row is one line of a timeline: a character for each millisecond.
type row struct {
	name string
	line []byte
}

// inWorld runs f in a bubble of virtual time.
func inWorld(t *testing.T, o scheduler.Options, f func(w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &world{t: t, s: scheduler.New(o), base: time.Now()}
		w.slice = w.row("slice")
		f(w)
		w.s.Close()
	})
}

func (w *world) row(name string) *row {
	for _, r := range w.rows {
		if r.name == name {
			return r
		}
	}
	r := &row{name: name}
	w.rows = append(w.rows, r)
	return r
}

// mark draws c into r from the given time to now, over nothing but spaces.
func (w *world) mark(r *row, from time.Time, c byte) {
	start, end := int(from.Sub(w.base)/ms), int(time.Since(w.base)/ms)
	for len(r.line) < end {
		r.line = append(r.line, ' ')
	}
	for i := start; i < end; i++ {
		if r.line[i] == ' ' {
			r.line[i] = c
		}
	}
}

// work is a function that takes d and draws itself.
func (w *world) work(name string, d time.Duration) func() {
	r := w.row(name)
	return func() { w.spend(r, d) }
}

func (w *world) spend(r *row, d time.Duration) {
	from := time.Now()
	time.Sleep(d)
	w.mark(r, from, '#')
}

// frame is one frame of 8 ms with a slice of the given budget.
func (w *world) frame(budget time.Duration) scheduler.Result {
	begin := time.Now()
	w.s.BeginFrame(deadline.Now())
	r := w.s.RunUntil(deadline.In(budget))
	w.mark(w.slice, begin, '=')
	if rest := 8*ms - time.Since(begin); rest > 0 {
		time.Sleep(rest)
	}
	return r
}

// drain runs until nothing is ready.
func (w *world) drain() scheduler.Result { return w.s.RunUntil(deadline.Deadline{}) }

func (w *world) String() string {
	var b strings.Builder
	for _, r := range w.rows {
		fmt.Fprintf(&b, "%-6s|%s\n", r.name, strings.TrimRight(string(r.line), " "))
	}
	return b.String()
}

// want compares the timeline. Leading line breaks and tabs of the expected text do not count.
func (w *world) want(text string) {
	w.t.Helper()
	text = strings.ReplaceAll(strings.TrimLeft(text, "\n"), "\t", "")
	if got := w.String(); got != text {
		w.t.Errorf("timeline:\n%swant:\n%s", got, text)
	}
}

// events collects what OnEvent tells.
type events []scheduler.Event

func (l *events) add(e scheduler.Event) { *l = append(*l, e) }

// log collects words, for tests of order.
type log []string

func (l *log) add(word string) func() { return func() { *l = append(*l, word) } }

func (l *log) want(t *testing.T, words string) {
	t.Helper()
	if got := strings.Join(*l, " "); got != words {
		t.Errorf("order: %s\n want: %s", got, words)
	}
	*l = nil
}

// draw is the frame's part in which callbacks run.
func (w *world) draw() {
	w.s.BeginFrame(deadline.Now())
	w.s.RunPhase(scheduler.BeforeUpdate)
	w.s.RunPhase(scheduler.BeforeDraw)
	w.s.RunPhase(scheduler.AfterDraw)
}

// say adds a word at once.
func (l *log) say(format string, a ...any) { *l = append(*l, fmt.Sprintf(format, a...)) }

// submit submits a task made of the parts that most tests want.
func (w *world) submit(p deadline.Priority, delay time.Duration, f func()) *scheduler.Task {
	t := &scheduler.Task{Priority: p, Delay: delay, Func: f}
	w.s.Submit(t)
	return t
}

// eq compares two values of a claim.
func eq[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// virtual returns a scheduler with a clock that only the tasks move.
func virtual(t interface{ Cleanup(func()) }, o scheduler.Options) (*scheduler.Scheduler, *deadline.Instant) {
	s := scheduler.New(o)
	now := new(deadline.Instant(1))
	scheduler.SetClock(s, func() deadline.Instant { return *now })
	t.Cleanup(s.Close)
	return s, now
}
