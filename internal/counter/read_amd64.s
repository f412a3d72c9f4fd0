//go:build linux && !purego

#include "textflag.h"

// func Read() uint64
//
// There is no fence: the counter may be read some ns before what stands before it has ended, or after what stands
// behind it has begun. To wait for that is what makes the system's clock dear.
TEXT ·Read(SB), NOSPLIT, $0-8
	RDTSC
	SHLQ $32, DX
	ORQ  DX, AX
	MOVQ AX, ret+0(FP)
	RET

// func cpuid(leaf uint32) (eax, edx uint32)
TEXT ·cpuid(SB), NOSPLIT, $0-16
	MOVL leaf+0(FP), AX
	XORL CX, CX
	CPUID
	MOVL AX, eax+8(FP)
	MOVL DX, edx+12(FP)
	RET
