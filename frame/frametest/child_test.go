package frametest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/internal/testkit"
	"github.com/frameslice/frameslice/scheduler"
)

// TestATurnInAProcess plays real turns of 50 ms: only that they come is judged.
func TestATurnInAProcess(t *testing.T) {
	if runtime.GOOS == "js" {
		t.Skip("no processes")
	}
	start := func(loop *frame.Loop) func() error {
		loop.Every(deadline.Normal, time.Millisecond, func() { runtime.Gosched() })
		frames := 0
		return func() error {
			frames++
			switch what := os.Getenv("FRAMETEST_DOES"); {
			case what == "ends" && frames == 2:
				return frame.ErrStop
			case what == "fails":
				return errors.New("no level")
			case what == "panics" && frames == 1:
				loop.Post(deadline.Normal, func() { panic("no room") })
			}
			return nil
		}
	}
	o := Options{Turn: 50 * time.Millisecond}
	o.Loop.Interval, o.Loop.Recorder.WarmUp = 5*time.Millisecond, 2
	o = o.withDefaults()
	t.Run("a part/of (it)", func(t *testing.T) {
		if p, ok := planned(t.Name()); ok {
			if os.Getenv("FRAMETEST_DOES") != "nothing" {
				playTurn(t, o, p, start)
			}
			return
		}
		for does, want := range map[string]string{
			"": "", "ends": "ended after 2 frames", "fails": "no level", "panics": "no room", "nothing": "none came",
		} {
			var process *os.Process
			turn, err := child(t, o, head, func(p *os.Process) { process = p }, "FRAMETEST_DOES="+does)
			switch {
			case want != "":
				if text := fmt.Sprint(err); !strings.Contains(text, "a turn of head") || !strings.Contains(text, want) {
					t.Errorf("%q: error %v, want %q", does, err, want)
				}
			case err != nil:
				t.Fatal(err)
			case turn.Build != head || turn.Target != o.Loop.Interval || len(turn.Frames) == 0 || process == nil:
				t.Errorf("turn of %s at %v: %d frames", turn.Build, turn.Target, len(turn.Frames))
			default:
				for _, s := range turn.Frames {
					if s.Interval <= 0 || s.Own < 0 || s.CPU < 0 || s.Kept < 0 {
						t.Errorf("frame %+v", s)
					}
				}
			}
		}
		o.base = "no such file"
		if _, err := child(t, o, base, nil); err == nil || !strings.Contains(err.Error(), "a turn of base") {
			t.Errorf("a base that is not there: %v", err)
		}
		if runtime.GOOS == "windows" {
			return
		}
		o.base = filepath.Join(t.TempDir(), "old.test")
		says := "#!/bin/sh\necho testing: warning: no tests to run\n"
		if err := os.WriteFile(o.base, []byte(says), 0o700); err != nil {
			t.Fatal(err)
		}
		if _, err := child(t, o, base, nil); !errors.Is(err, errNoTest) {
			t.Errorf("a base without the test: %v", err)
		}
	})
}

func TestEventsAndSections(t *testing.T) {
	if runtime.GOOS == "js" {
		t.Skip("needs a thread")
	}
	events := 0
	o := Options{Turn: 20 * time.Millisecond}
	o.Loop.Interval, o.Loop.Recorder.WarmUp = 5*time.Millisecond, 1
	o.Loop.Scheduler.OnEvent = func(scheduler.Event) { events++ }
	turn, err := playFrames(o.withDefaults(), func(loop *frame.Loop) func() error {
		return func() error {
			loop.Section("physics").End()
			loop.Post(deadline.Normal, func() {})
			return nil
		}
	})
	if err != nil || events == 0 || len(turn.Frames) == 0 {
		t.Errorf("%d events, turn %+v, %v", events, turn, err)
	}
	calm := 0 // frames that the system did not hold up: their sections count
	for _, s := range turn.Frames {
		calm += count(s.By == byNobody && s.Kept < turn.Target/voidShare)
	}
	if n := len(turn.Kinds[sectionPrefix+"physics"]); n > len(turn.Frames) || n < calm {
		t.Errorf("%d frames with the section, of %d, of which %d were calm", n, len(turn.Frames), calm)
	}
	if _, err := playFrames(o.withDefaults(), func(*frame.Loop) func() error { return nil }); err == nil {
		t.Error("no error without a function")
	}
}

