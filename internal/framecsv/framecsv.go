// Package framecsv has what the writers of our files and their reader, framestat, share: the names of columns, and the
// version of the JSON. record.Report.Save writes the CSV and the JSON of a run. frametest writes the frames of a gate.
package framecsv

// Version is that of the JSON of a run. A field that is gone or means something else makes it higher, and a new field
// does not.
const Version = 1

// The names that other tools have for the same figure.
const (
	Application   = "Application"
	FrameTime     = "FrameTime"
	Busy          = "CPUBusy"
	Interval      = "MsBetweenPresents"
	DisplayChange = "MsBetweenDisplayChange"
)

// The names of our own. GCCycles and GCPause are fields of record.Counts.
const (
	Frame      = "Frame"
	Budget     = "SliceBudget"
	Used       = "SliceUsed"
	GCCycles   = "GCCycles"
	GCPause    = "GCPause"
	WorstCost  = "WorstCost"
	WorstLabel = "WorstLabel"
	Flags      = "Flags"

	WorstJobCost = "WorstJobCost"
	WorstJob     = "WorstJob"

	Woke   = "WokeLate"
	Waited = "Waited"

	Why = "Why" // a frame came late, in words
)

// The names in the CSV of a gate, beside Application, FrameTime and Busy.
const (
	Turn    = "Turn"
	Own     = "Own"
	KeptOff = "KeptOff"
	Cause   = "Cause"
	Void    = "Void"
	Counts  = "Counts"
)

// Section begins the name of the column of a section.
const Section = "Section "

// Unknown is the cell of a figure that nobody knows.
const Unknown = "NA"
