package report

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
)

func fixed(system string, values ...float64) Case {
	i := -1
	return Case{system, func() ([]Value, error) {
		i++
		return []Value{{"ns/task", values[i], "ns"}}, nil
	}}
}

func TestRowsAndTables(t *testing.T) {
	w := Workload{Name: "w", About: "about", Cases: []Case{fixed(Ours, 30, 10, 20), fixed("rival", 16, 16, 16)}}
	rows, err := Run(w, 3, Progress{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := rows[0].String(), "w frameslice ns/task 20 ns"; got != want {
		t.Errorf("row %q, want %q", got, want)
	}
	var out strings.Builder
	Tables(&out, []Workload{w}, rows)
	want := `
w, ns/task (ns): about
    system      median  least  greatest  rounds
  * rival           16     16        16       3
    frameslice      20     10        30       3
  loss: 1.25 of the best rival, rival
`
	if out.String() != want {
		t.Errorf("got %s\nwant %s", out.String(), want)
	}
}

// One percent of almost nothing is not a thousand times as much in any sense that helps.
func TestPercentsHaveNoRatio(t *testing.T) {
	row := func(system string, v float64) Row {
		return Row{Workload: "w", System: system, Metric: "overhead", Value: v, Unit: "%"}
	}
	got := verdict([]Row{row("rival", 0.0035), row(Ours, 3.5)})
	if want := "loss: 3.5 against 0.004 of the best rival, rival"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestMarkdown(t *testing.T) {
	workloads := []Workload{
		{Name: "lost", Cases: []Case{fixed(Ours, 30), fixed("a", 16), fixed("b", 20)}},
		{Name: "won", Cases: []Case{fixed("b", 80), fixed("a", 40), fixed(Ours, 20)}},
		{Name: "level", Cases: []Case{fixed(Ours, 21), fixed("a", 20)}},
		{Name: "alone", Cases: []Case{fixed(Ours, 3)}},
	}
	var rows []Row
	for _, w := range workloads {
		of, err := Run(w, 1, Progress{})
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, of...)
	}
	var out strings.Builder
	Markdown(&out, workloads, rows)
	want := `| workload | metric | frameslice | best rival | of it | |
|---|---|---|---|---|---|
| lost | ns/task | 30 ns | 16 (a) | 1.88 | loss |
| won | ns/task | 20 ns | 40 (a) | 0.50 | win |
| level | ns/task | 21 ns | 20 (a) | 1.05 | level |
`
	if out.String() != want {
		t.Errorf("got %s\nwant %s", out.String(), want)
	}
}

func TestErrorNamesWorkloadAndSystem(t *testing.T) {
	w := Workload{Name: "w", Cases: []Case{{"s", func() ([]Value, error) { return nil, errors.New("bad") }}}}
	if _, err := Run(w, 1, Progress{}); err == nil || err.Error() != "w, s: bad" {
		t.Error(err)
	}
}

func TestNumber(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 1: "1", 0.05: "0.05", 12.3456: "12.35", 123456.7: "123457", -3.25: "-3.25"} {
		if got := Number(v); got != want {
			t.Errorf("Number(%v) = %s, want %s", v, got, want)
		}
	}
}

// A run takes minutes: what cannot be written is said before.
func TestWhatCannotBeWrittenIsSaidAtTheStart(t *testing.T) {
	dir := t.TempDir()
	for name, good := range map[string]bool{
		"": true, filepath.Join(dir, "rows.json"): true, dir: false, filepath.Join(dir, "none", "rows.json"): false,
	} {
		if err := placed(name); (err == nil) != good {
			t.Errorf("%q: %v", name, err)
		}
	}
}
