#include "textflag.h"

// Sixteen times the same byte.
#define BYTES(name, value) \
	DATA name<>+0(SB)/8, $value \
	DATA name<>+8(SB)/8, $value \
	GLOBL name<>(SB), RODATA|NOPTR, $16

BYTES(space20, 0x2020202020202020)
BYTES(small, 0x6161616161616161)
BYTES(span25, 0x1919191919191919)
BYTES(nought, 0x3030303030303030)
BYTES(span9, 0x0909090909090909)
BYTES(bang, 0x2121212121212121)
BYTES(span5e, 0x5e5e5e5e5e5e5e5e)
BYTES(tab, 0x0909090909090909)
BYTES(span1, 0x0101010101010101)
BYTES(cr, 0x0d0d0d0d0d0d0d0d)
BYTES(lf, 0x0a0a0a0a0a0a0a0a)
BYTES(dot, 0x2e2e2e2e2e2e2e2e)
BYTES(question, 0x3f3f3f3f3f3f3f3f)

// WITHIN sets the bytes of X2 to ones where those of X0 lie from low on, and at most span
// above it.
#define WITHIN(low, span) \
	MOVO X0, X1; \
	PSUBB low<>(SB), X1; \
	MOVO X1, X2; \
	PMINUB span<>(SB), X2; \
	PCMPEQB X1, X2

// IS adds to the bytes of X2 those of X0 that are the same as in what.
#define IS(what) \
	MOVO X0, X1; \
	PCMPEQB what<>(SB), X1; \
	POR X1, X2

// GATHER puts the high bits of x in front of those that r holds.
#define GATHER(x, r) \
	PMOVMSKB x, AX; \
	ORQ AX, r; \
	RORQ $16, r

// func mask(b *[64]byte, m *masks)
TEXT ·mask(SB), NOSPLIT, $0-16
	MOVQ b+0(FP), SI
	MOVQ m+8(FP), DI
	XORQ R8, R8   // letters
	XORQ R9, R9   // the bit that small letters have
	XORQ R10, R10 // digits
	XORQ R11, R11 // all but white space and what lies below it
	XORQ R12, R12 // tabs and line breaks
	XORQ R13, R13 // stops
	XORQ BX, BX   // beyond ASCII
	XORQ DX, DX   // space and what is printed
	MOVQ $4, CX

sixteen:
	MOVOU (SI), X0
	GATHER(X0, BX)
	MOVO X0, X1
	PSLLW $2, X1
	GATHER(X1, R9)
	WITHIN(nought, span9)
	GATHER(X2, R10)
	WITHIN(bang, span5e)
	GATHER(X2, R11)
	WITHIN(space20, span5e)
	GATHER(X2, DX)
	WITHIN(tab, span1)
	IS(cr)
	GATHER(X2, R12)
	MOVO X0, X2
	PCMPEQB lf<>(SB), X2
	IS(dot)
	IS(bang)
	IS(question)
	GATHER(X2, R13)
	POR space20<>(SB), X0
	WITHIN(small, span25)
	GATHER(X2, R8)
	ADDQ $16, SI
	DECQ CX
	JNZ sixteen

	MOVQ R8, (DI)
	NOTQ R9
	ANDQ R8, R9
	MOVQ R9, 8(DI)
	MOVQ R10, 16(DI)
	ORQ R8, R10
	NOTQ R10
	ANDQ R10, R11
	MOVQ R11, 24(DI)
	MOVQ R12, 32(DI)
	MOVQ R13, 40(DI)
	MOVQ BX, 48(DI)
	ORQ R12, DX
	NOTQ DX
	MOVQ DX, 56(DI)
	RET

// The same with 32 bytes at a time.

