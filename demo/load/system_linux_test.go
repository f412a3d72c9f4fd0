package load

import (
	"testing"
	"time"
)

func TestParseStatLeavesIdleTimeOut(t *testing.T) {
	const stat = "cpu  10 20 30 4000 500 1 2 7 900 900\ncpu0 1 1 1 1 1 1 1 1 1 1\n"
	if got, want := parseStat([]byte(stat)), 700*time.Millisecond; got != want {
		t.Errorf("got %v, want %v", got, want)
	}
	for _, bad := range []string{"", "cpu 1 2", "cpu0 1 2 3 4 5 6 7 8\n", "cpu 1 2 3 4 5 6 7 x\n"} {
		if got := parseStat([]byte(bad)); got != 0 {
			t.Errorf("parseStat(%q) = %v, want 0", bad, got)
		}
	}
	if readMachine() <= 0 {
		t.Error("the machine has used no processor time")
	}
}
