package live_test

import (
	"context"
	"encoding/json"
	"math"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/live"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

const home, localhost = "127.0.0.1:5000", "localhost:6060"

// state is the JSON, with all its fields, as somebody else's program reads it.
type state struct {
	At           float64      `json:"at_ms"`
	Alone        bool         `json:"alone"`
	Answered     bool         `json:"answered"`
	Note         string       `json:"note"`
	Stuck        string       `json:"stuck"`
	Frame        uint64       `json:"frame"`
	Target       float64      `json:"target_ms"`
	FPS          float64      `json:"fps"`
	P50          float64      `json:"p50_ms"`
	P99          float64      `json:"p99_ms"`
	Max          float64      `json:"max_ms"`
	Missed       int          `json:"missed"`
	Share        float64      `json:"missed_percent"`
	Counted      int          `json:"counted"`
	Frames       [][7]float64 `json:"frames"`
	Distribution [][3]float64 `json:"distribution"`
	Late         []struct {
		Number   uint64  `json:"number"`
		Interval float64 `json:"interval_ms"`
		Late     float64 `json:"late_ms"`
		Ago      float64 `json:"ago_ms"`
		Cause    string  `json:"cause"`
		Parts    []struct {
			Kind   string  `json:"kind"`
			Name   string  `json:"name"`
			Time   float64 `json:"ms"`
			Beside bool    `json:"beside"`
		} `json:"parts"`
	} `json:"late"`
	Hitch *struct {
		Late  float64 `json:"late_ms"`
		Ago   float64 `json:"ago_ms"`
		Cause string  `json:"cause"`
	} `json:"hitch"`
	Slice *struct {
		Own    float64 `json:"own_ms"`
		Used   float64 `json:"used_ms"`
		Budget float64 `json:"budget_ms"`
		Short  string  `json:"short"`
		Shadow bool    `json:"shadow"`
	} `json:"slice"`
	HandedOver *spread `json:"input_to_handed_over"`
	Displayed  *spread `json:"input_to_display"`
	Costs      []struct {
		Of   string  `json:"of"`
		Name string  `json:"name"`
		Rate float64 `json:"ms_per_s"`
		Max  float64 `json:"max_ms"`
	} `json:"costs"`
	Queues []struct {
		Priority string `json:"priority"`
		Tasks    *int   `json:"tasks"`
		Delayed  *int   `json:"delayed"`
		Jobs     int    `json:"jobs"`
	} `json:"queues"`
	IO      int `json:"io"`
	Workers []struct {
		Busy    float64 `json:"busy_ms"`
		Run     uint64  `json:"run"`
		Running bool    `json:"running"`
		Label   string  `json:"label"`
		Low     bool    `json:"low"`
	} `json:"workers"`
	Coroutines *struct {
		Alive int `json:"alive"`
		List  []struct {
			Label    string  `json:"label"`
			Place    string  `json:"place"`
			Priority string  `json:"priority"`
			Why      string  `json:"why"`
			Waited   float64 `json:"waited_ms"`
			Asleep   bool    `json:"asleep"`
		} `json:"list"`
	} `json:"coroutines"`
	Warnings []string `json:"warnings"`
}

type spread struct {
	P50 float64 `json:"p50_ms"`
	P99 float64 `json:"p99_ms"`
	Max float64 `json:"max_ms"`
}

// look asks for the JSON. It must have the fields of state and no others.
func look(t *testing.T, h http.Handler) *state {
	t.Helper()
	w := request(h, "/json", home, localhost)
	if w.Code != http.StatusOK || w.Header().Get("Content-Type") != "application/json" {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	s := new(state)
	d := json.NewDecoder(strings.NewReader(w.Body.String()))
	d.DisallowUnknownFields()
	if err := d.Decode(s); err != nil {
		t.Fatal(err)
	}
	var raw map[string]any
	if err := json.Unmarshal(w.Body.Bytes(), &raw); err != nil || len(raw) != reflect.TypeFor[state]().NumField() {
		t.Fatalf("%d fields of %d: %v", len(raw), reflect.TypeFor[state]().NumField(), err)
	}
	for _, list := range []string{"frames", "distribution", "late", "costs", "queues", "workers", "warnings"} {
		if raw[list] == nil {
			t.Fatalf("%s is null", list)
		}
	}
	return s
}

// inBubble runs a loop in virtual time.
func inBubble(t *testing.T, o frame.Options, f func(t *testing.T, l *frame.Loop, h http.Handler)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		o.Interval, o.CloseTimeout, o.Recorder.WarmUp = time.Second/60, -1, -1
		if o.Workers.Workers == 0 {
			o.Workers.Workers = -1
		}
		l := frame.New(o)
		defer l.Close()
		f(t, l, live.Handler(l))
	})
}

