package frametest

import (
	"debug/buildinfo"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"strings"
)

// unlike says by which settings the base's binary was made in another way than this one, or "". Such builds differ in
// speed and allocations whatever the game does. A file without settings is taken as it is.
func unlike(file string) string {
	if file == "" {
		return ""
	}
	own, ok := debug.ReadBuildInfo()
	other, err := buildinfo.ReadFile(file)
	if !ok || err != nil {
		return ""
	}
	return differences(other.Settings, own.Settings)
}

// differences names the settings that differ, and that change how fast a build is. Others say where and from what the
// build was made: that is what a gate compares.
func differences(ofBase, ofHead []debug.BuildSetting) string {
	var values [2]map[string]string
	for i, of := range [][]debug.BuildSetting{ofBase, ofHead} {
		values[i] = map[string]string{}
		for _, s := range of {
			switch {
			case strings.HasPrefix(s.Key, "vcs"), strings.HasPrefix(s.Key, "CGO_") && s.Key != "CGO_ENABLED",
				s.Key == "-ldflags", s.Key == "-trimpath", s.Key == "-pgo", s.Key == "DefaultGODEBUG":
			default:
				values[i][s.Key] = s.Value
			}
		}
	}
	var says []string
	keys := maps.Clone(values[0])
	maps.Copy(keys, values[1])
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		b, bok := values[0][key]
		h, hok := values[1][key]
		switch {
		case !bok:
			says = append(says, fmt.Sprintf("head has %s=%s, and base has not", key, h))
		case !hok:
			says = append(says, fmt.Sprintf("base has %s=%s, and head has not", key, b))
		case b != h:
			says = append(says, fmt.Sprintf("%s is %s in base and %s in head", key, b, h))
		}
	}
	if len(says) == 0 {
		return ""
	}
	return "the builds were made with different settings: " + strings.Join(says, "; ")
}
