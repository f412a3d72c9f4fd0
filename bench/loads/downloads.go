package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/frameslice/frameslice"
	"github.com/frameslice/frameslice/bench/report"
	"github.com/frameslice/frameslice/frame/load/fetch"
)

// A way to load URLs beside the frames of a loop. done is called on the frame goroutine, once for each URL. It is nil
// for the frames and jobs alone.
type way struct {
	name string
	load func(l *frameslice.Loop, urls []string, done func(error))
}

var ways = []way{
	{report.Ours, func(l *frameslice.Loop, urls []string, done func(error)) {
		ld := frameslice.NewLoaderFrom(l, frameslice.LoadOptions{}, fetch.HTTP(nil),
			func(_ context.Context, _ string, bytes []byte) (int, error) { return decode(bytes) })
		for _, url := range urls {
			ld.Load(context.Background(), url, func(_ int, err error) { done(err) })
		}
	}},
	{"decode waits", func(l *frameslice.Loop, urls []string, done func(error)) { // a Loader of one stage
		get := fetch.HTTP(nil)
		ld := frameslice.NewLoader(l, frameslice.LoadOptions{},
			func(ctx context.Context, url string, m *frameslice.Meter) (int, error) {
				bytes, err := get(ctx, url, m)
				if err != nil {
					return 0, err
				}
				return decode(bytes)
			})
		for _, url := range urls {
			ld.Load(context.Background(), url, func(_ int, err error) { done(err) })
		}
	}},
	{"go", func(l *frameslice.Loop, urls []string, done func(error)) { // a goroutine for each, at most six at once
		places := make(chan struct{}, 6)
		for _, url := range urls {
			go func() {
				places <- struct{}{}
				_, err := plainGet(url)
				<-places
				l.Post(frameslice.Normal, func() { done(err) })
			}()
		}
	}},
	{name: "no downloads"},
}

// decode computes for some 0.3 ms.
func decode(bytes []byte) (int, error) {
	sum := sha256.Sum256(bytes)
	for range 2000 {
		sum = sha256.Sum256(sum[:])
	}
	return int(sum[0]), nil
}

func plainGet(url string) (int, error) {
	answer, err := http.Get(url)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	bytes, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		return 0, errors.Join(err, errors.New(answer.Status))
	}
	return decode(bytes)
}

// serve answers after as many milliseconds as the path says.
func serve() (url string, stop func(), err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(r.URL.Path[1:])
		time.Sleep(time.Duration(n) * time.Millisecond)
		fmt.Fprintln(w, "a file")
	})}
	go func() { _ = s.Serve(listener) }()
	return "http://" + listener.Addr().String(), func() {
		s.Close()
		http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	}, nil
}

// path is a job that computes for 33 ms on a quiet machine.
type path struct{ rounds int }

func newPath() path {
	best := time.Hour
	for range 5 {
		begin := time.Now()
		(path{20_000}).find()
		best = min(best, time.Since(begin))
	}
	return path{int(20_000 * 33 * time.Millisecond / best)}
}

func (p path) find() byte {
	var sum [32]byte
	for range p.rounds {
		sum = sha256.Sum256(sum[:])
	}
	return sum[0]
}

// downloads loads 20 files and runs path jobs meanwhile, and until there were 30 of them.
func downloads(w way, wait time.Duration) ([]report.Value, error) {
	url, stop, err := serve()
	if err != nil {
		return nil, err
	}
	defer stop()
	l := frameslice.New(frameslice.LeaveOne)
	defer l.Close()
	ctx, end := context.WithTimeout(context.Background(), time.Minute)
	defer end()
	p := newPath()
	var urls []string
	for i := range 20 {
		urls = append(urls, fmt.Sprintf("%s/%d?%d", url, wait.Milliseconds(), i))
	}
	begin, loaded, left := time.Now(), time.Duration(0), len(urls)
	if w.load == nil {
		left = 0
	} else {
		w.load(l, urls, func(e error) {
			err = errors.Join(err, e)
			if left--; left == 0 {
				loaded = time.Since(begin)
			}
		})
	}
	var took []time.Duration
	l.Go(frameslice.UserBlocking, func(co *frameslice.Co) {
		for len(took) < 30 || left > 0 {
			begin := time.Now()
			_, e := frameslice.Background(co, l, func(context.Context) (byte, error) { return p.find(), nil })
			err = errors.Join(err, e)
			took = append(took, time.Since(begin))
		}
		l.Stop()
	})
	ran := l.Run(ctx, func() error { return nil })
	if err = errors.Join(ran, err, ctx.Err()); err != nil {
		return nil, err
	}
	slices.Sort(took)
	values := []report.Value{
		milliseconds("path p50", took[len(took)/2]), milliseconds("longest path", took[len(took)-1]),
	}
	if w.load != nil {
		values = append(values, milliseconds("all loaded", loaded))
	}
	return values, nil
}

// smallFiles loads ten files that come at once after four that do not.
func smallFiles(w way, slow time.Duration) ([]report.Value, error) {
	url, stop, err := serve()
	if err != nil {
		return nil, err
	}
	defer stop()
	l := frameslice.New(frameslice.LeaveOne)
	defer l.Close()
	ctx, end := context.WithTimeout(context.Background(), time.Minute)
	defer end()
	var urls []string
	for i := range 14 {
		wait := time.Duration(0)
		if i < 4 {
			wait = slow
		}
		urls = append(urls, fmt.Sprintf("%s/%d?%d", url, wait.Milliseconds(), i))
	}
	begin, loaded, left := time.Now(), time.Duration(0), len(urls)
	w.load(l, urls, func(e error) {
		err = errors.Join(err, e)
		if left--; left == 4 {
			loaded = time.Since(begin)
		}
		if left == 0 {
			l.Stop()
		}
	})
	ran := l.Run(ctx, func() error { return nil })
	if err = errors.Join(ran, err, ctx.Err()); err != nil {
		return nil, err
	}
	return []report.Value{milliseconds("ten loaded", loaded)}, nil
}
