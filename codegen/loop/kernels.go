package loop

import "strings"

// The kernels are rows of one table: what each takes and gives. Verify holds calls to it, and the printer reads from it which
// arguments are matrices of data in the layouts of kernel.Matrix, and which sizes a call is told.

// kernelTable has a row for each kernel. Letters are sizes, the same one wherever the letter stands; * is any number of
// dimensions, the same ones in the whole row, _ any size, and w the number of arguments that … stands for. A result may be an argument of the
// same shape where the kernel works in place.
var kernelTable = []struct {
	name, args, result string
	place              placing
	told               string // the sizes that stand behind the arguments of the call
}{
	{"kernel.Exp", "[*]", "[*]", inPlace, ""},
	{"kernel.Log", "[*]", "[*]", inPlace, ""},
	{"kernel.Log1p", "[*]", "[*]", inPlace, ""},
	{"kernel.InvLogit", "[*]", "[*]", inPlace, ""},
	{"kernel.Log1pExp", "[*]", "[*]", inPlace, ""},
	{"kernel.Log1pSquare", "[*]", "[*]", inPlace, ""},
	{"kernel.LogSumExp", "[*], [*]", "[*]", apart, ""},
	{"kernel.SumLog1pExp", "[n]", "number", apart, ""},
	{"kernel.Positions", "[*], [1]", "int [*]", apart, ""},
	{NewMatrix, "[n k]", "[n k]", itself, ""},

	{"kernel.MulVec", "matrix [n k], [k]", "[n]", apart, ""},
	{"kernel.MulTVec", "matrix [n k], [n]", "[k]", apart, ""},
	{"kernel.QuadForms", "matrix [n k], [k k]", "[n]", apart, ""},
	{"kernel.WeightedGram", "matrix [n k], [n]", "[k k]", apart, ""},
	{"kernel.MulMat", "matrix [n k], [k m]", "[n m]", apart, ""},
	{"kernel.MulMatT", "matrix [n k], [m k]", "[n m]", apart, ""},
	{"kernel.MulMatTurned", "matrix [n k], [k m]", "[m n]", apart, ""},
	{"kernel.MulMatTTurned", "matrix [n k], [m k]", "[m n]", apart, ""},
	{"kernel.MulTMat", "matrix [k n], [k m]", "[n m]", apart, ""},
	{"kernel.MulTMatT", "matrix [k n], [m k]", "[n m]", apart, ""},
	{"kernel.MulTMatTurned", "matrix [k n], [k m]", "[m n]", apart, ""},
	{"kernel.MulTMatTTurned", "matrix [k n], [m k]", "[m n]", apart, ""},

	{"linalg.Mul", "[n n], [n n]", "[n n]", apart, ""},
	{"linalg.MulTA", "[n n], [n n]", "[n n]", apart, ""},
	{"linalg.MulTB", "[n n], [n n]", "[n n]", apart, ""},
	{"linalg.MulTAB", "[n n], [n n]", "[n n]", apart, ""},
	{"linalg.Product", "[n k], [k m]", "[n m]", apart, "n k m"},
	{"linalg.ProductTA", "[k n], [k m]", "[n m]", apart, "n k m"},
	{"linalg.ProductTB", "[n k], [m k]", "[n m]", apart, "n k m"},
	{"linalg.ProductTAB", "[k n], [m k]", "[n m]", apart, "n k m"},
	{"linalg.Weighted", "[n k], [k], [k m]", "[n m]", apart, "n k m"},
	{"linalg.WeightedTA", "[k n], [k], [k m]", "[n m]", apart, "n k m"},
	{"linalg.WeightedTB", "[n k], [k], [m k]", "[n m]", apart, "n k m"},
	{"linalg.WeightedTAB", "[k n], [k], [m k]", "[n m]", apart, "n k m"},

	{"linalg.Factorise", "[n n]", "factor [n n]", apart, ""},
	{"linalg.Inverse", "factor [n n]", "[n n]", apart, ""},
	{"linalg.LogDet", "factor [n n]", "number", apart, ""},
	{"linalg.Lower", "factor [n n]", "[n n]", apart, ""},
	{"linalg.Solve", "factor [n n], [n *]", "[n *]", apart, ""},
	{"linalg.FactoriseLU", "[n n]", "[w n]", apart, ""},
	{"linalg.LUInverse", "[w n]", "[n n]", apart, ""},
	{"linalg.LogAbsDet", "[w n]", "number", apart, ""},
	{"linalg.LUSolve", "[w n], [n *]", "[n *]", apart, ""},
	{"linalg.Decompose", "[n n]", "[w n]", apart, ""},
	{"linalg.KroneckerSolve", "[w n], [v m], [1], [n m]", "[n m]", apart, ""},
	{"linalg.KroneckerLogDet", "[w n], [v m], [1]", "number", apart, ""},
	{"linalg.KroneckerTrace", "[w n], [v m], [1]", "[n n]", apart, ""},
	{"linalg.KroneckerInverseTrace", "[w n], [v m], [1]", "number", apart, ""},
	{"linalg.SolveLower", "[n n], [n *]", "[n *]", apart, ""},
	{"linalg.SolveUpper", "[n n], [n *]", "[n *]", apart, ""},
	{"linalg.InverseLower", "[n n]", "[n n]", apart, ""},
	{"linalg.CholeskyAdjoint", "[n n], [n n]", "[n n]", apart, ""},
	{"linalg.Eigenvalues", "[n n]", "[n]", apart, ""},
	{"linalg.Eigenvectors", "[n n]", "[n n]", apart, ""},
	{"linalg.BandCholesky", "[n *]…", "[w n *]", apart, ""},
	{"linalg.BandCholeskyAdjoint", "[w n *], [n *]…", "[w n *]", apart, ""},
	{"linalg.BandSolveLower", "[w n *], [n *]", "[n *]", apart, ""},
	{"linalg.BandSolveUpper", "[w n *], [n *]", "[n *]", apart, ""},
	{"linalg.Stack", "[n *]…", "[w n *]", apart, ""},
	{"linalg.Columns", "[n]…", "[n w]", apart, ""},
	{"linalg.SparsePlan", "[n], [_]…", "[p]", apart, ""},
	{"linalg.SparsePlaces", "[p], [m], [m]", "[m]", apart, ""},
	{"linalg.SparseMatrix", "[p], [m], [m]", "[f]", apart, ""},
	{"linalg.SparseEntries", "[p], [m], [f]", "[m]", apart, ""},
	{"linalg.SparseCholesky", "[p], [f]", "[f]", apart, ""},
	{"linalg.SparseCholeskyAdjoint", "[p], [f], [f]", "[f]", apart, ""},
	{"linalg.SparseLogDet", "[p], [f]", "number", apart, ""},
	{"linalg.SparseLogDetAdjoint", "[p], [f]", "[f]", apart, ""},
	{"linalg.SparseSolveLower", "[p], [f], [n]", "[n]", apart, ""},
	{"linalg.SparseSolveUpper", "[p], [f], [n]", "[n]", apart, ""},
	{"linalg.SparseMulTransposed", "[p], [f], [n]", "[n]", apart, ""},
	{"linalg.SparseOuter", "[p], [f], [n], [n]", "[f]", apart, ""},

	{"random.Dirichlet", "[n]", "[n]", apart, ""},
	{"random.MultiNormalCholesky", "[n], factor [n n]", "[n]", apart, ""},
}

