package words

import (
	"testing"
	"time"
)

func TestWords(t *testing.T) {
	for got, want := range map[string]string{
		MS(1234500*time.Nanosecond, 4):    "1.2345",
		string(AppendMS(nil, 9.99)):       "9.99",
		string(AppendMS(nil, 9.996)):      "10.0",
		string(AppendMS(nil, 123.456)):    "123",
		string(AppendTenths(nil, 59.94)):  "59.9",
		string(AppendTenths(nil, 1234.5)): "1234",
		string(AppendCount(nil, 9999)):    "9999",
		string(AppendCount(nil, 12345)):   "12.3k",
		Short("example.com/game.load-fm"): "game.load",
		Short("load a/b.png"):             "load a/b.png",
		Short("a/b"):                      "a/b",
		Short(""):                         "without a name",
		Tail("example.com/game.load", 9):  "game.load",
		Tail("example.com/game.load", 5):  "…load",
		Tail("a/b", 3):                    "a/b",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// A column is as wide as its longest cell, in letters rather than bytes, and no line ends in spaces.
func TestText(t *testing.T) {
	var text Text
	text.Line("%-9s%d %% ", "a", 7)
	text.Table("%-*s|%*s  %-*s", []string{"", "µs"}, []string{"one", "12.5"}, []string{"two×", "3", "x"})
	want := "a        7 %\n    |  µs\none |12.5\ntwo×|   3  x\n"
	if got := text.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
