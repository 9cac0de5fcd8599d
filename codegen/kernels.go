package codegen

import (
	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/symbolic"
)

// The patterns of sums that become calls of runtime/kernel: products of a data
// matrix X with vectors and weights, and elementwise functions over a range.
// Everything that does not fit is a plain loop.

// elementwise are the functions with a kernel over a range.
var elementwise = map[string]string{
	"exp": "Exp", "log": "Log", "log1p": "Log1p", "inv_logit": "InvLogit", "log1p_exp": "Log1pExp",
}

// fusion records definitions that a kernel of a later one swallows.
type fusion struct {
	skip map[*symbolic.Def]bool
	via  map[*symbolic.Def]*symbolic.Expr // the expression that a kernel reads instead
}

// source is the expression whose references the definition waits for.
func (f *fusion) source(d *symbolic.Def) *symbolic.Expr {
	if e, ok := f.via[d]; ok {
		return e
	}
	return d.Body
}

// fusedKernels finds Σ_i log1p_exp(η[i]) where nothing else reads the terms.
func (s *scheduler) fusedKernels(ph *phase) *fusion {
	f := &fusion{skip: map[*symbolic.Def]bool{}, via: map[*symbolic.Def]*symbolic.Expr{}}
	uses := map[*symbolic.Tensor]int{}
	count := func(e *symbolic.Expr) {
		symbolic.Refs(e, func(r *symbolic.Expr) { uses[r.Tensor]++ })
	}
	for _, d := range ph.defs {
		count(d.Body)
	}
	for _, t := range ph.targets {
		count(t.out.E)
	}
	for _, d := range ph.defs {
		if d.Body.Op != symbolic.Sum || len(d.Indices) > 0 || !fromOne(d.Body.Index) {
			continue
		}
		r := d.Body.Args[0]
		if r.Op != symbolic.Ref || r.Tensor.Def == nil || uses[r.Tensor] != 1 || s.crossPhase(r.Tensor) {
			continue
		}
		inner := r.Tensor.Def.Body
		if inner.Op == symbolic.Call && inner.Func.Name == "log1p_exp" && isVector(inner.Args[0], r.Tensor.Def.Indices[0]) {
			f.skip[r.Tensor.Def] = true
			f.via[d] = inner.Args[0]
		}
	}
	return f
}

func (s *scheduler) crossPhase(t *symbolic.Tensor) bool { return s.cross[t] }

// isLong reports whether a range is worth a kernel call of its own.
func isLong(x dsl.Extent) bool { return x.Name != "" || x.Offset >= 32 }

// applied returns the kernel that computes a function of something over a range
// where that something is no array of its own, or "".
func (s *scheduler) applied(d *symbolic.Def) string {
	if d.Body.Op != symbolic.Call || len(d.Body.Args) != 1 || !overRanges(d) || isArray(d.Body.Args[0], d.Indices) {
		return ""
	}
	return elementwise[d.Body.Func.Name]
}

// overRanges reports whether a definition runs over whole ranges, one of which is long: a
// vector, or a matrix, whose rows follow each other.
func overRanges(d *symbolic.Def) bool {
	if len(d.Indices) < 1 || len(d.Indices) > 2 {
		return false
	}
	long := false
	for n, i := range d.Indices {
		if !fromOne(i) {
			return false
		}
		long = long || isLong(d.Tensor.Shape[n])
	}
	return long
}

// isArray reports whether e is t[i] or t[i,j] for an array t over the whole ranges of the indices.
func isArray(e *symbolic.Expr, indices []*symbolic.Index) bool {
	if len(indices) == 1 {
		return isVector(e, indices[0])
	}
	return len(indices) == 2 && e.Op == symbolic.Ref && len(e.Subs) == 2 && !e.Tensor.Symmetric &&
		e.Subs[0] == (symbolic.Sub{Index: indices[0]}) && e.Subs[1] == (symbolic.Sub{Index: indices[1]}) &&
		e.Tensor.Shape[0] == indices[0].Range.Hi && e.Tensor.Shape[1] == indices[1].Range.Hi &&
		e.Tensor.Kind == symbolic.DefTensor
}

// fromOne reports whether an index runs over 1..size, as kernels do.
func fromOne(i *symbolic.Index) bool {
	return i.Range.Lo.IsConst() && i.Range.Lo.Offset == 1
}

// isVector reports whether e is t[i] for an array t over the whole range of i.
func isVector(e *symbolic.Expr, i *symbolic.Index) bool {
	return e.Op == symbolic.Ref && len(e.Subs) == 1 && e.Subs[0].Index == i && e.Subs[0].Offset == 0 &&
		fromOne(i) && e.Tensor.Shape[0] == i.Range.Hi && e.Tensor.Kind != symbolic.WeightTensor
}

