package check

import (
	"go/types"
	"strings"
)

// A place is a set of answers to the question where a function runs.
type place uint16

const (
	frame     place = 1 << iota // on the frame goroutine
	task                        // there, in a slice or a phase of the loop
	coroutine                   // there, with a Co
	again                       // once in every frame, or nearly
	job                         // on a worker of the pool
	waiting                     // on a goroutine of its own that may wait: a source, the function of IO
	elsewhere                   // on a goroutine of the program's own
	same                        // where its caller runs: only for parameters
	awaited                     // its caller continues when it has ended
	pure                        // and its result depends on nothing but its argument
	joined                      // and it is a part of what its caller does
)

const (
	asTask   = frame | task
	asCo     = asTask | coroutine
	asPhase  = asTask | again
	asUpdate = frame | again
	beside   = job | waiting // the library's workers
)

const library = "github.com/frameslice/frameslice"

// placesOf is the table of where functions run: for each verb, the places of the functions that it is given, in order.
// The last one counts for all that follow.
func placesOf(verb string) []place {
	switch verb {
	case "scheduler.Scheduler.Post", "scheduler.Scheduler.After", "scheduler.Scheduler.WhenIdle",
		"scheduler.Scheduler.Microtask", "scheduler.Scheduler.Once",
		"scheduler.Group.Post", "scheduler.Group.After", "scheduler.Group.Once", "frame.Loop.Post", "frame.Loop.After",
		"scheduler/flow.Bound.Post", "scheduler/flow.Bound.PostWait", "scheduler/flow.RateLimit.Post",
		"scheduler/flow.NewDebounce", "scheduler/flow.NewThrottle", "scheduler/flow.NewLatest",
		"scheduler/flow.Topic.Subscribe", "frame/load.Loader.Load":
		return []place{asTask}
	case "scheduler.Scheduler.Each", "scheduler.Group.Each", "frame.Loop.Each",
		"scheduler.Scheduler.Every", "scheduler.Group.Every", "frame.Loop.Every":
		return []place{asPhase}
	case "scheduler.Scheduler.Go", "scheduler.Group.Go", "frame.Loop.Go":
		return []place{asCo}
	case "frame.Loop.Run":
		return []place{asUpdate}
	case "frameslice.Submit", "workers.Submit", "workers.Then", "workers.Pool.Go", "workers.Worker.Go",
		"workers/par.Strand.Go", "workers/par.Stream.Submit", "workers/par.Stream.TrySubmit", "frameslice.NewLoader",
		"frame/load.New":
		return []place{job}
	case "frameslice.Background", "workers.Group.Go":
		return []place{job | awaited}
	case "frame.Loop.ParallelFor", "workers.Pool.ParallelFor", "workers.Worker.ParallelFor",
		"workers.Looper.ParallelFor", "workers.Join", "workers/par.Graph.Add", "workers/par.Map", "workers/par.Reduce":
		return []place{job | awaited | joined}
	case "frameslice.NewLoaderFrom", "frame/load.NewFrom":
		return []place{waiting, job}
	case "frameslice.SubmitIO", "workers.SubmitIO":
		return []place{waiting}
	case "frame/ticks.NewKind":
		return []place{job | pure, frame}
	case "frameslice.IO":
		return []place{waiting | awaited}
	case "frameslice.Blocking", "workers.Blocking", "workers.Worker.Blocking":
		return []place{waiting | awaited | joined}
	case "scheduler.Co.WaitUntil", "sync.Once.Do", "sort.Slice", "sort.SliceStable", "sort.Search",
		"slices.SortFunc", "slices.SortStableFunc", "slices.IndexFunc", "slices.ContainsFunc", "slices.DeleteFunc":
		return []place{same}
	case "sync.WaitGroup.Go", "golang.org/x/sync/errgroup.Group.Go", "time.AfterFunc", "context.AfterFunc":
		return []place{elsewhere}
	}
	return nil
}

// placeOfField returns where a function runs that is stored in a field.
func placeOfField(field string) place {
	switch field {
	case "scheduler.Task.Func", "scheduler.Task.Step", "scheduler.Task.Idle",
		"frame/load.CacheOptions.Commit", "frame/load.CacheOptions.Evict", "frame/load.CacheOptions.Failed":
		return asTask
	case "scheduler.Task.Co":
		return asCo
	case "workers.Job.Func":
		return job
	}
	return 0
}

// isLibrary reports whether a package is one of the library's, and not one of its programs.
func isLibrary(path string) bool {
	rest, ok := strings.CutPrefix(path, library)
	return ok && !strings.HasPrefix(rest, "/demo/") && !strings.HasPrefix(rest, "/bench/")
}

// name returns a function as the tables write it: package, type and name, without the path of the library.
func name(f *types.Func) string {
	f = f.Origin()
	s := f.Name()
	if recv := f.Signature().Recv(); recv != nil {
		if t := named(recv.Type()); t != nil {
			return typeName(t) + "." + s
		}
	}
	return short(f.Pkg()) + "." + s
}

func typeName(t *types.Named) string { return short(t.Obj().Pkg()) + "." + t.Obj().Name() }

func short(p *types.Package) string {
	if p == nil {
		return ""
	}
	if p.Path() == library {
		return "frameslice"
	}
	path, _ := strings.CutPrefix(p.Path(), library+"/")
	return path
}

// named returns the named type of t, or of what t points to.
func named(t types.Type) *types.Named {
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	n, _ := t.(*types.Named)
	return n
}

// is reports whether t is the named type, or a pointer to it.
func is(t types.Type, typ string) bool {
	n := named(t)
	return n != nil && typeName(n) == typ
}

// isImage reports whether t is Ebitengine's image.
func isImage(t types.Type) bool { return is(t, "github.com/hajimehoshi/ebiten/v2.Image") }