// play plays frames until the request has its answer.
func play[T any](l *frame.Loop, ask func() T) (got T) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		got = ask()
	}()
	for {
		time.Sleep(time.Second / 60)
		frameOf(l)
		synctest.Wait()
		select {
		case <-done:
			return got
		default:
		}
	}
}

func spawnBoss() { time.Sleep(45 * time.Millisecond) }

type never struct{}

func (never) Notify(func())        {}
func (never) Result() (int, error) { return 0, nil }

// The page's figures are those of the loop: frames, the last hitch in words, queues, and coroutines with their waits.
func TestState(t *testing.T) {
	inBubble(t, frame.Options{}, func(t *testing.T, l *frame.Loop, h http.Handler) {
		waits := l.Go(deadline.Normal, func(co *scheduler.Co) { _, _ = scheduler.Await(co, never{}) })
		l.Scheduler().Submit(&scheduler.Task{Label: "patrol", Co: func(co *scheduler.Co) { co.Sleep(time.Hour) }})
		l.Scheduler().Submit(&scheduler.Task{Label: "loads", Co: func(co *scheduler.Co) { _ = co.Wait(waits) }})
		for n := range 400 {
			time.Sleep(time.Second / 60)
			if n == 350 {
				l.Post(deadline.Immediate, spawnBoss)
			}
			frameOf(l)
		}
		l.After(deadline.Low, time.Hour, func() {})
		l.Pool().Go(deadline.Idle, func() {})
		for range 65 { // more than run at once
			workers.SubmitIO(l.Pool(), func(ctx context.Context) (int, error) { <-ctx.Done(); return 0, nil })
		}
		s := play(l, func() *state { return look(t, h) })
		if !s.Answered || s.Note != "" || s.Stuck != "" {
			t.Fatalf("no answer: %s %s", s.Note, s.Stuck)
		}
		if s.Frame < 400 || s.Counted < 399 || s.Missed != 3 || s.P50 < 16.5 || s.P50 > 16.8 ||
			s.Max < 60 || s.Max > 63 {
			t.Errorf("frame %d, %d count, %d missed, p50 %v, max %v", s.Frame, s.Counted, s.Missed, s.P50, s.Max)
		}
		if s.IO != 65 {
			t.Errorf("%d IO", s.IO)
		}
		if n := len(s.Frames); n != 399 && n != 400 {
			t.Errorf("%d frames", n)
		}
		late := slices.IndexFunc(s.Frames, func(f [7]float64) bool { return f[4] > 0 })
		if late < 0 || s.Frames[late][0] < 60 || s.Frames[late][2] < 45 {
			t.Errorf("the late frame is %d", late)
		}
		if n := len(s.Late); n != 1 {
			t.Fatalf("%d late frames", n)
		}
		one := s.Late[0]
		if float64(one.Number) != s.Frames[late][6] || one.Interval != s.Frames[late][0] ||
			one.Cause != s.Hitch.Cause ||
			one.Late < one.Interval-16.7 || one.Late > one.Interval-16.6 || one.Ago != s.Hitch.Ago {
			t.Errorf("the late frame is %+v, the bar %v", one, s.Frames[late])
		}
		parts := 0.0
		for _, p := range one.Parts {
			parts += p.Time
		}
		if p := one.Parts[0]; p.Kind != "task" || p.Name != "live_test.spawnBoss" || p.Time < 45 || p.Beside ||
			math.Abs(parts-one.Interval) > 0.01 {
			t.Errorf("its parts are %+v", one.Parts)
		}
		sum := 0.0
		for _, d := range s.Distribution {
			if sum += d[2]; d[0] >= d[1] {
				t.Errorf("the bin %v", d)
			}
		}
		if int(sum) != s.Counted {
			t.Errorf("%v frames in the distribution, %d count", sum, s.Counted)
		}
		const cause = "the task live_test.spawnBoss, or the system, took 45.0 ms of a slice of"
		if s.Hitch == nil || !strings.HasPrefix(s.Hitch.Cause, cause) || s.Hitch.Ago < 500 || s.Hitch.Ago > 2000 {
			t.Errorf("the hitch is %+v", s.Hitch)
		}
		if q := s.Queues; len(q) != 5 || q[3].Priority != "low" || *q[3].Delayed != 1 || *q[2].Delayed != 1 ||
			*q[0].Tasks != 0 {
			t.Errorf("the queues are %+v", s.Queues)
		}
		if s.Slice == nil || s.Slice.Budget < 1 || s.Slice.Shadow {
			t.Errorf("the slice is %+v", s.Slice)
		}
		c := s.Coroutines
		if c == nil || c.Alive != 3 || len(c.List) != 3 || c.List[2].Label != "patrol" || !c.List[2].Asleep {
			t.Fatalf("the coroutines are %+v", c)
		}
		for _, one := range c.List {
			if one.Waited < 6500 || one.Waited > 7500 || !strings.HasPrefix(one.Place, "live/state_test.go:") ||
				one.Priority != "normal" {
				t.Errorf("the coroutine %+v", one)
			}
		}
		why := c.List[1].Why
		if c.List[1].Label == "loads" && !strings.HasPrefix(why, "waits for the task live_test.TestState") {
			t.Errorf("it %s", why)
		}
		all := strings.Join(s.Warnings, "\n")
		for _, want := range []string{
			"A late frame of the last minute: " + s.Hitch.Cause + ".",
			"The coroutine loads has not continued for 6.", "waits for a live_test.never",
		} {
			if !strings.Contains(all, want) {
				t.Errorf("no warning %q in\n%s", want, all)
			}
		}
		if strings.Contains(all, "patrol") || len(s.Warnings) != 3 {
			t.Errorf("the warnings are\n%s", all)
		}
		time.Sleep(2 * time.Minute)
		s = play(l, func() *state { return look(t, h) })
		if strings.Contains(strings.Join(s.Warnings, "\n"), "spawnBoss") {
			t.Errorf("a run of two minutes ago still counts: %v", s.Warnings)
		}
	})
}

