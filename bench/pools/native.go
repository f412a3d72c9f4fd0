package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/frameslice/frameslice/bench/child"
)

// A toolchain builds one of the programs in the folder native.
type toolchain struct {
	name    string
	probe   func() bool // whether what it needs is installed
	program string      // relative to the folder of the module
	build   []string    // the command, run in dir
	dir     string
	install string
}

var toolchains = []toolchain{
	{"onetbb", header("tbb/task_group.h"), "build/tbb", []string{"g++", "-O2", "-std=c++17", "-o", "../build/tbb",
		"tbb.cpp", "-ltbb", "-pthread"}, "native", "apt-get install g++ libtbb-dev"},
	{"openmp", header("omp.h", "-fopenmp"), "build/omp", []string{"g++", "-O2", "-std=c++17", "-o", "../build/omp",
		"omp.cpp", "-fopenmp", "-pthread"}, "native", "apt-get install g++"},
	{"rayon", rayonCrate, "build/rayon/release/rayon", []string{"cargo", "build", "--offline", "--quiet", "--release",
		"--target-dir", "../../build/rayon"}, "native/rayon", "apt-get install librust-rayon-dev rustc cargo"},
}

// header returns a probe for a C++ header.
func header(name string, flags ...string) func() bool {
	return func() bool {
		args := append(flags, "-E", "-x", "c++", "-include", name, "-o", os.DevNull, os.DevNull)
		return child.Have("g++") && child.Build(".", "g++", args...) == nil
	}
}

// rayonCrate looks where Debian puts crates.
func rayonCrate() bool {
	crates, _ := filepath.Glob("/usr/share/cargo/registry/rayon-1*")
	return len(crates) > 0 && child.Have("cargo") && child.Have("rustc")
}

// startNatives builds and starts the programs that are wanted, and says what is missing. It is called in the
// folder of the module.
func startNatives(workers int, wanted func(system string) bool) (running []native, missing []string) {
	for _, t := range toolchains {
		if !wanted(t.name) {
			continue
		}
		if !t.probe() {
			missing = append(missing, fmt.Sprintf("not installed: %s, so it has no rows; %s", t.name, t.install))
			continue
		}
		c, err := t.start(workers)
		if err != nil {
			missing = append(missing, fmt.Sprintf("%s has no rows: %v", t.name, err))
			continue
		}
		running = append(running, native{t.name, c})
	}
	return running, missing
}

func (t toolchain) start(workers int) (*child.Child, error) {
	if err := os.MkdirAll("build", 0o755); err != nil {
		return nil, err
	}
	if !t.fresh() {
		fmt.Fprintf(os.Stderr, "building the program for %s\n", t.name)
		if err := child.Build(t.dir, t.build[0], t.build[1:]...); err != nil {
			return nil, err
		}
	}
	return child.Start(nil, "./"+t.program, strconv.Itoa(workers))
}

// fresh reports whether the program is newer than all sources.
func (t toolchain) fresh() bool {
	built, err := os.Stat(t.program)
	if err != nil {
		return false
	}
	for _, pattern := range []string{"*.[ch]pp", "src/*.rs", "Cargo.toml"} {
		names, _ := filepath.Glob(filepath.Join(t.dir, pattern))
		for _, name := range names {
			if s, err := os.Stat(name); err != nil || s.ModTime().After(built.ModTime()) {
				return false
			}
		}
	}
	return true
}
