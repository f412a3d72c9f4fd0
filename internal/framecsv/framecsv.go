// Package framecsv has what the writers of our files and their reader, framestat, share: the names of columns, and the
// version of the JSON. record.Report.Save writes the CSV and the JSON of a run. frametest writes the frames of a gate.
package framecsv

// Version is that of the JSON of a run. A field that is gone or means something else makes it higher, and a new field
// does not.
const Version = 1

// The columns that framestat reads: some have the names of other tools, the others are our own.
const (
	Application   = "Application"
	Interval      = "MsBetweenPresents"
	DisplayChange = "MsBetweenDisplayChange"
	Time          = "TimeInSeconds"

	Frame = "Frame"
	Flags = "Flags" // with | between
	Why   = "Why"   // a frame came late, in words
)

// Flags of frames that do not count.
const (
	WarmUp     = "warm-up"
	Jump       = "jump"
	Void       = "void"        // in a gate
	NoInterval = "no interval" // the interval is the target, as CapFrameX needs one
)

// LeftOut has these flags.
var LeftOut = [...]string{WarmUp, Jump, Void, NoInterval}

// Unknown is the cell of a figure that nobody knows.
const Unknown = "NA"
