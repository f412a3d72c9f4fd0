package display

import (
	"net"
	"strconv"
	"testing"
)

func TestReachable(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Skipf("no loopback network to listen on: %v", err)
	}
	defer l.Close()
	number := strconv.Itoa(l.Addr().(*net.TCPAddr).Port - 6000)
	for name, want := range map[string]bool{
		"127.0.0.1:" + number + ".0": true,
		":65111":                     false,
		"unix:65111.0":               false,
		"something else":             true, // the engine's business
		"tcp/host:0":                 true,
	} {
		if err := reachable(name); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}
