package live

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// A guard decides who may look.
//
// A page in a browser of this machine can send requests to a server that listens on a loopback address. Three things
// keep it from reading the answers, or from costing frames:
//   - Host. After DNS rebinding a name of the page's own means this machine, and the browser calls that the same
//     origin. The request then has this name as its host.
//   - Origin. A browser tells it for requests of another origin that want to read the answer.
//   - Sec-Fetch-Site. A browser tells it for the other requests, such as those for pictures. A link to the page is
//     fine.
type guard struct {
	hosts []string // in addition to the names of this machine; with some, any machine may look
}

func newGuard(hosts []string) (g guard) {
	for _, h := range hosts {
		name := nameOf(h)
		if name == "" || strings.ContainsAny(h, "/*@ ") {
			panic(fmt.Sprintf("live: Handler with the host %q: want a name or an address alone", h))
		}
		g.hosts = append(g.hosts, name)
	}
	return g
}

// refuses returns why the request is refused, or "".
func (g guard) refuses(r *http.Request) (why string) {
	if len(g.hosts) == 0 {
		if at, err := netip.ParseAddrPort(r.RemoteAddr); err != nil || !at.Addr().Unmap().IsLoopback() {
			return "the request comes from another machine, and Handler was given no host"
		}
		for _, forwarded := range [...]string{"Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-Ip"} {
			if len(r.Header.Values(forwarded)) > 0 {
				return "a proxy forwards the request of another machine"
			}
		}
	}
	if name := nameOf(r.Host); !isLocal(name) && !slices.Contains(g.hosts, name) {
		return fmt.Sprintf("the host %q is neither this machine nor one that Handler was given", r.Host)
	}
	for _, origin := range r.Header.Values("Origin") {
		u, err := url.Parse(origin)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || !strings.EqualFold(u.Host, r.Host) {
			return "the request is of a page of another origin"
		}
	}
	switch site := r.Header.Get("Sec-Fetch-Site"); {
	case site == "", site == "same-origin", site == "none", r.Header.Get("Sec-Fetch-Dest") == "document":
		return ""
	}
	return "the request is of a page of another site"
}

// nameOf returns the name or the address in a host, without its port.
func nameOf(host string) string {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	} else if strings.HasPrefix(host, "[") && strings.HasSuffix(host, "]") {
		name = host[1 : len(host)-1]
	}
	return strings.ToLower(strings.TrimSuffix(name, "."))
}

// isLocal reports whether the name always means this machine.
func isLocal(name string) bool {
	at, err := netip.ParseAddr(name)
	return name == "localhost" || err == nil && at.Unmap().IsLoopback()
}
