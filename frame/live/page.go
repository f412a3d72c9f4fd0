package live

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"strings"
)

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
