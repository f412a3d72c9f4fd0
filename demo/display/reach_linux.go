package display

import (
	"errors"
	"net"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// reachable returns an error if no X server listens at the display of that name, as after a connection by ssh has
// ended. Ebitengine would panic. reachable leaves a name that it does not understand to Ebitengine.
func reachable(name string) error {
	colon := strings.LastIndexByte(name, ':')
	if colon < 0 {
		return nil
	}
	host, number := name[:colon], name[colon+1:]
	number, _, _ = strings.Cut(number, ".")
	n, err := strconv.Atoi(number)
	if err != nil || n < 0 || strings.Contains(host, "/") {
		return nil
	}
	var c net.Conn
	if host == "" || host == "unix" {
		const sockets = "/tmp/.X11-unix/X"
		if c, err = net.Dial("unix", "@"+sockets+number); err != nil {
			c, err = net.Dial("unix", sockets+number)
		}
	} else {
		const wait = 5 * time.Second
		c, err = net.DialTimeout("tcp", net.JoinHostPort(strings.Trim(host, "[]"), strconv.Itoa(6000+n)), wait)
	}
	if err != nil {
		var no syscall.Errno
		if errors.As(err, &no) {
			return no
		}
		return err
	}
	return c.Close()
}
