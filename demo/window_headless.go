//go:build headless

package main

import "github.com/frameslice/frameslice/demo/options"

// window is left out of this build, and Ebitengine with it.
func window(options.Options) error { return errNoWindow }
