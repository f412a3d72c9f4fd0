//go:build !headless && !js

package main

import (
	"io"

	"github.com/frameslice/frameslice/demo/sim"
	"github.com/frameslice/frameslice/frame/record"
)

// shrink is for a browser: see files_js.go.
func shrink(*sim.Options) {}

// reloads says whether the pictures are loaded again and again.
const reloads = true

// publish is for a browser's page: see files_js.go.
func (*game) publish() {}

// keepFile leaves a file of that name with what write writes.
func keepFile(name string, write func(io.Writer) error) error { return record.WriteFile(name, write) }