// isMatrix reports whether e is X[i,j] for a data matrix X over whole ranges.
func isMatrix(e *symbolic.Expr, i, j *symbolic.Index) bool {
	return e.Op == symbolic.Ref && e.Tensor.Kind == symbolic.DataTensor && len(e.Subs) == 2 && !e.Tensor.Symmetric &&
		e.Subs[0] == (symbolic.Sub{Index: i}) && e.Subs[1] == (symbolic.Sub{Index: j}) &&
		fromOne(i) && fromOne(j) && e.Tensor.Shape[0] == i.Range.Hi && e.Tensor.Shape[1] == j.Range.Hi
}

// factors returns the factors of a plain product (no coefficient, no powers).
func factors(e *symbolic.Expr) []*symbolic.Expr {
	if e.Op == symbolic.Mul {
		if e.Val != 1 {
			return nil
		}
		for _, k := range e.K {
			if k != 1 {
				return nil
			}
		}
		return e.Args
	}
	return []*symbolic.Expr{e}
}

// kernel returns the kernel call that computes a definition, or nil.
func (s *scheduler) kernel(d *symbolic.Def, f *fusion) *Kernel {
	if e, ok := f.via[d]; ok {
		return &Kernel{Func: "SumLog1pExp", T: d.Tensor, Args: []*symbolic.Tensor{e.Tensor}}
	}
	if d.Body.Op == symbolic.Call && overRanges(d) {
		if k, ok := elementwise[d.Body.Func.Name]; ok && isArray(d.Body.Args[0], d.Indices) {
			return &Kernel{Func: k, T: d.Tensor, Args: []*symbolic.Tensor{d.Body.Args[0].Tensor}}
		}
	}
	if d.Body.Op != symbolic.Sum {
		return nil
	}
	sum, body := s.c.Open(d.Body)
	fs := factors(body)
	pick := func(match func(*symbolic.Expr) bool) (*symbolic.Expr, []*symbolic.Expr) {
		for n, x := range fs {
			if match(x) {
				rest := append(append([]*symbolic.Expr{}, fs[:n]...), fs[n+1:]...)
				return x, rest
			}
		}
		return nil, nil
	}
	if len(d.Indices) == 1 && len(fs) == 2 {
		i := d.Indices[0]
		// Σ_j X[i,j] b[j]
		if x, rest := pick(func(e *symbolic.Expr) bool { return isMatrix(e, i, sum) }); x != nil && isVector(rest[0], sum) {
			return &Kernel{Func: "MulVec", T: d.Tensor, Args: []*symbolic.Tensor{x.Tensor, rest[0].Tensor}}
		}
		// Σ_i X[i,k] c[i]
		if x, rest := pick(func(e *symbolic.Expr) bool { return isMatrix(e, sum, i) }); x != nil && isVector(rest[0], sum) {
			return &Kernel{Func: "MulTVec", T: d.Tensor, Args: []*symbolic.Tensor{x.Tensor, rest[0].Tensor}}
		}
		// Σ_j X[i,j] Σ_l X[i,l] W[l,j]
		if x, rest := pick(func(e *symbolic.Expr) bool { return isMatrix(e, i, sum) }); x != nil && rest[0].Op == symbolic.Sum && s.single {
			l, inner := s.c.Open(rest[0])
			if in := factors(inner); len(in) == 2 {
				a, b := in[0], in[1]
				if !isMatrix(a, i, l) {
					a, b = b, a
				}
				if isMatrix(a, i, l) && a.Tensor == x.Tensor && b.Op == symbolic.Ref && b.Tensor.Kind == symbolic.WeightTensor &&
					len(b.Subs) == 2 && b.Subs[0].Index != b.Subs[1].Index && b.Subs[0].Index != nil && b.Subs[1].Index != nil {
					return &Kernel{Func: "QuadForms", T: d.Tensor, Args: []*symbolic.Tensor{x.Tensor, b.Tensor}}
				}
			}
		}
	}
	// Σ_i X[i,j] X[i,l] w[i]
	if len(d.Indices) == 2 && len(fs) == 3 {
		x, rest := pick(func(e *symbolic.Expr) bool { return isMatrix(e, sum, d.Indices[0]) })
		if x != nil {
			a, b := rest[0], rest[1]
			if !isMatrix(a, sum, d.Indices[1]) {
				a, b = b, a
			}
			if isMatrix(a, sum, d.Indices[1]) && a.Tensor == x.Tensor && isVector(b, sum) {
				return &Kernel{Func: "WeightedGram", T: d.Tensor, Args: []*symbolic.Tensor{x.Tensor, b.Tensor}}
			}
		}
	}
	return nil
}
