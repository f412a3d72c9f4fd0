// Package live shows the frame times of a running program in a browser.
//
//	server := &http.Server{Addr: "localhost:6060", Handler: live.Handler(loop), ReadHeaderTimeout: 5 * time.Second}
//	go server.ListenAndServe()
//
// Without the timeout a client that sends half a request keeps its connection.
//
// The page at http://localhost:6060/ has what the overlay of package ebitenhost has: frame times with budget and slice,
// their distribution, missed refreshes, the last hitch and its cause, sections and tasks by cost, queues, workers and
// the age of the input. It also lists the coroutines with what each one waits for, since when, and where it was
// submitted: see scheduler.Coroutine. Warnings name the causes of the latest late frames, coroutines that wait for
// five seconds, and a frame that does not end. The button "pause", or the key P, stops the page, which then asks for
// nothing. A click on a late frame shows its cause and its parts. HandlerOf shows a record.Recorder without a loop.
//
// The page reads "json" beside it: the names of times end with their unit, and a figure that nobody knows now is null.
// Prometheus reads "metrics", with the names frameslice_*. docs/measuring.md has a table of the counters. In a mux of
// your own the pattern ends with a slash:
//
//	http.Handle("/frames/", live.Handler(loop)) // /frames/, /frames/json, /frames/metrics
//	expvar.Publish("frames", live.Var(loop))    // in /debug/vars
//
// # Who may look
//
// Only this machine may look. A request from another address is refused, and so is a request in which a proxy says that
// it forwards. A proxy or a tunnel on this machine that does not say so lets others in.
//
// The host must be localhost or a loopback address: otherwise a page of the web, whose name suddenly means this
// machine, could read the program (DNS rebinding). A page of another origin is refused, too. Handler can be given the
// names by which other machines may look. There is no password: do so in a network that you trust.
//
// # What it costs
//
// Nothing, as long as there is no request. From the first one on, the submission of a coroutine takes about 0.5 µs
// more, because the scheduler then notes its place. A request for the page's figures or for the metrics asks the frame
// goroutine at the end of a frame's drawing. All requests of a Handler that wait by then get one answer. It takes a
// microsecond, and one to three more for each coroutine, of which 128 are listed at most. The rest runs on the
// goroutines of the requests. A host that draws on demand draws a frame for the answer.
//
// A frame goroutine that does not answer within a second is reported: the page then says what the frame hangs in.
package live

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"path"
	"strings"
	"sync"

	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/internal/latest"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/workers"
)

// Handler returns the page of the loop, its figures as JSON ("json") and as text for Prometheus ("metrics"). It may be
// asked before the first frame and after Close. Without hosts only this machine may look. With hosts any machine may,
// under one of these names or addresses, such as "192.168.0.7": see "Who may look" above. Handler panics if l is nil,
// or a host is not a name or an address alone.
func Handler(l *frame.Loop, hosts ...string) http.Handler {
	if l == nil {
		panic("live: Handler with a nil loop")
	}
	return newHandler(l, l.Recorder(), hosts)
}

// HandlerOf returns the page, the JSON and the metrics of a Recorder that no loop fills. They have the frame times,
// late frames and sections, and neither queues nor workers nor coroutines. Otherwise HandlerOf is as Handler.
func HandlerOf(r *record.Recorder, hosts ...string) http.Handler {
	if r == nil {
		panic("live: HandlerOf with a nil Recorder")
	}
	return newHandler(nil, r, hosts)
}

func newHandler(l *frame.Loop, r *record.Recorder, hosts []string) *handler {
	return &handler{asker: asker{loop: l}, rec: r, guard: newGuard(hosts), page: newPage()}
}

// Var returns the figures of all frames since the start, or since the recorder's Reset, as JSON. It is an expvar.Var,
// which the program may publish. String takes a millisecond and asks no frame. Any goroutine. It panics if l is nil.
func Var(l *frame.Loop) fmt.Stringer {
	if l == nil {
		panic("live: Var with a nil loop")
	}
	return variable{l}
}

type variable struct{ loop *frame.Loop }

func (v variable) String() string {
	b, err := json.Marshal(readTotals(v.loop.Recorder(), v.loop))
	if err != nil {
		return "{}" // expvar wants JSON
	}
	return string(b)
}

type handler struct {
	asker
	rec   *record.Recorder
	guard guard
	page  page

	reading sync.Mutex // for the rest: what the latest request has read

	records []record.Record
	frames  *latest.Frames
	pool    workers.Stats
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	head := w.Header()
	head.Set("Cache-Control", "no-store")
	head.Set("Content-Security-Policy", h.page.policy)
	head.Set("Cross-Origin-Resource-Policy", "same-origin")
	head.Set("Referrer-Policy", "no-referrer")
	head.Set("X-Content-Type-Options", "nosniff")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		head.Set("Allow", "GET, HEAD")
		http.Error(w, "live: only GET and HEAD", http.StatusMethodNotAllowed)
		return
	}
	if why := h.guard.refuses(r); why != "" {
		http.Error(w, "live: refused: "+why, http.StatusForbidden)
		return
	}
	switch name := path.Base(r.URL.Path); {
	case strings.HasSuffix(r.URL.Path, "/") || r.URL.Path == "":
		h.send(w, "text/html; charset=utf-8", h.page.text)
	case name == "json":
		b, err := h.json(r.Context())
		if err != nil {
			http.Error(w, "live: "+err.Error(), http.StatusInternalServerError)
			return
		}
		h.send(w, "application/json", b)
	case name == "metrics":
		h.send(w, "text/plain; version=0.0.4; charset=utf-8", h.metrics(r.Context()))
	default:
		http.Error(w, "live: there is a page, json and metrics", http.StatusNotFound)
	}
}

func (h *handler) send(w http.ResponseWriter, kind string, b []byte) {
	w.Header().Set("Content-Type", kind)
	_, _ = w.Write(b) // an error says that nobody reads any more
}

//go:embed page.html
var pageText string

// A page is the file and what a browser is told that the page may do: run its own script, use its own style and ask
// this server.
type page struct {
	text   []byte
	policy string // Content-Security-Policy
}

func newPage() page {
	return page{
		text: []byte(pageText),
		policy: "default-src 'none'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; " +
			"frame-ancestors 'none'; script-src " + hashOf("script") + "; style-src " + hashOf("style"),
	}
}

// hashOf returns the source expression of an element of the page.
func hashOf(element string) string {
	_, text, _ := strings.Cut(pageText, "<"+element+">")
	text, _, _ = strings.Cut(text, "</"+element+">")
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
