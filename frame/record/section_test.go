package record

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// A report has sections in text, JSON, CSV and trace. The program may use its own memory again.
func TestReportOfSections(t *testing.T) {
	rec := quiet(Options{Target: 10 * ms, WarmUp: -1})
	at := deadline.Instant(1_000_000)
	mine := make([]Section, 2)
	for i := range 3 {
		mine[0] = Section{Name: "physics, slow", Begin: at.Add(ms), Time: time.Duration(i+2) * ms, Own: ms, Calls: 1}
		mine[1] = Section{Name: "ai", Begin: at.Add(ms), Time: ms, Own: ms, Calls: 7}
		rec.Add(Record{Number: uint64(i + 1), Start: at, Interval: 10 * ms, Sections: mine[:2-i%2]})
		at = at.Add(10 * ms)
	}
	clear(mine)
	rep := NewReport("sections", rec.Snapshot(), Environment{})
	if len(rep.Sections) != 2 {
		t.Fatalf("%+v", rep.Sections)
	}
	if s := rep.Sections[0]; s.Name != "physics, slow" || s.Calls != 3 || s.Time.N != 3 || s.Time.Mean != 3*ms ||
		s.Time.Max != 4*ms || s.Own.Mean != ms {
		t.Errorf("%+v", s)
	}
	if s := rep.Sections[1]; s.Name != "ai" || s.Calls != 14 || s.Time.N != 2 || s.Own != s.Time {
		t.Errorf("%+v", s)
	}
	dir := t.TempDir()
	if err := rep.Save(dir, "x"); err != nil {
		t.Fatal(err)
	}
	for end, want := range map[string][]string{
		".txt":        {"sections by frame, ms", "physics, slow", "  without sections within", "ai "},
		".csv":        {",Section physics- slow,Section ai\n", ",2.0000,1.0000\n", ",3.0000,0.0000\n"},
		".json":       {`"sections": [`, `"name": "physics, slow"`},
		".trace.json": {`"name":"physics, slow","ph":"X"`, `"section ai":{"calls":7`, `"own_us":1000`},
	} {
		b, err := os.ReadFile(filepath.Join(dir, "x"+end))
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range want {
			if !strings.Contains(string(b), w) {
				t.Errorf("%s lacks %q:\n%s", end, w, b)
			}
		}
		if strings.HasSuffix(end, ".json") && !json.Valid(b) {
			t.Errorf("%s is no JSON", end)
		}
	}
}

// A record keeps 16 sections, for as long as the ring has the record. Recent uses memory again.
func TestTheRingKeepsSections(t *testing.T) {
	rec := quiet(Options{Records: ringChunk, WarmUp: -1})
	many := make([]Section, maxSections+3)
	dst := make([]Record, ringChunk)
	for i := range 10 * ringChunk {
		for k := range many {
			many[k] = Section{Name: "s", Calls: uint32(100*i + k)}
		}
		rec.Add(Record{Number: uint64(i), Sections: many[:i%len(many)]})
		for _, r := range rec.Recent(dst) {
			want := min(int(r.Number)%len(many), maxSections)
			if len(r.Sections) != want || want > 0 && r.Sections[want-1].Calls != uint32(100*int(r.Number)+want-1) {
				t.Fatalf("frame %d: %+v", r.Number, r.Sections)
			}
		}
	}
}
