package interpret_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/random"
	"github.com/hamc-dev/hamc/symbolic/model"
)

// TestTransforms holds every row of the table of transforms against what a transform is: values have
// their places between those of other parameters, obey their declaration, and lead back to the
// coordinates; the log-Jacobian is the logarithm of the determinant of differences of the values; and what
// lies outside has no coordinates.
func TestTransforms(t *testing.T) {
	for n, row := range model.Transforms {
		t.Run(row.Name, func(t *testing.T) {
			p := load(t, "model m\nparam a real[2]\nparam x "+row.Example+"\nparam b real > 1\ndensity 0*sum(a) + 0*sum(x) + 0*b\nmetric identity\n", "{}")
			x := &p.Info().Params[1]
			dim, size := x.Dim(), x.Size()
			if p.Info().Dim() != 3+dim || p.Info().Size() != 3+size {
				t.Fatalf("row %s: %d coordinates and %d values", row.Name, p.Info().Dim(), p.Info().Size())
			}
			rng := rand.New(random.New(uint64(n), 9))
			for range 20 {
				q := make([]float64, 3+dim)
				for i := range q {
					q[i] = 4*rng.Float64() - 2
				}
				checkTransform(t, row, p, q, size)
			}
			checkOutside(t, row, p, size, dim)
			checkEnds(t, row, p, size, dim)
		})
	}
}

// checkEnds: far out on the sides where a row says that values end they do not move, and on the others they do. The last coordinate stays, or all that
// changes might be a length.
func checkEnds(t *testing.T, row *model.Transform, p runtime.Posterior, size, dim int) {
	t.Helper()
	moves := func(u float64) bool {
		at := func(u float64) []float64 {
			q, out := make([]float64, 3+dim), make([]float64, 3+size)
			for i := range dim {
				q[2+i] = u
			}
			q[1+dim] = 1
			p.Constrain(out, q)
			return out[2 : 2+size]
		}
		near, far := at(u), at(1.5*u)
		for i := range near {
			if math.Abs(near[i]-far[i]) > 1e-12 {
				return true
			}
		}
		return false
	}
	ends := p.Info().Params[1].Ends
	below, above := ends != runtime.NoEnd, ends == runtime.EndBoth
	if moves(-40) == below || moves(40) == above {
		t.Errorf("row %s: ends %d, moves below: %v, above: %v", row.Name, ends, moves(-40), moves(40))
	}
}

// checkTransform checks a row at coordinates.
func checkTransform(t *testing.T, row *model.Transform, p runtime.Posterior, q []float64, size int) {
	t.Helper()
	dim := len(q) - 3
	at := func(q []float64) []float64 {
		out := make([]float64, 3+size)
		p.Constrain(out, q)
		return out
	}
	values := at(q)
	if values[0] != q[0] || values[1] != q[1] || !(math.Abs(values[2+size]-1-math.Exp(q[2+dim])) < 1e-14*values[2+size]) {
		t.Fatalf("row %s: the other parameters are %v at %v", row.Name, values, q)
	}
	x := values[2 : 2+size]
	lo, hi := math.Inf(-1), math.Inf(1)
	if _, err := fmt.Sscanf(row.Example, "real[3] > %g", &lo); err != nil {
		if _, err := fmt.Sscanf(row.Example, "real[3] < %g", &hi); err != nil {
			fmt.Sscanf(row.Example, "real[3] in (%g, %g)", &lo, &hi)
		}
	}
	for _, v := range x {
		if x := row.Constraint; x != nil && x.Square && x.Lo <= v && v <= x.Hi {
			continue // the first element is 1
		}
		if !(lo < v && v < hi) || row.Constraint != nil && !(row.Constraint.Lo < v && v < row.Constraint.Hi) {
			t.Errorf("row %s: the values %v", row.Name, x)
		}
	}
	if equation := equations[row.Constraint]; equation != nil && !(math.Abs(equation(x)) < 1e-13) {
		t.Errorf("row %s: the values %v do not obey their equation by %v", row.Name, x, equation(x))
	}
	back := make([]float64, len(q))
	if err := p.Unconstrain(back, values); err != nil {
		t.Fatalf("row %s: %v", row.Name, err)
	}
	length := 1.0 // of coordinates of which values have the direction alone
	if row.Radial {
		length = floats.Norm(q[2:2+dim], 2)
	}
	for i := range q {
		want := q[i]
		if 2 <= i && i < 2+dim {
			want /= length
		}
		if !(math.Abs(back[i]-want) < 1e-13) {
			t.Errorf("row %s: the coordinates %v come back as %v", row.Name, q, back)
			break
		}
	}
	want := logVolume(row, size, q[2:2+dim], func(k int, h float64) []float64 {
		moved := append([]float64(nil), q...)
		moved[2+k] += h
		return at(moved)[2 : 2+size]
	})
	if row.Radial { // of the length r there is the density of chi, in proportion to r^(K−1) exp(−r²/2)
		want += float64(dim-1)*math.Log(length) - length*length/2
	}
	if got := p.LogDensity(q) - q[2+dim]; !(math.Abs(got-want) < 1e-8) {
		t.Errorf("row %s: the log-Jacobian at %v is %v, and that of the values %v", row.Name, q, got, want)
	}
	grad := make([]float64, len(q))
	p.Gradient(grad, q)
	for k := range q {
		d := difference(func(h float64) []float64 {
			moved := append([]float64(nil), q...)
			moved[k] += h
			return []float64{p.LogDensity(moved)}
		})[0]
		if !(math.Abs(grad[k]-d) < 1e-8) {
			t.Errorf("row %s: derivative %d of the log-Jacobian is %v, by differences %v", row.Name, k+1, grad[k], d)
		}
	}
}

