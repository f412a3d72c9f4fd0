package live_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/live"
	"github.com/frameslice/frameslice/internal/testkit"
)

// newLoop returns a loop of which a frame has been.
func newLoop(t *testing.T, o frame.Options) *frame.Loop {
	o.Interval, o.CloseTimeout = time.Second/60, -1
	l := frame.New(o)
	t.Cleanup(func() { _ = l.Close() })
	frameOf(l)
	return l
}

func frameOf(l *frame.Loop) {
	l.Begin()
	l.Slice()
	l.End()
}

// request asks from a loopback address, and headers are pairs of names and values.
func request(h http.Handler, path, remote, host string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, path, nil)
	r.RemoteAddr, r.Host = remote, host
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// Only this machine may look, by its own name, and no page of another origin. Names that Handler is given let others
// in.
func TestWhoMayLook(t *testing.T) {
	l := newLoop(t, frame.Options{})
	own, open := live.Handler(l), live.Handler(l, "Dev-Box", "192.168.0.7", "[fd00::7]")
	fetch := func(site, dest string) []string { return []string{"Sec-Fetch-Site", site, "Sec-Fetch-Dest", dest} }
	for _, c := range []struct {
		h            http.Handler
		remote, host string
		headers      []string
		want         string // part of the refusal; empty: it is allowed
	}{
		{own, home, localhost, nil, ""},
		{own, home, "localhost", nil, ""},
		{own, home, "LOCALHOST.:6060", nil, ""},
		{own, home, "127.0.0.1:6060", nil, ""},
		{own, home, "127.8.9.1:6060", nil, ""},
		{own, home, "[::1]:6060", nil, ""},
		{own, home, "[::1]", nil, ""},
		{own, "[::1]:5000", localhost, nil, ""},
		{own, "[::ffff:127.0.0.1]:5000", localhost, nil, ""},

		{own, "192.168.0.9:5000", localhost, nil, "another machine"},
		{own, "[fe80::1%eth0]:5000", localhost, nil, "another machine"},
		{own, "0.0.0.0:5000", localhost, nil, "another machine"},
		{own, "@", localhost, nil, "another machine"}, // a Unix socket
		{own, "", localhost, nil, "another machine"},
		{own, home, localhost, []string{"X-Forwarded-For", "1.2.3.4"}, "proxy"},
		{own, home, localhost, []string{"Forwarded", "for=1.2.3.4"}, "proxy"},
		{own, home, localhost, []string{"X-Real-IP", ""}, "proxy"},
		{own, home, localhost, []string{"X-Forwarded-Host", "example.com"}, "proxy"},
		{own, home, localhost, []string{"Via", "1.1 proxy"}, "proxy"},

		{own, home, "evil.example:6060", nil, "the host"}, // DNS rebinding
		{own, home, "localhost.evil.example:6060", nil, "the host"},
		{own, home, "127.0.0.1.evil.example:6060", nil, "the host"},
		{own, home, "evil.example@localhost", nil, "the host"},
		{own, home, "0.0.0.0:6060", nil, "the host"},
		{own, home, "192.168.0.7:6060", nil, "the host"},
		{own, home, "2130706433:6060", nil, "the host"},
		{own, home, "", nil, "the host"},
		{own, home, "[::1", nil, "the host"},

		{own, home, localhost, []string{"Origin", "http://" + localhost}, ""},
		{own, home, localhost, []string{"Origin", "http://LOCALHOST:6060"}, ""},
		{own, home, localhost, []string{"Origin", "http://localhost:3000"}, "another origin"},
		{own, home, localhost, []string{"Origin", "http://localhost"}, "another origin"},
		{own, home, localhost, []string{"Origin", "http://127.0.0.1:6060"}, "another origin"},
		{own, home, localhost, []string{"Origin", "https://evil.example"}, "another origin"},
		{own, home, localhost, []string{"Origin", "null"}, "another origin"},
		{own, home, localhost, []string{"Origin", ""}, "another origin"},
		{own, home, localhost, []string{"Origin", "file://localhost:6060"}, "another origin"},
		{own, home, localhost, []string{"Origin", "http://" + localhost, "Origin", "http://a"}, "another origin"},

		{own, home, localhost, []string{"Sec-Fetch-Site", "none"}, ""},
		{own, home, localhost, []string{"Sec-Fetch-Site", "same-origin"}, ""},
		{own, home, localhost, fetch("cross-site", "document"), ""}, // a link
		{own, home, localhost, fetch("cross-site", "iframe"), "another site"},
		{own, home, localhost, fetch("cross-site", "script"), "another site"},
		{own, home, localhost, fetch("same-site", "image"), "another site"},
		{own, home, localhost, []string{"Sec-Fetch-Site", "cross-site"}, "another site"},

		{open, "192.168.0.9:5000", "dev-box:6060", nil, ""},
		{open, "192.168.0.9:5000", "192.168.0.7:6060", nil, ""},
		{open, "192.168.0.9:5000", "[fd00::7]:6060", nil, ""},
		{open, home, localhost, nil, ""},
		{open, home, localhost, []string{"X-Forwarded-For", "1.2.3.4"}, ""},
		{open, "192.168.0.9:5000", "evil.example:6060", nil, "the host"},
		{open, "192.168.0.9:5000", "dev-box:6060", []string{"Origin", "http://evil.example"}, "another origin"},
	} {
		w := request(c.h, "/", c.remote, c.host, c.headers...)
		body := w.Body.String()
		switch {
		case c.want == "" && w.Code != http.StatusOK:
			t.Errorf("%+v: refused: %d %s", c, w.Code, body)
		case c.want != "" && (w.Code != http.StatusForbidden || !strings.Contains(body, c.want)):
			t.Errorf("%+v: %d %.60s", c, w.Code, body)
		}
		if strings.Contains(body, "Access-Control") || w.Header().Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%+v: another origin is let in", c)
		}
	}
}