// A late frame has the cause that the loop's records give, and no other frame has one.
func TestTheCauseOfALateFrame(t *testing.T) {
	rec, p := record.New(record.Options{}), player{out: turn{Target: tick}, last: reading{at: 1}}
	start := deadline.Instant(1)
	for i, d := range []time.Duration{0, tick, 3 * tick, tick, tick} {
		start = start.Add(d)
		r := record.Record{Number: uint64(i + 1), Start: start, Interval: d, Flags: record.Sliced, SliceBegin: start,
			SliceDeadline: start, SliceEnd: start, WorstLabel: "bake"}
		if i == 1 {
			r.SliceEnd, r.WorstCost = start.Add(3*tick), 3*tick
		}
		rec.Add(r)
		p.frameNo = r.Number
		now := reading{at: start.Add(tick)}
		if i == 1 {
			now.at = start.Add(3 * tick)
		}
		p.add(now, rec)
		p.last = now
	}
	for i, s := range p.out.Frames {
		want := ""
		if i == 1 {
			want = "the task bake, or the system, took 48.0 ms of a slice of 0.00 ms"
		}
		if s.Why != want {
			t.Errorf("frame %d of %v: %q, want %q", i, s.Interval, s.Why, want)
		}
	}
}

func TestTheGateTossesAndEnds(t *testing.T) {
	var clock time.Time
	var order []string
	coins := 0
	g := &gate{o: Options{base: "b", Time: 10 * time.Second}.withDefaults(), now: func() time.Time { return clock }}
	g.coin = func() bool { coins++; return coins%2 == 0 }
	g.play = func(build string) (*turn, error) {
		clock = clock.Add(time.Second)
		order = append(order, build)
		return &turn{Build: build, Target: tick}, nil
	}
	v, err := g.run()
	if want := slices.Repeat([]string{base, head, head, base}, 3)[:10]; !slices.Equal(order, want) {
		t.Errorf("order %v, want %v", order, want)
	}
	if err != nil || v.end != cantTell || v.spent != 10*time.Second || v.more != 0 {
		t.Errorf("%v %v", v, err)
	}
	broken := errors.New("broken")
	g.play = func(string) (*turn, error) { return nil, broken }
	if _, err := g.run(); err != broken {
		t.Error(err)
	}
}

// A base that gives no turn is no fault of head, which may be its repair. A head that gives none is.
func TestABaseWithoutATurn(t *testing.T) {
	crash := &noTurn{build: base, dir: "/old/game", err: errors.New("exit status 2"),
		output: "--- FAIL: TestA (0.1s)\npanic: index\nFAIL\n"}
	silent := &noTurn{build: base, dir: "/old/game", err: errNoTurn}
	slow := &turn{Build: head, Target: tick, CPU: -1, Frames: slices.Repeat([]sample{{Interval: 3 * tick, Own: tick}},
		60)}
	other := &turn{Build: base, Target: 2 * tick, CPU: -1}
	for name, c := range map[string]struct {
		o      Options
		base   error
		turn   *turn // of base, without an error
		unlike string
		after  int // turns of base
		head   error
		end    end
		says   string
	}{
		"crash": {base: crash, end: cantTell,
			says: "a turn of base, in the folder /old/game: exit status 2\npanic: index"},
		"later crash":   {base: crash, after: 2, end: cantTell, says: "panic: index"},
		"nothing":       {base: silent, end: cantTell, says: "none came"},
		"other rate":    {turn: other, end: cantTell, says: "different intervals"},
		"settings":      {unlike: "head has -race=true", end: cantTell, says: "not compared: head has -race=true"},
		"head, too":     {base: crash, head: errors.New("head crashes"), says: "head crashes"},
		"settings, too": {unlike: "x", head: errors.New("head crashes"), says: "head crashes"},
		"limit": {o: Options{Limits: Limits{Own: tick / 2}}, base: crash, end: fail,
			says: "own work, ms: 16, above the limit"},
		"kept limit": {o: Options{Limits: Limits{Own: 2 * tick}}, base: crash, end: cantTell, says: "panic: index"},
		"no test":    {base: fmt.Errorf("%w", &noTurn{build: base, err: errNoTest}), says: "does not have the test"},
	} {
		for _, first := range []bool{true, false} {
			var clock time.Time
			c.o.base, c.o.Time = "b", time.Minute
			g := &gate{o: c.o.withDefaults(), unlike: c.unlike, now: func() time.Time { return clock }}
			g.coin = func() bool { return first }
			played := 0
			g.play = func(build string) (*turn, error) {
				clock = clock.Add(time.Second)
				if build == head {
					return slow, c.head
				}
				if played++; c.turn == nil && played > c.after {
					return nil, c.base
				}
				if c.turn != nil {
					return c.turn, nil
				}
				of := *slow
				of.Build = base
				return &of, nil
			}
			v, err := g.run()
			switch {
			case c.end == "":
				if err == nil || !strings.Contains(err.Error(), c.says) {
					t.Errorf("%s: %v, error %v", name, v, err)
				}
			case err != nil:
				t.Errorf("%s: %v", name, err)
			case v.end != c.end || strings.Contains(v.String(), "--- FAIL") || !strings.Contains(v.String(), c.says):
				t.Errorf("%s: %s", name, v)
			}
		}
	}
}

