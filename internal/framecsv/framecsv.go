// Package framecsv has what the writers of our files and their reader, framestat, share: the names of columns, and the
// version of the JSON. record.Report.Save writes the CSV and the JSON of a run. frametest writes the frames of a gate.
package framecsv

// Version is that of the JSON of a run. A field that is gone or means something else makes it higher, and a new field
// does not.
const Version = 1

// The columns of a run that framestat reads: some have the names of other tools, the others are our own.
const (
	Application   = "Application"
	FrameTime     = "FrameTime"
	Interval      = "MsBetweenPresents"
	DisplayChange = "MsBetweenDisplayChange"
	Time          = "TimeInSeconds"

	Frame  = "Frame"
	Budget = "SliceBudget"
	Flags  = "Flags"
	Why    = "Why" // a frame came late, in words
)

// The columns of a gate that framestat reads, beside Application.
const (
	Own     = "Own"
	KeptOff = "KeptOff"
	Cause   = "Cause"
	Void    = "Void"
	Counts  = "Counts"
)

// Unknown is the cell of a figure that nobody knows.
const Unknown = "NA"
