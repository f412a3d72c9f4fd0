// Package par has ways to share work out that stand on the public verbs of package workers: order for functions and for
// results, functions that run after others, and loops with a result. Only the waits of a Stream need more, as a job
// that waits there lends its worker's place.
//
//	squares := par.Map(pool, nil, numbers, square)                // a slice for a slice
//	sum := par.Reduce(pool, len(numbers), 0, addRange, add)       // one value for a range
//	saves := par.NewStrand(pool)                                  // functions in order, one at a time
//	chunks := par.NewStream[Chunk](pool, deadline.Normal, 64)     // jobs at the same time, results in order
//	draw := graph.Add("draw", drawAll, physics)                   // functions that run after others, each frame
//
// Take Map and Reduce where the caller needs the result now, for example within a frame. Both run on the calling
// goroutine too, and do not depend on the number of workers. So does a Graph, for the parts of a frame that need one
// another's results.
//
// Take a Strand where functions use something that only one of them may use at a time, such as a file or a connection.
// They need no lock then, and no worker waits for another.
//
// Take a Stream where many jobs of one kind have results that are needed in the order of submission, and where their
// number must have a bound. If the order does not matter, let the jobs push to a workers.Queue. For single results use
// a workers.Future.
//
// A nil context is context.Background. A wait that ends with its context returns the context's cause.
package par
