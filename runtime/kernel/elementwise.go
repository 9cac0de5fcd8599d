package kernel

// A function is an elementwise one. It has a scalar form, which defines its
// bits, and faster ones with the same bits for plain arguments, those without
// special cases: a loop over a block, and assembly.
type function int

const (
	exponential function = iota
	logarithm
	logOnePlus
	inverseLogit
	logOnePlusExp
)

// instructions is an instruction set.
type instructions int

const (
	portable instructions = iota // what Go compiles to
	avx2
	avx512
)

// path is the instruction set in use. Tests set it to others.
var path = best()

// elementwise sets dst_i = f(a_i) for i < len(dst).
func elementwise(f function, dst, a []float64) {
	a = a[:len(dst)]
	if path == portable || len(a) < 4 {
		blockwise(f, dst, a)
		return
	}
	for stride := 8; len(a) > 0; {
		done := vectors(f, dst, a)
		if done > 0 {
			stride = 8
		}
		n := min(done+stride, len(a)) // one of the first eight is not plain
		blockwise(f, dst[done:n], a[done:n])
		dst, a = dst[n:], a[n:]
		stride *= 2 // where one is, there may be many
	}
}

// scalars is elementwise by the scalar form.
func scalars(f function, dst, a []float64) {
	for i, v := range a {
		switch f {
		case exponential:
			v = exp(v)
		case logarithm:
			v = log(v)
		case logOnePlus:
			v = log1p(v)
		case inverseLogit:
			v = invLogit(v)
		case logOnePlusExp:
			v = log1pExp(v)
		}
		dst[i] = v
	}
}

// blockLen is the length of the blocks of blockwise. An element is a long
// chain of dependent operations. In several loops that do a part of it each,
// the processor works on more elements at a time.
const blockLen = 64

// scratch holds what one loop over a block leaves to the next.
type scratch struct {
	x, y, z [blockLen]float64
	bits    [blockLen]uint64
}

// blockwise is elementwise without assembly.
func blockwise(f function, dst, a []float64) {
	if len(a) < 16 { // clearing a scratch would take longer
		scalars(f, dst, a)
		return
	}
	var s scratch
	for len(a) > 0 {
		n := min(blockLen, len(a))
		if !block(f, dst[:n], a[:n], &s) {
			scalars(f, dst[:n], a[:n])
		}
		dst, a = dst[n:], a[n:]
	}
}

// block sets dst_i = f(a_i), or reports that there is an argument that is not
// plain.
func block(f function, dst, a []float64, s *scratch) (plain bool) {
	switch f {
	case exponential:
		expBlock(dst, a)
		return true
	case logarithm:
		return logBlock(dst, a, s)
	case logOnePlus:
		return log1pBlock(dst, a, s)
	case inverseLogit:
		return invLogitBlock(dst, a, s)
	default:
		return log1pExpBlock(dst, a, s)
	}
}
