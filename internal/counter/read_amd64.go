//go:build linux && !purego

package counter

// Available reports whether the processor has a counter that runs at one rate. It does not change.
func Available() bool { return invariant }

// invariant is never changed after the package's initialization.
var invariant = hasInvariant()

// hasInvariant asks the processor for bit 8 of EDX of leaf 0x80000007 (AMD64 Architecture Programmer's Manual 3,
// appendix E; Intel's, volume 3, 19.17.1).
func hasInvariant() bool {
	const leaf = 0x80000007
	if most, _ := cpuid(0x80000000); most < leaf {
		return false
	}
	_, edx := cpuid(leaf)
	return edx&(1<<8) != 0
}

// Read reads the counter. Some 10 ns. Only if Available.
//
//go:noescape
func Read() uint64

//go:noescape
func cpuid(leaf uint32) (eax, edx uint32)
