package frametest

import (
	"os"
	"runtime/debug"
	"strings"
	"testing"
)

func TestUnlikeSettings(t *testing.T) {
	type settings = []debug.BuildSetting
	same := settings{{Key: "-compiler", Value: "gc"}, {Key: "GOARCH", Value: "amd64"}, {Key: "vcs.revision",
		Value: "1"}}
	with := func(key, value string) settings {
		return append(same[:2:2], debug.BuildSetting{Key: key, Value: value})
	}
	for _, c := range []struct {
		base, head settings
		want       string
	}{
		{same, same, ""},
		{same, with("vcs.revision", "2"), ""}, {same, with("-ldflags", "-X main.version=2"), ""},
		{same, with("-race", "true"), "head has -race=true, and base has not"},
		{with("-race", "true"), same, "base has -race=true, and head has not"},
		{with("-tags", "a"), with("-tags", "b"), "-tags is a in base and b in head"},
		{with("GOAMD64", "v1"), with("GOAMD64", "v3"), "GOAMD64 is v1 in base and v3 in head"},
		{with("-gcflags", "-N"), with("-cover", "true"),
			"head has -cover=true, and base has not; base has -gcflags=-N, and"},
		{settings{{Key: "GOARCH", Value: "386"}}, same[1:], "GOARCH is 386 in base and amd64 in head"},
	} {
		got := differences(c.base, c.head)
		if !strings.Contains(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%v, %v: %q, want %q", c.base, c.head, got, c.want)
		}
	}
	// This very binary is like itself, and a file without settings is no reason.
	own, err := os.Executable()
	if err != nil {
		t.Skip(err)
	}
	for _, file := range []string{own, "settings.go", "none", ""} {
		if got := unlike(file); got != "" {
			t.Errorf("%s: %s", file, got)
		}
	}
}
