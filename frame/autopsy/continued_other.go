//go:build !unix

package autopsy

import "os"

func notifyContinued() (<-chan os.Signal, func()) { return nil, func() {} }
