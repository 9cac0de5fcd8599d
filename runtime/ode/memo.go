package ode

// Memo is the solution of one system at fixed times, remembered for the inputs
// that it was computed with. Before a Solve the caller writes the initial values
// to Start.
type Memo struct {
	Start  []float64 // y₀
	Out    []float64 // component j at times[n] in Out[j·len(times) + n]
	Given  []float64 // what the caller computes from Out, likewise
	Status Status    // of the last Solve

	solver *Solver
	inputs []float64
	known  bool
}

// NewMemo returns a Memo for a system of dim equations at a number of times, with
// a number of inputs.
func NewMemo(dim, times, inputs int, rhs RHS, opt Options) *Memo {
	return &Memo{
		Start:  make([]float64, dim),
		Out:    make([]float64, dim*times),
		solver: NewSolver(dim, rhs, opt),
		inputs: make([]float64, inputs),
	}
}

// NewMemos returns as many Memos, of systems that differ in their inputs.
func NewMemos(n, dim, times, inputs int, rhs RHS, opt Options) []*Memo {
	list := make([]*Memo, n)
	for i := range list {
		list[i] = NewMemo(dim, times, inputs, rhs, opt)
	}
	return list
}

// Spread copies the solution to its places among those of n systems: component j of system i at times[k] in dst[(j·n + i)·len(times) + k].
func (m *Memo) Spread(dst []float64, i, n int) {
	times := len(m.Out) / len(m.Start)
	for j := range m.Start {
		copy(dst[(j*n+i)*times:][:times], m.Out[j*times:])
	}
}

// Known reports whether the solution is that of the inputs u. If it is not, it
// takes them for those of the Solve that must follow.
func (m *Memo) Known(u []float64) bool {
	if m.known {
		same := true
		for i, x := range m.inputs {
			same = same && x == u[i]
		}
		if same {
			return true
		}
	}
	copy(m.inputs, u)
	m.known = true
	return false
}

// Forget drops the solution: what it depends on beside the inputs has changed.
func (m *Memo) Forget() { m.known = false }

// Solve integrates from Start at t0 to the times.
func (m *Memo) Solve(t0 float64, times []float64) {
	m.Status = m.solver.Solve(m.Out, m.Start, t0, times, m.inputs)
}
