package workers_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/workers"
)

// saver writes what a game has to keep, in order and only the newest: with one Job, which is submitted again when it
// has finished, so that no older state is ever written over a newer one, as two calls of Go might.
type saver struct {
	pool *workers.Pool
	path string
	job  workers.Job
	sent bool   // job was submitted
	next []byte // what is to be written; nil: nothing. The frame goroutine's, as all but what the job runs
	err  error  // of the last write
}

// want is called with what is to be saved, as often as there is something.
func (s *saver) want(state []byte) { s.next = state }

// frame is called in every frame.
func (s *saver) frame() {
	if s.next == nil || s.sent && !s.job.Finished() {
		return
	}
	s.sent = true
	state := s.next
	s.next = nil
	s.job.Label, s.job.Priority = "save", deadline.Low
	s.job.Func = func(w *workers.Worker) {
		w.Blocking(func() { // the disk: another worker may run jobs meanwhile
			s.err = record.WriteFile(s.path, func(to io.Writer) error {
				_, err := to.Write(state)
				return err
			})
		})
	}
	s.pool.Submit(&s.job)
}

// An autosave: in order, the newest only, never half a file.
func ExampleJob_autosave() {
	dir, err := os.MkdirTemp("", "save")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	p := workers.New(workers.Options{})
	s := &saver{pool: p, path: filepath.Join(dir, "world")}
	for tick := range 100 { // the game's loop
		s.want(fmt.Appendf(nil, "tick %d", tick))
		s.frame()
	}
	for s.next != nil || !s.job.Finished() { // at the end the last one, too
		_ = s.job.Wait(context.Background())
		s.frame()
	}
	fmt.Println(p.Close(context.Background()), s.err)
	state, err := os.ReadFile(s.path)
	fmt.Println(string(state), err)
	// Output:
	// <nil> <nil>
	// tick 99 <nil>
}
