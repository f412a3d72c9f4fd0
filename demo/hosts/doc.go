// Package hosts holds no code: each folder has the same small program in another host. The folder work has the work,
// which is the same everywhere: a list of pictures that the pool decodes, a progress bar, and a heavy job. So each
// program shows the few lines that its host needs.
//
//	go run ./tick       a server that ticks 60 times a second; commands on its standard input
//	go run ./terminal   a terminal program; keys
//	go run ./gio        a window of Gio
//	go run ./sdl        a window of SDL
//	go run ./fyne       a window of Fyne
//
// The folder ge is a module and a program of its own, for an engine that owns the game value.
//
// All programs take the flags of package work. With -naive the same work runs on plain goroutines.
//
// "make hosts" installs what the windows need, tests all programs, and prints the table of their frame times. The
// windows open on an X server of their own (Xvfb), and the tests click there and look at the pixels.
//
// This is a module of its own, so nobody who imports frameslice gets the GUI libraries with it.
package hosts
