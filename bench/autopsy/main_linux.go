package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"iter"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/frameslice/frameslice/internal/hist"
	"golang.org/x/sys/unix"
)

// A result is what one process found out.
type result struct {
	Cause   string
	Frames  int
	Right   int
	Unknown []float64 // per frame, of the lateness
	Wrong   []string
	Reads   []float64 // seconds
	Bytes   []int64
	Late    []float64 // ms
}

var keep string

func main() {
	frames := flag.Int("frames", 50, "late frames for each cause")
	only := flag.String("cause", "", "one cause: "+strings.Join(names(), ", "))
	pairs := flag.Int("pairs", max(1, runtime.NumCPU()/2), "causes at a time, each on two processors of its own")
	more := flag.Bool("more", false, "further causes and mixtures in place of the ten")
	child := flag.Bool("child", false, "measure -cause in this process")
	flag.StringVar(&keep, "keep", "", "an existing folder for the traces, which are removed otherwise")
	cost := flag.Bool("cost", false, "measure what the recording costs, in this process")
	verbose := flag.Bool("v", false, "print the sentences")
	flag.Parse()
	if *child {
		if err := json.NewEncoder(os.Stdout).Encode(play(find(*only), *frames, *verbose)); err != nil {
			fail(err)
		}
		return
	}
	if *cost {
		fmt.Println(recordingCost())
		return
	}
	var wanted []string
	for i, name := range names() {
		if *only == "" && *more == (i >= len(causes)) || *only == name {
			wanted = append(wanted, name)
		}
	}
	fmt.Println("| cause | late frames | right cause first | late by ms, median | unknown, median |")
	fmt.Println("|---|---|---|---|---|")
	var all result
	few := false
	for r := range runAll(wanted, *pairs, *frames, *verbose) {
		few = few || r.Frames < *frames
		r.row()
		all.add(r)
	}
	all.Cause = "all"
	all.row()
	if len(all.Wrong) > 0 {
		fmt.Printf("\nThe first %d wrong accounts:\n", min(len(all.Wrong), 20))
	}
	for _, w := range all.Wrong[:min(len(all.Wrong), 20)] {
		fmt.Println("  " + w)
	}
	if all.Frames == 0 {
		os.Exit(1)
	}
	kib := make([]float64, len(all.Bytes))
	for i, n := range all.Bytes {
		kib[i] = float64(n) / 1024
	}
	fmt.Printf("\nA trace has %.0f KiB in the median, %.0f at most. Reading takes %.2f s in the median, %.2f s at most.\n",
		hist.Median(kib), slices.Max(kib), hist.Median(all.Reads), slices.Max(all.Reads))
	if *only == "" && !*more {
		out, err := again("-cost").Output()
		if err != nil {
			fail(err)
		}
		os.Stdout.Write(out)
	}
	if few {
		fail(errors.New("a cause has fewer late frames than asked for"))
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "autopsy:", err)
	os.Exit(1)
}

// again returns this program once more.
func again(args ...string) *exec.Cmd {
	c := exec.Command("/proc/self/exe", args...)
	c.Stderr = os.Stderr
	return c
}

// runAll measures causes, each in a process, and yields the results in the order of the causes.
func runAll(causes []string, pairs, frames int, verbose bool) iter.Seq[result] {
	results := make([]chan result, len(causes))
	next := make(chan int, len(causes))
	for i := range causes {
		results[i] = make(chan result, 1)
		next <- i
	}
	close(next)
	for pair := range min(pairs, len(causes)) {
		go func() {
			runtime.LockOSThread() // the processes that this thread begins have its processors
			if pairs > 1 {
				confine(pair)
			}
			for i := range next {
				r, err := run(causes[i], frames, verbose)
				if err != nil {
					r = result{Cause: causes[i], Wrong: []string{err.Error()}}
				}
				results[i] <- r
			}
		}()
	}
	return func(yield func(result) bool) {
		for _, r := range results {
			if !yield(<-r) {
				return
			}
		}
	}
}

// confine leaves the calling thread a pair of the processors that it has.
func confine(pair int) {
	var mine, two unix.CPUSet
	err := unix.SchedGetaffinity(0, &mine)
	for i, n := 0, 0; n < 2*pair+2 && i < 64*len(mine); i++ {
		if mine.IsSet(i) {
			if n >= 2*pair {
				two.Set(i)
			}
			n++
		}
	}
	if err == nil {
		err = unix.SchedSetaffinity(0, &two)
	}
	if err != nil {
		fail(err)
	}
}

func run(cause string, frames int, verbose bool) (r result, err error) {
	out, err := again("-child", "-cause", cause, "-frames", fmt.Sprint(frames),
		fmt.Sprintf("-v=%t", verbose), "-keep", keep).Output()
	if err == nil {
		err = json.Unmarshal(out, &r)
	}
	return r, err
}

func (r *result) add(o result) {
	r.Frames, r.Right = r.Frames+o.Frames, r.Right+o.Right
	r.Unknown, r.Reads = append(r.Unknown, o.Unknown...), append(r.Reads, o.Reads...)
	r.Bytes, r.Late = append(r.Bytes, o.Bytes...), append(r.Late, o.Late...)
	for _, w := range o.Wrong {
		r.Wrong = append(r.Wrong, o.Cause+": "+w)
	}
}

func (r *result) row() {
	fmt.Printf("| %s | %d | %d (%.0f %%) | %.1f | %.2f %% |\n", r.Cause, r.Frames, r.Right,
		100*float64(r.Right)/float64(max(r.Frames, 1)), hist.Median(r.Late), 100*hist.Median(r.Unknown))
}

// spin works for about d of this processor's time, in steps that were counted beforehand.
func spin(d time.Duration) {
	for range int(d.Seconds() * stepsPerSecond) {
		step()
	}
}

var stepsPerSecond = func() float64 {
	best := 0.0
	for range 30 {
		begin, n := time.Now(), 0
		for time.Since(begin) < time.Millisecond {
			step()
			n++
		}
		best = max(best, float64(n)/time.Since(begin).Seconds())
	}
	return best
}()

//go:noinline
func step() {
	x := sink
	for range 1000 {
		x = x*6364136223846793005 + 1442695040888963407
	}
	if x == 1 {
		sink = x
	}
}

var sink uint64 = 2
