// Tickserver is a server with a tick. Its faults were written before the analyzers.
package main

import (
	"context"
	"database/sql"
	"net"
	"os"
	"sync"
	"time"

	"github.com/frameslice/frameslice"
	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

type client struct {
	conn net.Conn
	in   chan string
}

type server struct {
	loop    *frameslice.Loop
	db      *sql.DB
	clients []client
	world   sync.Mutex
	names   []string
	rank    int
	worker  *workers.Worker
	queue   *workers.Queue[string]
}

func main() {
	loop := frameslice.New(frameslice.MaxThroughput) // want "."
	s := &server{loop: loop, queue: workers.NewQueue[string](16)}
	loop.Each(frameslice.BeforeUpdate, s.accept)
	loop.Post(frameslice.Normal, s.backup)
	loop.Run(context.Background(), s.tick)
}

func (s *server) accept() {
	conn, err := net.Dial("tcp", "example.org:1") // want "."
	if err == nil {
		s.clients = append(s.clients, client{conn: conn})
	}
}

func (s *server) tick() error {
	for _, c := range s.clients {
		select { // want "."
		case line := <-c.in:
			s.names = append(s.names, line)
		case <-time.After(time.Millisecond):
		}
	}
	if len(s.names) > 10 {
		s.store()
	}
	line, err := s.queue.Pop(context.Background()) // want "."
	if err == nil {
		s.names = append(s.names, line)
	}
	s.world.Lock() // want "."
	s.names = s.names[:0]
	s.world.Unlock()
	return nil
}

func (s *server) store() {
	for _, name := range s.names {
		s.db.Exec("insert into names values (?)", name) // want "."
	}
}

// backup hands the world to workers.
func (s *server) backup() {
	pool := s.loop.Pool()
	group := pool.NewGroup(context.Background(), deadline.Normal)
	group.Go(func(ctx context.Context) error {
		s.world.Lock()
		defer s.world.Unlock()
		time.Sleep(10 * time.Millisecond)
		return nil
	})
	group.Wait() // want "."

	var job workers.Job
	job.Func = func(w *workers.Worker) {
		s.worker = w // want "."
		go func() {
			w.Yield() // want "."
		}()
	}
	pool.Submit(&job)
	pool.Submit(&job)              // want "."
	job.Wait(context.Background()) // want "."
	again := job                   // want "."
	pool.Submit(&again)

	pool.Go(frameslice.Low, func() { s.rank = len(s.names) * 2 }) // want "."
	s.loop.Each(frameslice.AfterDraw, func() {
		if s.rank > 3 {
			println(s.rank)
		}
	})
	s.loop.Scheduler().WhenIdle(time.Second, func(end deadline.Deadline, timedOut bool) {
		f, err := os.Open("backup") // want "."
		if err == nil {
			f.Close()
		}
	})
	steps := &scheduler.Task{Step: func() bool {
		time.Sleep(time.Millisecond) // want "."
		return true
	}}
	s.loop.Scheduler().Submit(steps)
	s.loop.Scheduler().Submit(steps) // want "."
}
