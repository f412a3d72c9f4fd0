package frame

import (
	"strings"
	"sync"
	"testing"
)

// panics returns what f panics with, as text.
func panics(f func()) (msg string) {
	defer func() {
		if v := recover(); v != nil {
			msg, _ = v.(string)
			if err, ok := v.(error); ok {
				msg = err.Error()
			}
		}
	}()
	f()
	return ""
}

func TestMisusePanicsAndSaysWhatIsWrong(t *testing.T) {
	begin, slice, end := (*Loop).Begin, (*Loop).Slice, (*Loop).End
	step := func(l *Loop) { l.Step(1) }
	const again = "frame: Begin again before End: a loop has one frame at a time, and one wrapped game in it: " +
		"a modal loop calls Nest first"
	type call = func(*Loop)
	for _, c := range []struct {
		calls []call
		want  string
	}{
		{[]call{slice}, "frame: Slice without Begin"},
		{[]call{end}, "frame: End without Begin"},
		{[]call{begin, begin}, again},
		{[]call{begin, slice, slice}, "frame: Slice twice in one frame"},
		{[]call{begin, slice, begin}, again},
		{[]call{step}, "frame: Step without Begin"},
		{[]call{begin, slice, step}, "frame: Step after Slice"},
		{[]call{begin, slice, end, step}, "frame: Step without Begin"},
		{[]call{func(l *Loop) { l.Close() }, step}, ""},
		{[]call{begin, slice, (*Loop).Stop, step}, ""},
		{[]call{begin, slice, end, end}, "frame: End without Begin"},
		{[]call{begin, slice, end, slice}, "frame: Slice without Begin"},
		{[]call{begin, func(l *Loop) { l.Run(t.Context(), func() error { return ErrStop }) }},
			"frame: Run in a frame that the host has begun"},
		{[]call{func(l *Loop) { l.Run(t.Context(), nil) }}, "frame: Run with a nil function"},
	} {
		l := New(Options{})
		last := len(c.calls) - 1
		for _, f := range c.calls[:last] {
			f(l)
		}
		if got := panics(func() { c.calls[last](l) }); got != c.want {
			t.Errorf("panic %q, want %q", got, c.want)
		}
		l.Close()
	}
}

func TestCallsFromATaskPanic(t *testing.T) {
	l := New(Options{})
	defer l.Close()
	for name, f := range map[string]func(){"Begin": l.Begin, "Slice": l.Slice, "End": l.End} {
		var got string
		l.Post(0, func() { got = panics(f) })
		l.Begin()
		l.Slice()
		l.End()
		if want := "frame: " + name + " while another call of the loop runs"; !strings.HasPrefix(got, want) {
			t.Errorf("%s in a task: panic %q, want %q", name, got, want)
		}
	}
}

func TestASecondGoroutineInTheMiddleIsFoundOut(t *testing.T) {
	l := New(Options{})
	defer l.Close()
	var got string
	l.Post(0, func() {
		done := make(chan struct{})
		go func() {
			defer close(done)
			got = panics(l.Begin)
		}()
		<-done
	})
	l.Begin()
	l.Slice()
	l.End()
	if !strings.Contains(got, "second goroutine") {
		t.Errorf("panic %q, want one about a second goroutine", got)
	}
}

func TestGateLetsExactlyOneOfManyIn(t *testing.T) {
	for range 200 {
		var g gate
		var in, out int
		var mu sync.Mutex
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				msg := panics(func() { g.enter("Begin", 1<<phaseBetween, false) })
				mu.Lock()
				defer mu.Unlock()
				if msg == "" {
					in++
				} else {
					out++
				}
			})
		}
		wg.Wait()
		if in != 1 || out != 3 {
			t.Fatalf("%d came in and %d were refused, want 1 and 3", in, out)
		}
	}
}

func TestG2_OneGoroutineCloses(t *testing.T) {
	for range 200 {
		var g gate
		g.enter("Begin", 1<<phaseBetween, false)
		g.away()
		var closers int
		var mu sync.Mutex
		var wg sync.WaitGroup
		leave := func() bool { return g.leave(phaseOpen) }
		for _, f := range []func() bool{g.requestClose, g.requestClose, g.home, leave} {
			wg.Go(func() {
				if f() {
					mu.Lock()
					closers++
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		if closers != 1 {
			t.Fatalf("%d goroutines close, want 1", closers)
		}
		if g.enter("Begin", 1<<phaseBetween, false) {
			t.Fatal("a call enters a closed loop")
		}
	}
}
