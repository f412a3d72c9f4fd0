// Package framecsv has the names of those columns of our CSV that its writer, record.Report.Save, and its reader,
// framestat, share. The writer's table has all columns, with the cell of each.
package framecsv

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

// Section begins the name of the column of a section.
const Section = "Section "

// Unknown is the cell of a figure that nobody knows.
const Unknown = "NA"
