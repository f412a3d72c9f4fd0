package live_test

import (
	"bytes"
	"expvar"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/live"
	"github.com/frameslice/frameslice/frame/record"
)

// A game shows its frame times at http://localhost:6060/.
func ExampleHandler() {
	loop := frame.New(frame.Options{})
	defer loop.Close()

	handler := live.Handler(loop)
	// In a program, with a timeout for clients that send half a request:
	//	server := &http.Server{Addr: "localhost:6060", Handler: handler, ReadHeaderTimeout: 5 * time.Second}
	//	go server.ListenAndServe()
	// This example asks without a network.
	ask := func(path, host string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodGet, path, nil)
		r.RemoteAddr, r.Host = "127.0.0.1:5000", host
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		return w
	}

	fmt.Println(ask("/", "localhost:6060").Header().Get("Content-Type"))
	fmt.Println(bytes.Contains(ask("/json", "localhost:6060").Body.Bytes(), []byte(`"no frame has begun"`)))
	fmt.Print(ask("/", "evil.example").Body)
	// Output:
	// text/html; charset=utf-8
	// true
	// live: refused: the host "evil.example" is neither this machine nor one that Handler was given
}

// The figures of all frames stand in /debug/vars.
func ExampleVar() {
	loop := frame.New(frame.Options{})
	defer loop.Close()
	expvar.Publish("frames", live.Var(loop))
}

// A loop of another kind shows its frame times, too.
func ExampleHandlerOf() {
	recorder := record.New(record.Options{Target: time.Second / 60})
	server := &http.Server{
		Addr: "localhost:6060", Handler: live.HandlerOf(recorder), ReadHeaderTimeout: 5 * time.Second,
	}
	go server.ListenAndServe()
	defer server.Close()

	last := deadline.Now()
	for n := range uint64(3) { // frames
		now := deadline.Now()
		recorder.Add(record.Record{Number: n + 1, Start: now, Interval: now.Sub(last)})
		last = now
	}
}