// A verdict that cannot be told is green, or red if Strict is set. GitHub and Azure show a line.
func TestHowCantTellEnds(t *testing.T) {
	if runtime.GOOS == "js" {
		t.Skip("no processes")
	}
	const variable = "FRAMETEST_CANNOT_TELL"
	if how := os.Getenv(variable); how != "" {
		cannotTell(t, Options{Strict: how == "strict"}, "CAN'T TELL: 5 % open\nthe table")
	}
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		how, env string
		red      bool
		line     string
	}{
		{"skip", "A=1", false, ""}, {"strict", "GITHUB_ACTIONS=true", true, ""},
		{"skip", "GITHUB_ACTIONS=true", false,
			"\n::warning title=frametest::TestHowCantTellEnds: CAN'T TELL: 5 %25 open\n"},
		{"skip", "TF_BUILD=True", false,
			"\n##vso[task.logissue type=warning]TestHowCantTellEnds: CAN'T TELL: 5 %25 open\n"},
	} {
		cmd := exec.Command(binary, "-test.run=^TestHowCantTellEnds$", "-test.v")
		cmd.Env = append(os.Environ(), "GITHUB_ACTIONS=", "TF_BUILD=", variable+"="+c.how, c.env)
		out, err := cmd.CombinedOutput()
		if text := string(out); (err != nil) != c.red || !strings.Contains(text, c.line) || !strings.Contains(text,
			"the table") ||
			c.line == "" && (strings.Contains(text, "::warning") || strings.Contains(text, "##vso")) {
			t.Errorf("%+v: %v\n%s", c, err, text)
		}
	}
}

func TestWhatIsWritten(t *testing.T) {
	rec := recording{[]*turn{{Build: head, Target: tick, CPU: -1, Mallocs: 3,
		Kinds: map[string][]time.Duration{"a": {1, 2}},
		Frames: []sample{{16_667_000, 2_000_000, 2_100_000, 0, byNobody, ""},
			{40_000_000, 1, 2, 23_000_000, byStop, ""}, {40_000_000, 1, 2, 3_000_000, byWaiting, "the task a"},
			{40_000_000, 3, 4, 0, byNobody, `the task "b", or the system, took 30.0 ms`}}}}}
	text, err := json.Marshal(rec)
	var got recording
	if err == nil {
		err = json.Unmarshal(text, &got)
	}
	if err != nil || !reflect.DeepEqual(got, rec) {
		t.Errorf("%s: %v", text, err)
	}
	for _, bad := range []string{`{"Frames":[{"By":9}]}`, `{"Frames":[{"By":-1}]}`, `{"Frames":[1]}`, `["a"]`} {
		if new(turn).read([]byte(bad)) == nil {
			t.Errorf("%s was read", bad)
		}
	}
	var csv bytes.Buffer
	if err := rec.writeCSV(&csv); err != nil {
		t.Fatal(err)
	}
	const want = "Application,Turn,Frame,FrameTime,MsBetweenPresents,Own,CPUBusy,KeptOff,Flags,Why\n" +
		"head,1,1,16.667,16.667,2.000,2.100,0.000,,\n" +
		"head,1,2,40.000,40.000,0.000,0.000,23.000,void,stopped with the process for 23.0 ms\n" +
		"head,1,3,40.000,37.000,0.000,0.000,3.000,,waited for a processor for 3.0 ms; the task a\n" +
		`head,1,4,40.000,40.000,0.000,0.000,0.000,,"the task ""b"", or the system, took 30.0 ms"` + "\n"
	if csv.String() != want {
		t.Errorf("got\n%swant\n%s", csv.String(), want)
	}
}