// equations are what values that obey a constraint make 0.
var equations = map[*dsl.Constraint]func(x []float64) float64{
	dsl.Simplex:    func(x []float64) float64 { return floats.Sum(x) - 1 },
	dsl.UnitVector: func(x []float64) float64 { return floats.Norm(x, 2) - 1 },
	dsl.SumToZero:  floats.Sum,
	dsl.Corr: func(x []float64) float64 {
		return asymmetry(x) + max(math.Abs(x[0]-1), math.Abs(x[4]-1), math.Abs(x[8]-1))
	},
	dsl.Cov: asymmetry,
	dsl.CovCholesky: func(x []float64) float64 {
		if !(min(x[0], x[4], x[8]) > 0) {
			return 1
		}
		return math.Abs(x[1]) + math.Abs(x[2]) + math.Abs(x[5])
	},
}

// asymmetry is how far a 3 × 3 matrix is from its transpose, and from a positive definite one.
func asymmetry(x []float64) float64 {
	m := mat.NewSymDense(3, []float64{x[0], x[1], x[2], 0, x[4], x[5], 0, 0, x[8]})
	if !new(mat.Cholesky).Factorize(m) {
		return 1
	}
	return math.Abs(x[1]-x[3]) + math.Abs(x[2]-x[6]) + math.Abs(x[5]-x[7])
}

// logVolume is the logarithm of the volume that a unit of the coordinates u fills in the free values, or on their surface, and beside that in their length.
func logVolume(row *model.Transform, size int, u []float64, at func(k int, h float64) []float64) float64 {
	dim, measure := len(u), dsl.ByFirst
	if row.Constraint != nil {
		measure = row.Constraint.Measure
	}
	n := int(math.Sqrt(float64(size)))
	var free []int
	for i := range size {
		switch below := i/n - i%n; {
		case measure == dsl.ByFirst && i < dim, measure == dsl.ByArea, measure == dsl.ByBelow && below > 0, measure == dsl.ByLower && below >= 0:
			free = append(free, i)
		}
	}
	rows := len(free)
	if row.Radial {
		rows++
	}
	jacobian := mat.NewDense(rows, dim, nil)
	for k := range dim {
		for i, v := range difference(func(h float64) []float64 {
			all := at(k, h)
			out := make([]float64, len(free), rows)
			for i, f := range free {
				out[i] = all[f]
			}
			return out
		}) {
			jacobian.Set(i, k, v)
		}
		if row.Radial {
			jacobian.Set(rows-1, k, u[k]/floats.Norm(u, 2))
		}
	}
	return logDetOf(jacobian)
}

// logDetOf is log √det(J'J).
func logDetOf(j *mat.Dense) float64 {
	var g mat.Dense
	g.Mul(j.T(), j)
	l, _ := mat.LogDet(&g)
	return l / 2
}

// checkOutside checks that values outside the support have no coordinates.
func checkOutside(t *testing.T, row *model.Transform, p runtime.Posterior, size, dim int) {
	t.Helper()
	inside := make([]float64, 3+size)
	q := make([]float64, 3+dim)
	for i := range q {
		q[i] = 0.1
	}
	p.Constrain(inside, q)
	for i := 2; i < 2+size; i++ {
		list := []float64{math.NaN(), math.Inf(1), math.Inf(-1)}
		if row.Lower || row.Constraint != nil {
			list = append(list, -5)
		}
		if row.Upper || row.Constraint != nil {
			list = append(list, 5)
		}
		for _, v := range list {
			x := append([]float64(nil), inside...)
			x[i] = v
			if own := x[2 : 2+size]; (row.Constraint == dsl.Ordered || row.Constraint == dsl.PositiveOrdered) && slices.IsSorted(own) && own[0] > row.Constraint.Lo && own[size-1] < row.Constraint.Hi {
				continue // these ascend
			}
			if n := int(math.Sqrt(float64(size))); math.Abs(v) == 5 && row.Constraint != nil && row.Constraint.Measure == dsl.ByLower {
				if at := i - 2; at/n == at%n && v > 0 || at/n > at%n && !row.Constraint.Symmetric {
					continue // variances are any positive numbers, and elements of a factor below them any
				}
			}
			if err := p.Unconstrain(q, x); err == nil {
				t.Errorf("row %s: the values %v have the coordinates %v", row.Name, x, q)
			}
		}
	}
}

// difference is the derivative of f at 0, by central differences of the sixth order.
func difference(f func(h float64) []float64) []float64 {
	const step = 5e-3
	var out []float64
	for n, w := range []float64{45, -9, 1} {
		h := step * float64(n+1)
		up, down := f(h), f(-h)
		if out == nil {
			out = make([]float64, len(up))
		}
		for i := range out {
			out[i] += w * (up[i] - down[i]) / (60 * step)
		}
	}
	return out
}
