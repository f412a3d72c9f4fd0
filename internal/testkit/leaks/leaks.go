// Package leaks is for tests that must leave no goroutine behind. It is apart from testkit because not every module of
// the repository needs goleak.
package leaks

import (
	"os"
	"runtime"
	"testing"

	"go.uber.org/goleak"
)

// Main is for TestMain. It runs the tests, and fails if they leave a goroutine behind. It does not look at goroutines
// in a browser's runtime, which leaves one, and in a process that has one of those variables of the environment.
func Main(m *testing.M, lone ...string) {
	alone := runtime.GOOS == "js"
	for _, name := range lone {
		alone = alone || os.Getenv(name) != ""
	}
	if alone {
		os.Exit(m.Run())
	}
	goleak.VerifyTestMain(m)
}