// CAN'T TELL says what helps.
func TestCantTellSaysWhatToDo(t *testing.T) {
	for _, c := range []struct {
		o     Options
		pairs int
		more  time.Duration
		want  string
	}{
		{Options{}, 0, 0, "raise Options.Turn"}, {Options{}, 5, 0, "raise Options.Limits"},
		{Options{base: "b"}, 5, 0, "raise Options.Tolerance"},
		{Options{base: "b"}, 5, 41500 * time.Millisecond, "About 42 s more would do: raise Options.Time"},
		{Options{cut: true}, 5, time.Second, "About 1 s more would do: raise go test -timeout"},
	} {
		v := newVerdict(c.o.withDefaults())
		for _, r := range v.rows {
			r.pairs = c.pairs
		}
		if v.more = c.more; !strings.HasSuffix(v.sentence(), c.want) {
			t.Errorf("%+v: %s", c, v.sentence())
		}
	}
}

// A base that is not there is named before anything is played.
func TestTheBaseMustBeAFile(t *testing.T) {
	dir := t.TempDir()
	for base, want := range map[string]string{
		dir: "is a folder", filepath.Join(dir, "none"): "FRAMETEST=" + filepath.Join(dir, "none") + ": want 1, or the",
	} {
		if err := (Options{base: base}).checkBase(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", base, err)
		}
	}
	if err := (Options{}).checkBase(); err != nil {
		t.Error(err)
	}
}

func TestWhatARowSays(t *testing.T) {
	for name, want := range map[string]string{
		"github.com/a/game.(*Level).build-fm": "task game.(*Level).build", "game.path": "task game.path",
		"textures/wall.png": "task wall.png", "section a.b/c.d": "section a.b/c.d",
	} {
		if got := (&row{name: name, figure: aPart}).title(); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	r := row{head: 4, base: 0, squares: 8}
	for pairs, want := range map[int]string{2: "+2 ± -", 4: "+1 ± 1.2"} {
		if r.pairs = pairs; r.difference() != want {
			t.Errorf("%d pairs: %s, want %s", pairs, r.difference(), want)
		}
	}
}

func TestOptions(t *testing.T) {
	if o := (Options{}).withDefaults(); o.Limits != (Limits{Missed: 1, HitchRatio: 5}) || o.Time != time.Minute {
		t.Errorf("%+v", o)
	}
	if o := (Options{base: "base.test"}).withDefaults(); o.Limits != (Limits{}) {
		t.Errorf("%+v", o)
	}
	for name, o := range map[string]Options{
		"Tolerance": {Tolerance: -1}, "Time": {Time: -1}, "Turn": {Turn: -1}, "Limits": {Limits: Limits{Missed: -1}},
	} {
		testkit.Panics(t, "frametest: Run: Options."+name+" is negative", func() { o.withDefaults() })
	}
	if got := pattern("TestA.b/c d"); got != `^TestA\.b$/^c d$` {
		t.Error(got)
	}
}

func TestNothingToMeasure(t *testing.T) {
	ran := false
	synctest.Test(t, func(t *testing.T) { ran = unable("1") != "" })
	if !ran {
		t.Error("a bubble can be measured")
	}
}
