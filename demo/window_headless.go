//go:build headless

package main

import "github.com/frameslice/frameslice/demo/cli"

// window is left out of this build, and Ebitengine with it.
func window(cli.Options) error { return errNoWindow }
