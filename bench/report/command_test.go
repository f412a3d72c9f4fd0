package report

import (
	"path/filepath"
	"strings"
	"testing"
)

// Each mistake is told with the flag and the value, before anything is measured.
func TestFlagsThatCannotBe(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "rows")
	for want, c := range map[string]Command{
		"-workers 0: want 1 to 64":               {Workers: 0},
		"-workers 65: want 1 to 64":              {Workers: 65},
		"-rounds -1: want 1":                     {Workers: 1, Rounds: -1},
		"-json and -md name the same file":       {Workers: 1, json: file, md: dir + "/./rows"},
		"-json: " + dir + " is a folder":         {Workers: 1, json: dir},
		"-md: " + file + "/md cannot be written": {Workers: 1, md: file + "/md"},
	} {
		if err := c.check(nil, 64); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	c := Command{Workers: 65} // where -workers is no flag
	if err := c.check([]string{"quick"}, 0); err == nil || !strings.HasPrefix(err.Error(), `unexpected argument "quick"`) {
		t.Error(err)
	}
	if err := c.check(nil, 0); err != nil {
		t.Error(err)
	}
	all := []Workload{{Name: "submit", Cases: []Case{{System: Ours}, {System: "ants"}}}}
	for want, c := range map[string]Command{
		"no system rayn; there are frameslice, ants": {systems: []string{Ours, "rayn"}, Others: []string{"rayon"}},
		"no workload sbmit; there are submit":        {only: []string{"sbmit"}},
	} {
		if _, err := c.chosen(all); err == nil || err.Error() != want {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	c = Command{systems: []string{Ours, "rayon"}, Others: []string{"rayon"}}
	if some, err := c.chosen(all); err != nil || len(some) != 1 || len(some[0].Cases) != 1 {
		t.Errorf("%v, %v", some, err)
	}
}
