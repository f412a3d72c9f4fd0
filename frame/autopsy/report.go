package autopsy

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/frameslice/frameslice/internal/words"
)

// The kinds of parts.
const (
	kindWork      = "work"
	kindAssist    = "assist"
	kindStopped   = "stopped"
	kindRunnable  = "runnable"
	kindBlocked   = "blocked"
	kindSyscall   = "syscall"
	kindFaults    = "faults"
	kindSystem    = "system"
	kindSuspended = "suspended"
	kindWait      = "wait"
	kindUnknown   = "unknown"
)

// A Part is a part of a frame's time.
type Part struct {
	// Kind is one of these:
	//   - work: code ran on the frame's goroutine, or on that of the slice;
	//   - assist: it helped the garbage collection;
	//   - stopped: the world was stopped, or was to stop; By has what for, and for which goroutine the stop waited;
	//   - runnable: it could run, and waited for a processor (a P of Go's scheduler); By has who had them;
	//   - blocked: on a channel, a lock, a file; By has which, and who ended the wait;
	//   - syscall: in a system call or cgo, in the function By;
	//   - faults: the system brought pages of memory in; By has the number;
	//   - system: the system or the hypervisor did not run the thread;
	//   - suspended: SIGSTOP stopped the process;
	//   - wait: the loop waited for the time of the next frame, which is no cause;
	//   - unknown: the trace does not tell.
	Kind string `json:"kind"`
	// In is where the frame was: "section physics", "task decode", "phase draw", or empty.
	In string `json:"in,omitempty"`
	// By is the cause, if there is one beside the kind.
	By   string        `json:"by,omitempty"`
	Time time.Duration `json:"time_ns"`
	// Of a wait, or a system call, Call is what the program called, as "http.Get", and At from where, as
	// "main.(*Game).Update game.go:275". The outermost call below the program's own code counts. It is empty for a
	// channel or another thing that needs no call. Both are empty if the program is not on the stack.
	//
	// Of work At is the innermost function of the program in which most looks at its stack found the frame: Looks of
	// Of. The Go runtime looks every 10 ms where a goroutine has to give way, and a CPU profile looks every 10 ms, too.
	Call  string `json:"call,omitempty"`
	At    string `json:"at,omitempty"`
	Looks int    `json:"looks,omitempty"`
	Of    int    `json:"of_looks,omitempty"`
	// OrSystem says that the system may have taken most of this work, and that nobody knows. Either the frame's
	// goroutine went to another thread meanwhile, which runtime.LockOSThread in the host prevents. Or the system does
	// not tell the use of a thread, as only Linux does.
	OrSystem bool `json:"or_system,omitempty"`
	// Usual is the median of such parts in the frames before, at most Time.
	Usual time.Duration `json:"usual_ns,omitempty"`
}

// text returns the part as the sentence has it: "27.9 waiting for a processor: decode.png and pathfind had both".
func (p *Part) text() string {
	text := p.plain()
	if p.Usual >= max(p.Time/20, 50*time.Microsecond) {
		text += " (usually " + words.MS(p.Usual, 1) + ")"
	}
	return text
}

// leastLooked is for how long work takes for a few looks at it to say something.
const leastLooked = 10 * time.Millisecond

// where says where in the program a wait or work was.
func (p *Part) where() string {
	switch {
	case p.At == "":
		return ""
	case p.Kind == kindWork && p.Time < leastLooked:
		return ""
	case p.Kind == kindWork && p.Of == 1:
		return ", in " + p.At + " (1 look)"
	case p.Kind == kindWork:
		return fmt.Sprintf(", in %s (%d of %d looks)", p.At, p.Looks, p.Of)
	case p.Call == "":
		return ", at " + p.At
	}
	return ", in " + p.Call + ", called by " + p.At
}

// plain returns the part in words, and leaves out what is usual.
func (p *Part) plain() string {
	text := words.MS(p.Time, 1) + " "
	in := ""
	if p.In != "" {
		in = " in " + p.In
	}
	switch p.Kind {
	case kindWork:
		switch p.In {
		case "":
			text += "work outside of the frame"
		case "the frame":
			text += "own work"
		default:
			text += p.In
			if strings.HasPrefix(p.In, "job ") || p.In == "a job" {
				text += ", run by the frame itself"
			}
		}
		if p.OrSystem {
			text += " or the system"
		}
	case kindAssist:
		text += "helping the garbage collection" + in
	case kindStopped:
		text += "the whole program was stopped: " + p.By
	case kindRunnable:
		text += "waiting for a processor: " + p.By
	case kindBlocked:
		if text += "blocked"; p.By != "" {
			text += " on " + p.By
		}
		text += in
	case kindSyscall:
		if text += "in a system call or cgo"; p.By != "" {
			text += " by " + p.By
		}
		text += in
	case kindFaults:
		text += p.By + in
	case kindSystem:
		text += "the system " + p.By
	case kindSuspended:
		text += "the process was stopped"
	case kindWait:
		text += "wait for the next frame"
	default:
		text += p.Kind
		if p.By != "" {
			text += ", " + p.By
		}
	}
	return text + p.where()
}