// Y3 … Y15 hold what bytes are compared with.
#define SPACE20 Y3
#define SMALL Y4
#define SPAN25 Y5
#define NOUGHT Y6
#define SPAN9 Y7
#define BANG Y8
#define SPAN5E Y9
#define TAB Y10
#define SPAN1 Y11
#define CR Y12
#define LF Y13
#define DOT Y14
#define QUESTION Y15

#define WITHIN32(low, span) \
	VPSUBB low, Y0, Y1; \
	VPMINUB span, Y1, Y2; \
	VPCMPEQB Y1, Y2, Y2

#define IS32(what) \
	VPCMPEQB what, Y0, Y1; \
	VPOR Y1, Y2, Y2

// Of the first 32 bytes the bits are put into r, of the others in front of those.
#define GATHER32(y, r) \
	VPMOVMSKB y, AX; \
	ORQ AX, r; \
	RORQ $32, r

// func maskBlocks(text *byte, n int, l *maskLists)
TEXT ·maskBlocks(SB), NOSPLIT, $0-24
	MOVQ text+0(FP), SI
	MOVQ l+16(FP), DI
	VBROADCASTI128 space20<>(SB), SPACE20
	VBROADCASTI128 small<>(SB), SMALL
	VBROADCASTI128 span25<>(SB), SPAN25
	VBROADCASTI128 nought<>(SB), NOUGHT
	VBROADCASTI128 span9<>(SB), SPAN9
	VBROADCASTI128 bang<>(SB), BANG
	VBROADCASTI128 span5e<>(SB), SPAN5E
	VBROADCASTI128 tab<>(SB), TAB
	VBROADCASTI128 span1<>(SB), SPAN1
	VBROADCASTI128 cr<>(SB), CR
	VBROADCASTI128 lf<>(SB), LF
	VBROADCASTI128 dot<>(SB), DOT
	VBROADCASTI128 question<>(SB), QUESTION
	XORQ CX, CX // the block

block:
	XORQ R8, R8   // as in mask
	XORQ R9, R9
	XORQ R10, R10
	XORQ R11, R11
	XORQ R12, R12
	XORQ R13, R13
	XORQ BX, BX
	XORQ DX, DX
	MOVQ $2, R15

thirtytwo:
	VMOVDQU (SI), Y0
	GATHER32(Y0, BX)
	VPSLLW $2, Y0, Y1
	GATHER32(Y1, R9)
	WITHIN32(NOUGHT, SPAN9)
	GATHER32(Y2, R10)
	WITHIN32(BANG, SPAN5E)
	GATHER32(Y2, R11)
	WITHIN32(SPACE20, SPAN5E)
	GATHER32(Y2, DX)
	WITHIN32(TAB, SPAN1)
	IS32(CR)
	GATHER32(Y2, R12)
	VPCMPEQB LF, Y0, Y2
	IS32(DOT)
	IS32(BANG)
	IS32(QUESTION)
	GATHER32(Y2, R13)
	VPOR SPACE20, Y0, Y0
	WITHIN32(SMALL, SPAN25)
	GATHER32(Y2, R8)
	ADDQ $32, SI
	DECQ R15
	JNZ thirtytwo

	MOVQ 0(DI), AX
	MOVQ R8, (AX)(CX*8)
	NOTQ R9
	ANDQ R8, R9
	MOVQ 8(DI), AX
	MOVQ R9, (AX)(CX*8)
	MOVQ 16(DI), AX
	MOVQ R10, (AX)(CX*8)
	ORQ R8, R10
	NOTQ R10
	ANDQ R10, R11
	MOVQ 24(DI), AX
	MOVQ R11, (AX)(CX*8)
	MOVQ 32(DI), AX
	MOVQ R12, (AX)(CX*8)
	MOVQ 40(DI), AX
	MOVQ R13, (AX)(CX*8)
	ORQ BX, 48(DI)
	ORQ R12, DX
	NOTQ DX
	ORQ DX, 56(DI)
	INCQ CX
	CMPQ CX, n+8(FP)
	JLT block

	VZEROUPPER
	RET
