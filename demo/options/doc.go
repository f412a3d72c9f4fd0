// Package options is the command line of the demo: what it takes, what it refuses, and its help.
//
// It knows nothing of Ebitengine, so that a wrong flag or -help is answered before a window, or a display,
// is needed: package display calls Parse from its init, ahead of Ebitengine's own. Parse touches nothing
// but its arguments and, to test that the outputs can be written, the folders they are to be in.
//
// One table (flags, in table.go) is the source of both the flag set and the help, so neither can forget the
// other.
//
// # Exit codes
//
// 0 for a run that ended as asked, also by Ctrl-C or by closing the window; 2 for a command line that
// cannot be followed (one line on standard error says which flag and why; nothing has been written); 1 for
// a run that failed.
package options
