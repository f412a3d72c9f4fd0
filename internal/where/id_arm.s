#include "textflag.h"

// func g() uintptr
TEXT ·g(SB), NOSPLIT, $0-4
	MOVW g, ret+0(FP)
	RET