// A Report is the account of a late frame.
type Report struct {
	File     string        `json:"file,omitempty"` // the trace, for go tool trace
	Bytes    int64         `json:"bytes,omitempty"`
	Err      string        `json:"error,omitempty"` // why there is no file, or no account
	Frame    uint64        `json:"frame"`           // its number
	Interval time.Duration `json:"interval_ns"`     // from the start of the frame before
	Target   time.Duration `json:"target_ns,omitempty"`
	// Without is how many late frames had got no file when this one did: see Box.Without.
	Without int `json:"without_file,omitempty"`
	// Parts are what the interval consists of. Their times add up to Interval. The one that is most above its usual
	// time comes first. Without Options.OnHitch there are none until Close.
	Parts []Part `json:"parts,omitempty"`
}

// String returns the report in one sentence.
func (r Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "frame %d", r.Frame)
	if late := r.Interval - r.Target; r.Target > 0 {
		fmt.Fprintf(&b, ", %s ms late", words.MS(late, 1))
	} else {
		fmt.Fprintf(&b, ", %s ms", words.MS(r.Interval, 1))
	}
	return b.String() + ": " + r.Cause()
}

// Cause returns String without the frame's number and lateness.
func (r Report) Cause() string {
	if r.Err != "" && len(r.Parts) == 0 {
		return r.Err
	}
	if len(r.Parts) == 0 {
		return fmt.Sprintf("%s (%d KiB, for go tool trace)", r.File, (r.Bytes+1023)/1024)
	}
	var b strings.Builder
	separator, rest := "", time.Duration(0)
	var usual []Part
	least := max((r.Interval-r.Target)/50, 50*time.Microsecond)
	for i, p := range r.Parts {
		more, most := p.more(r.Target), mostParts
		if p.Kind == kindUnknown { // always told
			most = len(r.Parts)
		}
		if i >= most || more < least {
			if rest += p.Time; p.Kind != kindWait && !p.outside() {
				usual = append(usual, p)
			}
			continue
		}
		b.WriteString(separator + p.text())
		separator = "; "
	}
	if text, told := asUsual(usual, r.Target); told > 0 {
		b.WriteString(separator + text)
		separator = "; "
		rest -= told
	}
	if rest > 0 {
		b.WriteString(separator + words.MS(rest, 1) + " the rest")
	}
	if r.Err != "" {
		b.WriteString(" (no file: " + r.Err + ")")
	}
	if r.Without > 0 {
		have := "late frames before have"
		if r.Without == 1 {
			have = "late frame before has"
		}
		fmt.Fprintf(&b, " (%d %s no file)", r.Without, have)
	}
	return b.String()
}

// MarshalJSON adds "cause", which is Cause, so that a reader of the JSON uses the same words.
func (r Report) MarshalJSON() ([]byte, error) {
	type fields Report
	return json.Marshal(struct {
		fields
		Cause string `json:"cause"`
	}{fields(r), r.Cause()})
}

// asUsual tells the largest of the parts that are no longer than usual, if they make the frame late by themselves: then
// each frame is late. told is their time.
func asUsual(parts []Part, target time.Duration) (text string, told time.Duration) {
	all := time.Duration(0)
	for _, p := range parts {
		all += p.Time
	}
	if target <= 0 || all <= target {
		return "", 0
	}
	slices.SortStableFunc(parts, func(a, b Part) int { return cmp.Compare(b.Time, a.Time) })
	for i, p := range parts {
		if i == 3 || i > 0 && p.Time < all/10 {
			break
		}
		text += ", " + p.plain()
		told += p.Time
	}
	return "as usual: " + strings.TrimPrefix(text, ", "), told
}

const mostParts = 5 // in a sentence

// more is how much longer the part was than it may be: than usual. The wait for the next frame is no cause. A host that
// usually waits for the display, outside of the frame, may wait for a whole refresh: it does after a frame that has
// just missed one.
func (p Part) more(refresh time.Duration) time.Duration {
	switch {
	case p.Kind == kindWait:
		return 0
	case p.outside() && p.Usual > 0:
		return p.Time - max(p.Usual, min(p.Time, refresh))
	}
	return p.Time - p.Usual
}

// outside reports whether the part is a wait between the frames, as for the display.
func (p Part) outside() bool { return p.In == "" && (p.Kind == kindSyscall || p.Kind == kindBlocked) }

// shown returns what a region of ours is called, without the prefix.
func shown(region string) string {
	name, mine := strings.CutPrefix(region, ours)
	switch {
	case !mine:
		return region
	case name == "frame", name == "slice":
		return "the " + name
	}
	if what, unnamed := strings.CutSuffix(name, " -"); unnamed {
		return "a " + what
	}
	return outer(name)
}

// joined returns names in the order of their weights, without those that have less than a fifth of the first.
func joined(weights map[string]int64) (string, int) {
	names := make([]string, 0, len(weights))
	most := int64(0)
	for name, w := range weights {
		names, most = append(names, name), max(most, w)
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(weights[b], weights[a]), strings.Compare(a, b))
	})
	names = slices.DeleteFunc(names, func(n string) bool { return n == "" || weights[n]*5 < most })
	more := ""
	if n := len(names) - 3; n > 0 {
		names, more = names[:3], fmt.Sprintf(" and %d more", n)
	}
	n := len(names)
	if more != "" || n < 2 {
		return strings.Join(names, ", ") + more, n
	}
	return strings.Join(names[:n-1], ", ") + " and " + names[n-1], n
}
