//go:build !linux && !windows

package workers

// newParker returns a parker of the kind asked for, or the nearest that there is, and which it is.
func newParker(Park, bool) (parker, Park) { return newChanParker(), ParkChan }