// placing says where a kernel may write.
type placing uint8

const (
	apart   placing = iota // where no argument is
	inPlace                // where an argument is, too
	itself                 // where its argument is
)

// NewMatrix is the kernel that gives a matrix of data, whose rows are set, its other layout.
const NewMatrix = "kernel.NewMatrix"

// kernelRow is a row as it is read.
type kernelRow struct {
	args   []operand
	result operand
	place  placing
	told   []string
}

// operand is an argument or a result.
type operand struct {
	word string // matrix, factor, int, number
	dims []string
	many bool // one or more of them
}

var kernelRows = readKernels()

func readKernels() map[string]*kernelRow {
	rows := map[string]*kernelRow{}
	for _, x := range kernelTable {
		row := &kernelRow{result: readOperand(x.result), place: x.place, told: strings.Fields(x.told)}
		for _, a := range strings.Split(x.args, ", ") {
			row.args = append(row.args, readOperand(a))
		}
		rows[x.name] = row
	}
	return rows
}

func readOperand(s string) operand {
	word, dims, _ := strings.Cut(s, "[")
	dims, many := strings.CutSuffix(dims, "…")
	return operand{strings.TrimSpace(word), strings.Fields(strings.TrimSuffix(dims, "]")), many}
}

// Kernels are the names of the kernels, in the order of the table.
func Kernels() []string {
	out := make([]string, len(kernelTable))
	for n, x := range kernelTable {
		out[n] = x.name
	}
	return out
}

// arg is what the table says of an argument, nil where it says nothing.
func (r *kernelRow) arg(n int) *operand {
	if last := len(r.args) - 1; n >= last && r.args[last].many {
		n = last
	}
	if n >= len(r.args) {
		return nil
	}
	return &r.args[n]
}

// Panels reports whether a kernel takes an argument in the layouts of kernel.Matrix, if that is a matrix of data; else it takes it row
// by row.
func (k *Kernel) Panels(n int) bool {
	row := kernelRows[k.Func]
	return row != nil && row.arg(n) != nil && row.arg(n).word == "matrix"
}

// Dims are the sizes that a kernel is told behind its arguments.
func (k *Kernel) Dims() []*Int {
	row := kernelRows[k.Func]
	if row == nil || row.told == nil {
		return nil
	}
	var out []*Int
	for _, name := range row.told {
		out = append(out, k.size(row, name))
	}
	return out
}

// size is the size that a letter of the row stands for.
func (k *Kernel) size(row *kernelRow, name string) *Int {
	for n, v := range k.Args {
		for d, x := range row.arg(n).dims {
			if x == name {
				return v.Shape[len(k.Of(n))+d]
			}
		}
	}
	return nil
}