// The page says so if no frame has begun, if the frame goroutine does not answer, and if the loop is closed.
func TestWithoutAnAnswer(t *testing.T) {
	inBubble(t, frame.Options{}, func(t *testing.T, l *frame.Loop, h http.Handler) {
		none := func(note string) *state {
			t.Helper()
			s := look(t, h)
			if s.Answered || s.Note != note || s.Coroutines != nil || s.Queues[0].Tasks != nil {
				t.Errorf("answered %v, %q, want %q", s.Answered, s.Note, note)
			}
			return s
		}
		none("no frame has begun")
		if got := l.Placement(); got != frame.PlaceAuto {
			t.Errorf("a look has chosen the placement %d", got)
		}
		frameOf(l)
		const late = "the frame goroutine has not answered within 1s"
		begin := time.Now()
		if s := none(late); s.Stuck != "" || s.Frame != 1 || time.Since(begin) != time.Second {
			t.Errorf("between frames: %q, frame %d, %v", s.Stuck, s.Frame, time.Since(begin))
		}
		hung := make(chan struct{})
		l.Go(deadline.Normal, func(*scheduler.Co) { <-hung })
		frames := make(chan struct{})
		go func() {
			defer close(frames)
			frameOf(l)
			frameOf(l)
		}()
		synctest.Wait()
		time.Sleep(time.Second)
		s := none(late)
		if !strings.Contains(s.Stuck, "live_test.TestWithoutAnAnswer") || len(s.Warnings) != 1 {
			t.Errorf("the frame hangs in\n%s\nwarnings %v", s.Stuck, s.Warnings)
		}
		close(hung)
		<-frames
		s = play(l, func() *state { return look(t, h) })
		if !s.Answered {
			t.Errorf("after the hang: %s", s.Note)
		}
		if n := l.Host().Stats(); n.Canceled != 2 {
			t.Errorf("%d callbacks were cancelled, want those of two requests", n.Canceled)
		}
		_ = l.Close()
		if s := none("the loop is closed"); s.Frame == 0 || s.Counted == 0 {
			t.Error("after Close there are no figures")
		}
	})
}

// The sentence of an autopsy, which comes some time after the frame, takes the place of the cause.
func TestTheSentenceOfAnAutopsy(t *testing.T) {
	inBubble(t, frame.Options{}, func(t *testing.T, l *frame.Loop, h http.Handler) {
		for range 90 {
			time.Sleep(50 * time.Millisecond)
			frameOf(l)
		}
		seen := func() *state { return play(l, func() *state { return look(t, h) }) }
		all := seen().Late
		number := all[len(all)-1].Number
		l.Recorder().Explain(number+1, "why")
		found := false
		for _, late := range seen().Late {
			found = found || late.Number == number && late.Cause == "why"
		}
		if !found {
			t.Error("it is not shown")
		}
	})
}

// The recorder's Reset empties the page's figures.
func TestReset(t *testing.T) {
	inBubble(t, frame.Options{}, func(t *testing.T, l *frame.Loop, h http.Handler) {
		for range 30 {
			time.Sleep(50 * time.Millisecond)
			frameOf(l)
		}
		if s := play(l, func() *state { return look(t, h) }); s.Hitch == nil || s.Missed == 0 {
			t.Errorf("%+v", s)
		}
		l.Recorder().Reset()
		if s := play(l, func() *state { return look(t, h) }); s.Hitch != nil || s.Missed != 0 || s.Counted > 2 {
			t.Errorf("after Reset: %d count, %d missed, %+v", s.Counted, s.Missed, s.Hitch)
		}
	})
}
