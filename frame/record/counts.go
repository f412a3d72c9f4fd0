package record

import (
	"reflect"
	"time"

	"github.com/frameslice/frameslice/internal/hist"
)

// Counts are the counters of a frame, or their sums over a run. docs/measuring.md has a table of all counters of tasks
// and jobs, with their names in each format. To add a counter, add a field here and a line to add.
// The loop's counters are set in Loop.record of package frame, which frames without a slice never reach. A counter of
// the host needs a method like Loop.Mark. The recorder's own are set in Recorder.Add.
type Counts struct {
	Ran     uint64 `json:"ran" text:"tasks run"`
	Expired uint64 `json:"expired" text:"of them overdue"`
	// Deferred tasks were ready and had to wait for a later frame.
	Deferred uint64 `json:"deferred" text:"tasks deferred"`
	Canceled uint64 `json:"canceled" text:"tasks canceled"`
	// JobsInSlice are the jobs that the slice ran. Jobs that workers ran are in PoolReport.
	JobsInSlice uint64 `json:"jobs_in_slice" text:"jobs run in the slice"`
	// HandedBack counts ended waits of coroutines for an Awaitable.
	HandedBack uint64 `json:"handed_back" text:"coroutines handed back"`
	// GCCycles ended since the record before, and stopped the process for GCPause. Recorder.Add sets both, or
	// leaves them to a later record while a loop with Options.GCBetweenFrames looks at the heap.
	GCCycles uint64        `json:"gc_cycles" text:"garbage collections"`
	GCPause  time.Duration `json:"gc_pause_ns" text:"their pauses, ms"`
	// System is what the system took for sure of the frame's own work and, unless it ran beside the host, of the slice.
	// SystemAtMost is that and what may be its doing: see Taken. SystemBefore is what it took for sure between the
	// frame before and this one. Recorder.Add sets them from Record.System.
	System       time.Duration `json:"system_ns" text:"taken by the system, ms"`
	SystemAtMost time.Duration `json:"system_at_most_ns" text:"the same at most, ms"`
	SystemBefore time.Duration `json:"system_before_ns" text:"taken between the frames, ms"`
}

// system sets what the system took.
func (c *Counts) system(r *Record) {
	_, took, either := r.System.Own.Split(r.Own())
	if r.Flags&(Sliced|Shadowed) == Sliced {
		_, t, e := r.System.Slice.Split(r.Used())
		took, either = took+t, either+e
	}
	c.System, c.SystemAtMost, c.SystemBefore = took, took+either, r.System.Before.Time
}

// add adds o. It is written by hand because Recorder.Add calls it in every frame.
func (c *Counts) add(o *Counts) {
	c.Ran += o.Ran
	c.Expired += o.Expired
	c.Deferred += o.Deferred
	c.Canceled += o.Canceled
	c.JobsInSlice += o.JobsInSlice
	c.HandedBack += o.HandedBack
	c.GCCycles += o.GCCycles
	c.GCPause += o.GCPause
	c.System += o.System
	c.SystemAtMost += o.SystemAtMost
	c.SystemBefore += o.SystemBefore
}

// each calls f with every field of Counts and its value.
func (c *Counts) each(f func(field reflect.StructField, n uint64, d time.Duration)) {
	for field, value := range reflect.ValueOf(c).Elem().Fields() {
		if value.Kind() == reflect.Uint64 {
			f(field, value.Uint(), 0)
		} else {
			f(field, 0, time.Duration(value.Int()))
		}
	}
}

// addFields adds the numbers of the struct o, times sign, to those of the struct v: uint64, Duration, and arrays,
// slices and structs of these. It leaves other fields alone. It takes some microseconds.
func addFields(v, o reflect.Value, sign int) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			addFields(v.Field(i), o.Field(i), sign)
		}
	case reflect.Array, reflect.Slice:
		for i := range min(v.Len(), o.Len()) {
			addFields(v.Index(i), o.Index(i), sign)
		}
	case reflect.Uint64:
		v.SetUint(v.Uint() + uint64(sign)*o.Uint())
	case reflect.Int64:
		v.SetInt(int64(hist.AddSaturating(time.Duration(v.Int()), time.Duration(sign)*time.Duration(o.Int()))))
	}
}

// sum adds o to v, field by field, times sign: 1 or -1.
func sum[T any](v, o *T, sign int) {
	addFields(reflect.ValueOf(v).Elem(), reflect.ValueOf(o).Elem(), sign)
}
