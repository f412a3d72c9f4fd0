// Package options is the command line of the demo: what it takes, what it refuses, and its help.
//
// It knows nothing of Ebitengine, so a mistake or -help is answered before a window or a display is needed: package
// display calls Parse before Ebitengine starts. To test that the outputs can be written, Parse makes and removes a
// temporary file in their folders.
//
// One table (in table.go) is the source of both the flags and the help, so neither can forget the other.
//
// # Exit codes
//
// 0: the run ended as asked, also by Ctrl-C or by closing the window. 1: the run failed. 2: the command line cannot be
// followed. Then one line on standard error says which flag and why, and nothing has been written.
package options
