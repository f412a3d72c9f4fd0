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
	"github.com/frameslice/frameslice/internal/hist"
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

// decode computes for about 0.3 ms.
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

// loading loads a file for each of the waits, which are how long the server takes, beside the frames of a loop. It
// first calls begin, and for each file landed, with how many are still to come and the time since the loads began. One
// of the two functions stops the loop, and then loading returns.
func loading(
	w way, waits []time.Duration, begin func(*frameslice.Loop), landed func(l *frameslice.Loop, left int, t time.Duration),
) error {
	url, stop, err := serve()
	if err != nil {
		return err
	}
	defer stop()
	l := frameslice.New(frameslice.Balanced)
	defer l.Close()
	ctx, end := context.WithTimeout(context.Background(), time.Minute)
	defer end()
	var urls []string
	for i, wait := range waits {
		urls = append(urls, fmt.Sprintf("%s/%d?%d", url, wait.Milliseconds(), i))
	}
	begin(l)
	if w.load != nil {
		began, left := time.Now(), len(urls)
		w.load(l, urls, func(e error) {
			err = errors.Join(err, e)
			left--
			landed(l, left, time.Since(began))
		})
	}
	ran := l.Run(ctx, func() error { return nil })
	return errors.Join(ran, err, ctx.Err())
}

// downloads loads 20 files and runs path jobs meanwhile, and until there were 30 of them.
func downloads(w way, wait time.Duration) ([]report.Value, error) {
	var failed error
	var took []time.Duration
	p, all, loaded := newPath(), w.load == nil, time.Duration(0)
	err := loading(w, slices.Repeat([]time.Duration{wait}, 20), func(l *frameslice.Loop) {
		l.Go(frameslice.UserBlocking, func(co *frameslice.Co) {
			for len(took) < 30 || !all {
				begin := time.Now()
				_, e := frameslice.Background(co, l, func(context.Context) (byte, error) { return p.find(), nil })
				failed = errors.Join(failed, e)
				took = append(took, time.Since(begin))
			}
			l.Stop()
		})
	}, func(_ *frameslice.Loop, left int, t time.Duration) { all, loaded = left == 0, t })
	if err = errors.Join(err, failed); err != nil {
		return nil, err
	}
	values := []report.Value{
		milliseconds("path p50", hist.Median(took)), milliseconds("longest path", slices.Max(took)),
	}
	if w.load != nil {
		values = append(values, milliseconds("all loaded", loaded))
	}
	return values, nil
}

// smallFiles loads ten files that come at once after four that do not.
func smallFiles(w way, slow time.Duration) ([]report.Value, error) {
	loaded := time.Duration(0)
	waits := slices.Concat(slices.Repeat([]time.Duration{slow}, 4), make([]time.Duration, 10))
	err := loading(w, waits, func(*frameslice.Loop) {}, func(l *frameslice.Loop, left int, t time.Duration) {
		switch left {
		case 4:
			loaded = t
		case 0:
			l.Stop()
		}
	})
	return []report.Value{milliseconds("ten loaded", loaded)}, err
}