// Nothing is written by a request, other paths are not there, and a browser is told to be strict.
func TestAnswersAreStrict(t *testing.T) {
	h := live.Handler(newLoop(t, frame.Options{}))
	for _, method := range []string{"POST", "PUT", "DELETE", "OPTIONS", "CONNECT", "TRACE"} {
		r := httptest.NewRequest(method, "/", nil)
		r.RemoteAddr, r.Host = "127.0.0.1:1", "localhost"
		w := httptest.NewRecorder()
		if h.ServeHTTP(w, r); w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != "GET, HEAD" {
			t.Errorf("%s: %d", method, w.Code)
		}
	}
	for path, want := range map[string]int{
		"/": 200, "/frames/": 200, "/page.html": 404, "/frames": 404, "/json/x": 404,
	} {
		w := request(h, path, "127.0.0.1:1", "localhost")
		if w.Code != want {
			t.Errorf("%s: %d, want %d", path, w.Code, want)
		}
		for name, part := range map[string]string{
			"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
			"Cross-Origin-Resource-Policy": "same-origin", "Content-Security-Policy": "frame-ancestors 'none'",
		} {
			if got := w.Header().Get(name); !strings.Contains(got, part) {
				t.Errorf("%s: %s is %q", path, name, got)
			}
		}
	}
	page := request(h, "/", "127.0.0.1:1", "localhost")
	for _, outside := range []string{"http:", "https:", "//cdn", "@import", "url(", "src=", "innerHTML", "eval("} {
		if strings.Contains(page.Body.String(), outside) {
			t.Errorf("the page has %q", outside)
		}
	}
}

// Misuse panics with the name of the call.
func TestMisuse(t *testing.T) {
	l := newLoop(t, frame.Options{})
	for want, f := range map[string]func(){
		"live: Handler with a nil loop": func() { live.Handler(nil) },
		"live: Var with a nil loop":     func() { live.Var(nil) },
	} {
		testkit.Panics(t, want, f)
	}
	for _, host := range []string{"", "*", "a/b", "http://a"} {
		want := fmt.Sprintf("live: Handler with the host %q: want a name or an address alone", host)
		testkit.Panics(t, want, func() { live.Handler(l, host) })
	}
}

// given asks with a context that has ended.
func given(h http.Handler) string {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r := httptest.NewRequestWithContext(ctx, http.MethodGet, "/json", nil)
	r.RemoteAddr, r.Host = "127.0.0.1:1", "localhost"
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Body.String()
}
