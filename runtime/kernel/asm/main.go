// Command asm writes the assembly of package kernel for AVX2 and for AVX-512:
// the elementwise functions, what SumLog1pExp does with its terms, the forms
// and moments of matrices, sums of rows, and (for AVX2) combinations of vectors.
//
// The assembly does the operations of the scalar forms in exp.go, log.go,
// logistic.go, panels.go, rows.go and combine.go in the same order, and no fused multiply-adds, so
// that the results have the same bits. An elementwise function handles plain
// arguments only, and returns where it finds another.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/reg"
)

//go:generate go run . -pkg kernel -out ../vector_amd64.s -stubs ../stubs_amd64.go

func main() {
	ConstraintExpr("!purego")
	for _, width := range []int{4, 8} {
		for _, f := range functions {
			f.write(newMachine(width))
		}
		for _, write := range []func(*machine){
			writeProducts, writeLinearForms, writeQuadraticForms, writeFirstMoments, writeSecondMoments, writeAddRows, writeSubtractRows,
		} {
			write(newMachine(width))
		}
	}
	writeCombinations()
	writeLargestScaled()
	defineConstants()
	defineOnes()
	writeCPUID()
	writeXGETBV()
	Generate()
}

// writeCPUID writes the instruction of that name as a function.
func writeCPUID() {
	TEXT("cpuid", NOSPLIT, "func(leaf, sub uint32) (eax, ebx, ecx, edx uint32)")
	Doc("cpuid describes the processor.")
	Load(Param("leaf"), reg.EAX)
	Load(Param("sub"), reg.ECX)
	CPUID()
	Store(reg.EAX, Return("eax"))
	Store(reg.EBX, Return("ebx"))
	Store(reg.ECX, Return("ecx"))
	Store(reg.EDX, Return("edx"))
	RET()
}

// writeXGETBV writes the instruction of that name as a function.
func writeXGETBV() {
	TEXT("xgetbv", NOSPLIT, "func() (eax uint32)")
	Doc("xgetbv returns which registers the operating system saves.")
	XORL(reg.ECX, reg.ECX)
	XGETBV()
	Store(reg.EAX, Return("eax"))
	RET()
}
