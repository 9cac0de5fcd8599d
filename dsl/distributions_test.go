package dsl_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/internal/campaign"
)

// The formulas of the distribution table are evaluated here by an evaluator of
// our own, far from the compiler's, and held against what defines them: a
// density integrates to one, and an information matrix is the expectation of
// minus the second derivatives of the log density.

// value is a scalar (1 × 1), a column vector (n × 1) or a matrix.
type value struct {
	rows, cols int
	at         []float64
}

func scalar(x float64) value { return value{1, 1, []float64{x}} }

func (v value) isScalar() bool { return v.rows == 1 && v.cols == 1 }

// eval evaluates a formula in an environment.
func eval(e dsl.Expr, env map[string]value) (value, error) {
	switch e := e.(type) {
	case *dsl.Number:
		return scalar(e.Value), nil
	case *dsl.Name:
		v, ok := env[e.Name]
		if !ok {
			return value{}, fmt.Errorf("the formula names %q", e.Name)
		}
		return v, nil
	case *dsl.UnaryExpr:
		x, err := eval(e.X, env)
		if err != nil || e.Op != "-" {
			return value{}, fmt.Errorf("unary %s: %v", e.Op, err)
		}
		return elementwise(scalar(-1), x, func(a, b float64) float64 { return a * b })
	case *dsl.BinaryExpr:
		x, err := eval(e.X, env)
		if err != nil {
			return value{}, err
		}
		y, err := eval(e.Y, env)
		if err != nil {
			return value{}, err
		}
		switch e.Op {
		case "+":
			return elementwise(x, y, func(a, b float64) float64 { return a + b })
		case "-":
			return elementwise(x, y, func(a, b float64) float64 { return a - b })
		case "*":
			if !x.isScalar() && !y.isScalar() {
				return product(x, y)
			}
			return elementwise(x, y, func(a, b float64) float64 { return a * b })
		case "/":
			return elementwise(x, y, func(a, b float64) float64 { return a / b })
		case "^":
			return elementwise(x, y, math.Pow)
		case "<":
			return elementwise(x, y, func(a, b float64) float64 { return indicator(a < b) })
		case "==":
			return elementwise(x, y, func(a, b float64) float64 { return indicator(a == b) })
		}
		return value{}, fmt.Errorf("operator %s", e.Op)
	case *dsl.IfExpr:
		c, err := eval(e.Cond, env)
		if err != nil || !c.isScalar() {
			return value{}, fmt.Errorf("condition: %v", err)
		}
		if c.at[0] != 0 {
			return eval(e.Then, env)
		}
		return eval(e.Else, env)
	case *dsl.CallExpr:
		var args []value
		for _, a := range e.Args {
			v, err := eval(a.Expr, env)
			if err != nil {
				return value{}, err
			}
			args = append(args, v)
		}
		return call(e.Func, args)
	}
	return value{}, fmt.Errorf("a formula holds %T", e)
}

// scalars evaluates formulas of scalars, as eval does. Quadratures evaluate such formulas millions of
// times, and most of the time eval makes garbage.
type scalars struct {
	env   map[string]value
	stack []float64 // arguments of functions
}

// eval reports false for a formula that it leaves to the function eval: one of vectors, or one with an error.
func (s *scalars) eval(e dsl.Expr) (float64, bool) {
	switch e := e.(type) {
	case *dsl.Number:
		return e.Value, true
	case *dsl.Name:
		if v := s.env[e.Name]; v.isScalar() {
			return v.at[0], true
		}
	case *dsl.UnaryExpr:
		x, ok := s.eval(e.X)
		return -x, ok && e.Op == "-"
	case *dsl.BinaryExpr:
		x, ok := s.eval(e.X)
		if !ok {
			return 0, false
		}
		y, ok := s.eval(e.Y)
		if !ok {
			return 0, false
		}
		switch e.Op {
		case "+":
			return x + y, true
		case "-":
			return x - y, true
		case "*":
			return x * y, true
		case "/":
			return x / y, true
		case "^":
			return math.Pow(x, y), true
		case "<":
			return indicator(x < y), true
		case "==":
			return indicator(x == y), true
		}
	case *dsl.IfExpr:
		c, ok := s.eval(e.Cond)
		if !ok {
			return 0, false
		}
		if c != 0 {
			return s.eval(e.Then)
		}
		return s.eval(e.Else)
	case *dsl.CallExpr:
		f := functions[e.Func]
		if f == nil {
			return 0, false
		}
		from := len(s.stack)
		defer func() { s.stack = s.stack[:from] }()
		for _, a := range e.Args {
			x, ok := s.eval(a.Expr)
			if !ok {
				return 0, false
			}
			s.stack = append(s.stack, x)
		}
		return f(s.stack[from:]), true
	}
	return 0, false
}

func indicator(holds bool) float64 {
	if holds {
		return 1
	}
	return 0
}

func elementwise(x, y value, f func(a, b float64) float64) (value, error) {
	switch {
	case x.isScalar():
		out := value{y.rows, y.cols, make([]float64, len(y.at))}
		for i := range y.at {
			out.at[i] = f(x.at[0], y.at[i])
		}
		return out, nil
	case y.isScalar():
		return elementwise(y, x, func(a, b float64) float64 { return f(b, a) })
	case x.rows != y.rows || x.cols != y.cols:
		return value{}, fmt.Errorf("shapes %dx%d and %dx%d", x.rows, x.cols, y.rows, y.cols)
	}
	out := value{x.rows, x.cols, make([]float64, len(x.at))}
	for i := range x.at {
		out.at[i] = f(x.at[i], y.at[i])
	}
	return out, nil
}

func product(x, y value) (value, error) {
	if x.cols != y.rows {
		return value{}, fmt.Errorf("product of %dx%d and %dx%d", x.rows, x.cols, y.rows, y.cols)
	}
	out := value{x.rows, y.cols, make([]float64, x.rows*y.cols)}
	for i := range x.rows {
		for j := range y.cols {
			for k := range x.cols {
				out.at[i*y.cols+j] += x.at[i*x.cols+k] * y.at[k*y.cols+j]
			}
		}
	}
	return out, nil
}

// functions are the scalar functions that formulas use.
var functions = map[string]func(x []float64) float64{
	"exp": func(x []float64) float64 { return math.Exp(x[0]) },
	"log": func(x []float64) float64 { return math.Log(x[0]) },
	"lmultiply": func(x []float64) float64 {
		if x[0] == 0 {
			return 0
		}
		return x[0] * math.Log(x[1])
	},
	"sqrt":         func(x []float64) float64 { return math.Sqrt(x[0]) },
	"log1p_square": func(x []float64) float64 { return math.Log1p(x[0] * x[0]) },
	"log1p":        func(x []float64) float64 { return math.Log1p(x[0]) },
	"log1m":        func(x []float64) float64 { return math.Log1p(-x[0]) },
	"log1p_exp":    func(x []float64) float64 { return math.Max(x[0], 0) + math.Log1p(math.Exp(-math.Abs(x[0]))) },
	"inv_logit":    func(x []float64) float64 { return 1 / (1 + math.Exp(-x[0])) },
	"lgamma":       func(x []float64) float64 { return lgamma(x[0]) },
	"lbeta":        func(x []float64) float64 { return lgamma(x[0]) + lgamma(x[1]) - lgamma(x[0]+x[1]) },
	"lchoose":      func(x []float64) float64 { return lgamma(x[0]+1) - lgamma(x[1]+1) - lgamma(x[0]-x[1]+1) },
	"stirling_rest": func(x []float64) float64 {
		return lgamma(x[0]) - (x[0]-0.5)*math.Log(x[0]) + x[0] - 0.5*math.Log(2*math.Pi)
	},
	"log_rising_ratio": func(x []float64) float64 { return lgamma(x[0]+x[1]) - lgamma(x[0]) - x[1]*math.Log(x[0]) },
	"log_Phi_tilted": func(x []float64) float64 {
		return math.Log(math.Erfc((x[1]-x[0])/math.Sqrt2)/2) + 0.5*x[1]*x[1] - x[1]*x[0]
	},
	"student_information": func(x []float64) float64 {
		nu := x[0]
		return 0.25*(trigamma(nu/2)-trigamma((nu+1)/2)) - (nu+5)/(2*nu*(nu+1)*(nu+3))
	},
	"trigamma":  func(x []float64) float64 { return trigamma(x[0]) },
	"abs":       func(x []float64) float64 { return math.Abs(x[0]) },
	"expm1":     func(x []float64) float64 { return math.Expm1(x[0]) },
	"logit":     func(x []float64) float64 { return math.Log(x[0]) - math.Log1p(-x[0]) },
	"inv_Phi":   func(x []float64) float64 { return math.Sqrt2 * math.Erfinv(2*x[0]-1) },
	"log_Phi":   func(x []float64) float64 { return math.Log(math.Erfc(-x[0]/math.Sqrt2) / 2) },
	"log1m_exp": func(x []float64) float64 { return math.Log(-math.Expm1(x[0])) },
	"log_sum_exp": func(x []float64) float64 {
		return max(x[0], x[1]) + math.Log1p(math.Exp(-math.Abs(x[0]-x[1])))
	},
	"pi":            func([]float64) float64 { return math.Pi },
	"cos":           func(x []float64) float64 { return math.Cos(x[0]) },
	"log_bessel_i0": func(x []float64) float64 { return math.Log(cosines(x[0], 0)) },
	"bessel_ratio":  func(x []float64) float64 { return cosines(x[0], 1) / cosines(x[0], 0) },
	"bessel_ratio_slope": func(x []float64) float64 {
		return cosines(x[0], 2)/cosines(x[0], 0) - math.Pow(cosines(x[0], 1)/cosines(x[0], 0), 2)
	},
	"log_first_passage": func(x []float64) float64 { return math.Log(passage(x[0], x[1])) },
	"atan2":             func(x []float64) float64 { return math.Atan2(x[0], x[1]) },
	"atan":              func(x []float64) float64 { return math.Atan(x[0]) },
	"log_inv_logit":     func(x []float64) float64 { return -math.Log1p(math.Exp(-x[0])) },
	"log_gamma_p":       func(x []float64) float64 { return math.Log(mathext.GammaIncReg(x[0], x[1])) },
	"log_gamma_q":       func(x []float64) float64 { return math.Log(mathext.GammaIncRegComp(x[0], x[1])) },
	"log_inc_beta_logit": func(x []float64) float64 {
		switch {
		case x[0] == 0:
			return 0
		case x[1] == 0:
			return math.Inf(-1)
		}
		return math.Log(mathext.RegIncBeta(x[0], x[1], 1/(1+math.Exp(-x[2]))))
	},
	"Phi":             func(x []float64) float64 { return 0.5 * math.Erfc(-x[0]/math.Sqrt2) },
	"tan":             func(x []float64) float64 { return math.Tan(x[0]) },
	"log_student_cdf": func(x []float64) float64 { return math.Log(distuv.StudentsT{Nu: x[0], Sigma: 1}.CDF(x[1])) },
}

func call(name string, args []value) (value, error) {
	if f, ok := functions[name]; ok {
		if len(args) == 1 { // element by element
			out := value{args[0].rows, args[0].cols, nil}
			for _, a := range args[0].at {
				out.at = append(out.at, f([]float64{a}))
			}
			return out, nil
		}
		x := make([]float64, len(args))
		for i, a := range args {
			if !a.isScalar() {
				return value{}, fmt.Errorf("%s of a %dx%d matrix", name, a.rows, a.cols)
			}
			x[i] = a.at[0]
		}
		return scalar(f(x)), nil
	}
	switch name {
	case "sum":
		s := 0.0
		for _, a := range args[0].at {
			s += a
		}
		return scalar(s), nil
	case "diag":
		n := args[0].rows
		out := value{n, n, make([]float64, n*n)}
		for i, a := range args[0].at {
			out.at[i*n+i] = a
		}
		return out, nil
	case "size":
		return scalar(float64(args[0].rows)), nil
	case "dot":
		s := 0.0
		for i, a := range args[0].at {
			s += a * args[1].at[i]
		}
		return scalar(s), nil
	case "log_det", "inverse":
		// By Cramer's rule: the matrices of the test are 2 × 2.
		m := args[0].at
		if args[0].rows != 2 || args[0].cols != 2 {
			return value{}, fmt.Errorf("%s of a %dx%d matrix", name, args[0].rows, args[0].cols)
		}
		det := m[0]*m[3] - m[1]*m[2]
		if name == "log_det" {
			return scalar(math.Log(det)), nil
		}
		return value{2, 2, []float64{m[3] / det, -m[1] / det, -m[2] / det, m[0] / det}}, nil
	}
	return value{}, fmt.Errorf("function %s", name)
}

// cosines is the mean of cosᵏθ exp(x cos θ) over the circle.
func cosines(x float64, k int) float64 {
	const steps = 200
	s := 0.0
	for i := range steps {
		c := math.Cos(2 * math.Pi * float64(i) / steps)
		s += math.Pow(c, float64(k)) * math.Exp(x*c) / steps
	}
	return s
}

// passage is the density over u of the time of a first passage, by the method of images, or for late times by the eigenfunctions.
func passage(u, w float64) float64 {
	s := 0.0
	if u > 0.5 {
		for k := 1.0; k < 20; k++ {
			s += math.Pi * k * math.Exp(-k*k*math.Pi*math.Pi*u/2) * math.Sin(k*math.Pi*w)
		}
		return s
	}
	for k := -60; k <= 60; k++ {
		z := w + 2*float64(k)
		s += z * math.Exp(-z*z/(2*u))
	}
	return max(s/math.Sqrt(2*math.Pi*u*u*u), 1e-300) // rounding may leave a negative number
}

func lgamma(x float64) float64 {
	v, _ := math.Lgamma(x)
	return v
}

// trigamma is Σ 1/(x+n)², summed to x+n ≥ 30 and finished by its asymptotic
// series (Abramowitz & Stegun 6.4.12).
func trigamma(x float64) float64 {
	s := 0.0
	for ; x < 30; x++ {
		s += 1 / (x * x)
	}
	z := 1 / (x * x)
	return s + 1/x + z/2 + z/x*(1.0/6-z*(1.0/30-z*(1.0/42-z/30)))
}

// formula parses a formula and evaluates it as a scalar.
func formula(t *testing.T, text string) func(env map[string]value) float64 {
	t.Helper()
	e, err := dsl.ParseFormula(text)
	if err != nil {
		t.Fatal(err)
	}
	var quick scalars
	compared := false
	return func(env map[string]value) float64 {
		quick.env = env
		number, ok := quick.eval(e)
		if ok && compared {
			return number
		}
		compared = true
		v, err := eval(e, env)
		if ok && (err != nil || !v.isScalar() || math.Float64bits(v.at[0]) != math.Float64bits(number)) {
			t.Fatalf("%s: %v and %v are not the same (%v)", text, number, v, err)
		}
		if err != nil || !v.isScalar() {
			t.Fatalf("%s: %v (%d × %d)", text, err, v.rows, v.cols)
		}
		return v.at[0]
	}
}

// draw returns a random argument of a domain.
func draw(r *rand.Rand, d dsl.Domain) float64 {
	switch d {
	case dsl.Positive, dsl.NonNegative:
		return 0.9 + 3*r.Float64()
	case dsl.UnitOpen, dsl.UnitClosed:
		return 0.05 + 0.9*r.Float64()
	case dsl.CountArg:
		return float64(1 + r.IntN(12))
	}
	return 3*r.Float64() - 1.5
}

// arguments returns random arguments of a distribution, of which quadrature sees the whole of the density.
func arguments(r *rand.Rand, d *dsl.Distribution, logp func(y float64, args []float64) float64) []float64 {
	args := make([]float64, len(d.Args))
	for {
		for i, a := range d.Args {
			args[i] = draw(r, a.Domain)
		}
		if d.Support == dsl.Between {
			args[1] = args[0] + 0.5 + 2*r.Float64()
		}
		if d.Name == "beta_neg_binomial" {
			args[1] += 9 // lest its tail, a power of y, goes on
		}
		if d.Support != dsl.UnitOpen {
			return args
		}
		low, logLow := transform(d, -unitEnds, args)
		high, logHigh := transform(d, unitEnds, args)
		if max(logp(low, args)+logLow, logp(high, args)+logHigh) < -23 {
			return args
		}
	}
}

// unitEnds is the coordinate beyond which y rounds to its upper end.
const unitEnds = 34

// transform maps the whole line to the support of a distribution: y(u), and
// the log of dy/du.
func transform(d *dsl.Distribution, u float64, args []float64) (y, logJacobian float64) {
	// log s(1 − s) for s = 1/(1 + e⁻ᵘ), without cancellation.
	logSlope := -math.Abs(u) - 2*math.Log1p(math.Exp(-math.Abs(u)))
	switch d.Support {
	case dsl.Positive:
		return math.Exp(u), u
	case dsl.UnitOpen:
		return 1 / (1 + math.Exp(-u)), logSlope
	case dsl.Above:
		return args[d.Begins] + math.Exp(u), u
	case dsl.Between:
		a, b := args[0], args[1]
		return a + (b-a)/(1+math.Exp(-u)), math.Log(b-a) + logSlope
	}
	return u, 0
}

// node is a point of a quadrature over the support, with its weight times the
// density; u is the coordinate of transform.
type node struct{ u, y, p float64 }

// quadrature returns nodes at which the density matters. Continuous supports
// take the trapezoidal rule, which converges exponentially on the whole line;
// the real line is compressed by sinh first, so that power-law tails end. Where
// there is a kink, the half-lines on both sides of it are taken apart.
func quadrature(dist *dsl.Distribution, args []float64, logp func(y float64) float64) []node {
	d := dist.Support
	var out []node
	add := func(u, y, logWeight float64) {
		if p := math.Exp(logp(y) + logWeight); p > 1e-20 {
			out = append(out, node{u, y, p})
		}
	}
	if dist.Kink != "" {
		const h, ends = 0.1, 400
		at := args[argument(dist, dist.Kink)]
		for i := ends; i >= -ends; i-- {
			y := at - math.Exp(h*float64(i))
			add(y, y, math.Log(h)+h*float64(i))
		}
		for i := -ends; i <= ends; i++ {
			y := at + math.Exp(h*float64(i))
			add(y, y, math.Log(h)+h*float64(i))
		}
		return out
	}
	switch d {
	case dsl.Angles:
		const steps = 400
		for i := range steps {
			y := (2*float64(i) - steps) * math.Pi / steps
			add(y, y, math.Log(2*math.Pi/steps))
		}
	case dsl.Binary:
		add(0, 0, 0)
		add(1, 1, 0)
	case dsl.UpTo:
		for y := 0.0; y <= args[0]; y++ {
			add(y, y, 0)
		}
	case dsl.Counts:
		for y := 0.0; y < 400; y++ {
			add(y, y, 0)
		}
	case dsl.RealLine:
		const h = 0.1
		for i := -500; i <= 500; i++ {
			s := h * float64(i)
			add(math.Sinh(s), math.Sinh(s), math.Log(h*math.Cosh(s)))
		}
	default:
		const h = 0.1
		ends := 100.0
		if d == dsl.UnitOpen || d == dsl.Between {
			ends = unitEnds
		}
		for u := -ends; u <= ends; u += h {
			y, logJ := transform(dist, u, args)
			add(u, y, logJ+math.Log(h))
		}
	}
	return out
}

// argument is the position of an argument.
func argument(d *dsl.Distribution, name string) int {
	return slices.IndexFunc(d.Args, func(a dsl.DistArg) bool { return a.Name == name })
}

// second returns −∂²f along the direction dir of x by central differences of
// the sixth order.
func second(f func(x []float64) float64, x, dir []float64, h float64) float64 {
	at := func(k float64) float64 {
		z := make([]float64, len(x))
		for i := range x {
			z[i] = x[i] + k*h*dir[i]
		}
		return f(z)
	}
	s := -490 * at(0)
	for k, w := range []float64{270, -27, 2} {
		s += w * (at(float64(k+1)) + at(-float64(k+1)))
	}
	return -s / (180 * h * h)
}

// information integrates −∂²f over the nodes; f takes the node and a point x
// near x0, whose entry u (if any) is set to the node's own.
func information(nodes []node, x0 []float64, withU bool, f func(n node, x []float64) float64) [][]float64 {
	m := len(x0)
	out := make([][]float64, m)
	for a := range out {
		out[a] = make([]float64, m)
	}
	// By polarisation: twice the mixed derivative is that along e_a + e_b
	// less those along e_a and e_b.
	along := func(a, b int) float64 {
		s := 0.0
		for _, n := range nodes {
			x := append([]float64{}, x0...)
			if withU {
				x[0] = n.u
			}
			dir := make([]float64, m)
			dir[a], dir[b] = 1, 1
			s += n.p * second(func(x []float64) float64 { return f(n, x) }, x, dir, 0.002)
		}
		return s
	}
	for a := range m {
		out[a][a] = along(a, a)
	}
	for a := range m {
		for b := range a {
			out[a][b] = (along(a, b) - out[a][a] - out[b][b]) / 2
			out[b][a] = out[a][b]
		}
	}
	return out
}

// products integrates products of first derivatives of f, by central differences of the sixth order, in the place of
// information: f has a kink where x[left] and x[kink] are equal, or the node's y and x[kink] if left < 0.
func products(nodes []node, x0 []float64, left, kink int, f func(n node, x []float64) float64) [][]float64 {
	m := len(x0)
	out := make([][]float64, m)
	for a := range out {
		out[a] = make([]float64, m)
	}
	for _, n := range nodes {
		x := append([]float64{}, x0...)
		if left >= 0 {
			x[left] = n.u
		}
		h := min(0.002, math.Abs(n.y-x[kink])/10)
		if h < 1e-9 {
			continue
		}
		scores := make([]float64, m)
		for a := range m {
			at := func(k float64) float64 {
				z := append([]float64{}, x...)
				z[a] += k * h
				return f(n, z)
			}
			for k, w := range []float64{45, -9, 1} {
				scores[a] += w * (at(float64(k+1)) - at(-float64(k+1))) / (60 * h)
			}
		}
		for a := range m {
			for b := range m {
				out[a][b] += n.p * scores[a] * scores[b]
			}
		}
	}
	return out
}

// TestDistributionTable checks the density and both information matrices of
// every row at random arguments.
func TestDistributionTable(t *testing.T) {
	for i := range dsl.Distributions {
		d := &dsl.Distributions[i]
		if d.Whole() {
			continue // TestMultiNormal, TestDirichlet, and the models family_… of internal/differential
		}
		t.Run(d.Name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(uint64(i), 7))
			for range campaign.Cases(t, 1, 3) {
				checkRow(t, d, r)
			}
		})
	}
}

// checkRow holds a row of the table, at random arguments, against integrals and derivatives of its density.
func checkRow(t *testing.T, d *dsl.Distribution, r *rand.Rand) {
	t.Helper()
	logDensity := formula(t, d.LogDensity)
	names := environment(d, make([]float64, len(d.Args))) // one for all evaluations: there are many
	names["y"] = scalar(0)
	logp := func(y float64, args []float64) float64 {
		names["y"].at[0] = y
		for i, a := range d.Args {
			names[a.Name].at[0] = args[i]
		}
		return logDensity(names)
	}
	args := arguments(r, d, logp)
	nodes := quadrature(d, args, func(y float64) float64 { return logp(y, args) })
	total := 0.0
	for _, n := range nodes {
		total += n.p
	}
	if d.Defective {
		// What is missing ends at the other boundary.
		args := slices.Clone(args)
		args[2], args[3] = 1-args[2], -args[3]
		for _, n := range quadrature(d, args, func(y float64) float64 { return logp(y, args) }) {
			total += n.p
		}
	}
	if !(math.Abs(total-1) < 1e-9) {
		t.Errorf("%s%v: the density integrates to %.12g", d.Name, args, total)
	}
	kink := argument(d, d.Kink)
	inform := func(x0 []float64, withU bool, f func(n node, x []float64) float64) [][]float64 {
		switch {
		case kink < 0:
			return information(nodes, x0, withU, f)
		case withU:
			return products(nodes, x0, 0, kink+1, f)
		}
		return products(nodes, x0, -1, kink, f)
	}
	if d.Fisher != nil {
		compareTable(t, d, args, "Fisher", d.Fisher, inform(args, false, func(n node, x []float64) float64 { return logp(n.y, x) }))
	}
	if d.Joint != nil {
		// The joint information is that of the density of u, Jacobian
		// included; the ends of an interval are fixed.
		x0 := append([]float64{0}, args...)
		compareTable(t, d, args, "Joint", d.Joint, inform(x0, true, func(n node, x []float64) float64 {
			y, logJ := transform(d, x[0], args)
			return logp(y, x[1:]) + logJ
		}))
	}
	checkModes(t, d, args, logp)
	if d.Support.Discrete() && d.Joint != nil {
		t.Errorf("%s: a discrete value has no joint information", d.Name)
	}
}

// environment gives the arguments of a distribution their values.
func environment(d *dsl.Distribution, args []float64) map[string]value {
	env := map[string]value{}
	for i, a := range d.Args {
		env[a.Name] = scalar(args[i])
	}
	return env
}

// compareTable compares a matrix of formulas with expectations.
func compareTable(t *testing.T, d *dsl.Distribution, args []float64, what string, table [][]string, want [][]float64) {
	t.Helper()
	if len(table) != len(want) {
		t.Fatalf("%s: %s has %d rows, want %d", d.Name, what, len(table), len(want))
	}
	largest := 0.0
	for a := range want {
		for b := range want[a] {
			largest = math.Max(largest, math.Abs(want[a][b]))
		}
	}
	for a, row := range table {
		if len(row) != len(want) {
			t.Fatalf("%s: row %d of %s has %d entries, want %d", d.Name, a, what, len(row), len(want))
		}
		for b, text := range row {
			if (text == "") != (table[b][a] == "") {
				t.Errorf("%s: %s[%d,%d] is given on one side only", d.Name, what, a, b)
			}
			if text == "" {
				continue
			}
			got := formula(t, text)(environment(d, args))
			scale := math.Max(math.Abs(want[a][b]), 1e-3*largest)
			if !(math.Abs(got-want[a][b]) <= 1e-6*scale) {
				t.Errorf("%s%v: %s[%d,%d] = %s = %.10g, the expectation is %.10g", d.Name, args, what, a, b, text, got, want[a][b])
			}
		}
	}
}

// checkModes checks the modes of a row: of the density, and of its positive half.
func checkModes(t *testing.T, d *dsl.Distribution, args []float64, logp func(y float64, args []float64) float64) {
	t.Helper()
	if d.Center != "" {
		checkMode(t, d, "Center", d.Center, "", args, func(u float64) float64 {
			y, logJ := transform(d, u, args)
			return logp(y, args) + logJ
		})
	}
	if half := d.Half; half != nil {
		at := slices.Clone(args)
		if len(args) > 0 {
			at[len(at)-2] = 0
		}
		checkMode(t, d, "Mode", half.Mode, half.Curvature, at, func(u float64) float64 { return logp(math.Exp(u), at) + u })
	}
}

// checkMode compares where a density has its mode, and its curvature there, if that is given: where the derivative is 0, of the density of u and of the logarithm
// of a positive half.
func checkMode(t *testing.T, d *dsl.Distribution, what, at, curvature string, args []float64, density func(u float64) float64) {
	t.Helper()
	u := formula(t, at)(environment(d, args))
	const h = 1e-3
	slope := (8*(density(u+h)-density(u-h)) - (density(u+2*h) - density(u-2*h))) / (12 * h)
	if !(math.Abs(slope) < 1e-7) {
		t.Errorf("%s%v: %s = %s = %v, where the density of the logarithm has the derivative %v", d.Name, args, what, at, u, slope)
	}
	if curvature == "" {
		return
	}
	want := second(func(x []float64) float64 { return density(x[0]) }, []float64{u}, []float64{1}, 0.01)
	if got := formula(t, curvature)(environment(d, args)); !(math.Abs(got-want) <= 1e-6*want) {
		t.Errorf("%s%v: the curvature %s = %v there, want %v", d.Name, args, curvature, got, want)
	}
}

// TestCumulative checks the cumulative functions of every row that has them: they rise by the density, and add up to 1.
func TestCumulative(t *testing.T) {
	for i := range dsl.Distributions {
		d := &dsl.Distributions[i]
		if (d.LogCdf == "") != (d.LogCcdf == "") {
			t.Errorf("%s has one cumulative function", d.Name)
		}
		if d.LogCdf == "" {
			continue
		}
		t.Run(d.Name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(uint64(i), 11))
			for range 3 {
				checkCumulative(t, d, r)
			}
		})
	}
}

func checkCumulative(t *testing.T, d *dsl.Distribution, r *rand.Rand) {
	t.Helper()
	env := map[string]value{"y": scalar(0)}
	for _, a := range d.Args {
		env[a.Name] = scalar(0)
	}
	of := func(text string) func(y float64, args []float64) float64 {
		f := formula(t, text)
		return func(y float64, args []float64) float64 {
			env["y"].at[0] = y
			for i, a := range d.Args {
				env[a.Name].at[0] = args[i]
			}
			return f(env)
		}
	}
	logDensity, logCdf, logCcdf := of(d.LogDensity), of(d.LogCdf), of(d.LogCcdf)
	args := arguments(r, d, logDensity)
	near := func(what string, y, got, want float64) {
		t.Helper()
		if !(math.Abs(got-want) <= 1e-9) {
			t.Errorf("%s%v at %v: %s is %.12g, not %.12g", d.Name, args, y, what, got, want)
		}
	}
	if d.Support.Discrete() {
		below := 0.0
		last := 60.0
		switch d.Support {
		case dsl.UpTo:
			last = args[0]
		case dsl.Binary:
			last = 1
		}
		for y := 0.0; y <= last; y++ {
			below += math.Exp(logDensity(y, args))
			near("lcdf", y, math.Exp(logCdf(y, args)), below)
			near("lccdf", y, math.Exp(logCcdf(y, args)), 1-below)
		}
		return
	}
	least := 1.0
	for _, n := range quadrature(d, args, func(y float64) float64 { return logDensity(y, args) }) {
		p := math.Exp(logCdf(n.y, args))
		least = min(least, p)
		if p < 1e-4 || p > 1-1e-4 {
			continue
		}
		near("lcdf and lccdf", n.y, p+math.Exp(logCcdf(n.y, args)), 1)
		// In the coordinate of transform, where the steps are of one size; not across a kink.
		u, kink := n.u, argument(d, d.Kink)
		if kink >= 0 && math.Abs(n.y-args[kink]) < 0.02 || d.Kink == "" && d.Support == dsl.RealLine && math.Abs(n.y) > 1e3 {
			continue
		}
		const h = 2e-3
		at := func(k float64) float64 {
			y, _ := transform(d, u+k*h, args)
			return math.Exp(logCdf(y, args))
		}
		slope := (45*(at(1)-at(-1)) - 9*(at(2)-at(-2)) + at(3) - at(-3)) / (60 * h)
		y, logJ := transform(d, u, args)
		near("the slope of lcdf", y, slope, math.Exp(logDensity(y, args)+logJ))
	}
	if !(least < 1e-3) {
		t.Errorf("%s%v: lcdf begins at %v", d.Name, args, least)
	}
}

// TestMultiNormal checks the one row of vectors in two dimensions: the density
// against the product of a marginal and a conditional normal density, and both
// information matrices against second differences, which are exact for a
// quadratic.
func TestMultiNormal(t *testing.T) {
	d := dsl.LookupDistribution("multi_normal")
	mu := []float64{0.3, -1.2}
	S := value{2, 2, []float64{2, 0.7, 0.7, 1.5}}
	logDensity := formula(t, d.LogDensity)
	logp := func(y, mu []float64) float64 {
		return logDensity(map[string]value{"y": {2, 1, y}, "mu": {2, 1, mu}, "Sigma": S})
	}
	normal := func(y, mu, variance float64) float64 {
		return -(y-mu)*(y-mu)/(2*variance) - 0.5*math.Log(2*math.Pi*variance)
	}
	for _, y := range [][]float64{{0, 0}, {0.3, -1.2}, {2, -5}, {-3, 1}} {
		want := normal(y[0], mu[0], 2) + normal(y[1], mu[1]+0.7/2*(y[0]-mu[0]), 1.5-0.7*0.7/2)
		if got := logp(y, mu); !(math.Abs(got-want) < 1e-12*math.Abs(want)) {
			t.Errorf("log density at %v is %v, want %v", y, got, want)
		}
	}
	// −∂² of log p in (y, mu) does not depend on y: no expectation is needed.
	x0 := []float64{0.5, 0.1, mu[0], mu[1]}
	want := information([]node{{p: 1}}, x0, false, func(_ node, x []float64) float64 { return logp(x[:2], x[2:]) })
	check := func(what string, table [][]string, rows, offset int) {
		for a := range rows {
			for b := range rows {
				e, err := dsl.ParseFormula(table[a][b])
				if err != nil {
					t.Fatal(err)
				}
				got, err := eval(e, map[string]value{"Sigma": S})
				if err != nil || got.rows != 2 || got.cols != 2 {
					t.Fatalf("%s[%d,%d]: %v", what, a, b, err)
				}
				for i := range 4 {
					w := want[offset+2*a+i/2][offset+2*b+i%2]
					if !(math.Abs(got.at[i]-w) < 1e-8) {
						t.Errorf("%s[%d,%d] = %s has the entry %v, want %v", what, a, b, table[a][b], got.at[i], w)
					}
				}
			}
		}
	}
	check("Fisher", d.Fisher, 1, 2)
	check("Joint", d.Joint, 2, 0)
}

// TestDirichlet integrates the density over the simplexes of two and of three elements, and takes the
// expectation of minus its second derivatives by the concentrations, which does not depend on the
// simplex.
func TestDirichlet(t *testing.T) {
	d := dsl.LookupDistribution("dirichlet")
	logDensity := formula(t, d.LogDensity)
	logp := func(y, alpha []float64) float64 {
		return logDensity(map[string]value{"y": {len(y), 1, y}, "alpha": {len(alpha), 1, alpha}})
	}
	// The integral over (0, 1), by the trapezoidal rule in u with z = inv_logit(u), whose error is of the size
	// of exp(−2π²/0.5), 1e-17: the integrand is analytic for |Im u| < π.
	integral := func(f func(z float64) float64) float64 {
		s := 0.0
		for n := -120; n <= 120; n++ {
			z, logJacobian := transform(dsl.LookupDistribution("beta"), 0.5*float64(n), nil)
			if z > 0 && z < 1 {
				s += 0.5 * math.Exp(logJacobian) * f(z)
			}
		}
		return s
	}
	for _, alpha := range [][]float64{{1, 1}, {0.6, 3.5}, {7, 2}} {
		got := integral(func(z float64) float64 { return math.Exp(logp([]float64{z, 1 - z}, alpha)) })
		if !(math.Abs(got-1) < 1e-9) {
			t.Errorf("the density for %v integrates to %v", alpha, got)
		}
	}
	for _, alpha := range [][]float64{{1, 1, 1}, {2.5, 1.4, 3}} {
		got := integral(func(x float64) float64 {
			return integral(func(z float64) float64 {
				y := []float64{x, (1 - x) * z, (1 - x) * (1 - z)}
				return (1 - x) * math.Exp(logp(y, alpha))
			})
		})
		if !(math.Abs(got-1) < 1e-9) {
			t.Errorf("the density for %v integrates to %v", alpha, got)
		}
		want := information([]node{{p: 1}}, alpha, false, func(_ node, a []float64) float64 { return logp([]float64{0.2, 0.5, 0.3}, a) })
		e, err := dsl.ParseFormula(d.Fisher[0][0])
		if err != nil {
			t.Fatal(err)
		}
		info, err := eval(e, map[string]value{"alpha": {3, 1, alpha}})
		if err != nil || info.rows != 3 || info.cols != 3 {
			t.Fatalf("%s: %v", d.Fisher[0][0], err)
		}
		for i, v := range info.at {
			if w := want[i/3][i%3]; !(math.Abs(v-w) < 1e-8) {
				t.Errorf("the information at %v has the entry (%d, %d) %v, want %v", alpha, i/3+1, i%3+1, v, w)
			}
		}
	}
}

// TestTableNames checks that the tables can be spoken of: names are unique,
// are no keywords, and formulas mention only y and the arguments.
func TestTableNames(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range dsl.Functions {
		if seen[f.Name] || dsl.LookupFunction(f.Name) == nil || f.Doc == "" {
			t.Errorf("function %s", f.Name)
		}
		seen[f.Name] = true
	}
	seen = map[string]bool{}
	for _, d := range dsl.Distributions {
		if seen[d.Name] || dsl.LookupDistribution(d.Name) == nil || d.Random == "" && d.Define == "" && !d.Defective {
			t.Errorf("distribution %s", d.Name)
		}
		seen[d.Name] = true
		arguments := map[string]bool{}
		for _, a := range d.Args {
			if arguments[a.Name] || a.Name == "y" {
				t.Errorf("%s: the argument %s", d.Name, a.Name)
			}
			arguments[a.Name] = true
		}
		if d.Fisher != nil && len(d.Fisher) != len(d.Args) || d.Joint != nil && len(d.Joint) != len(d.Args)+1 {
			t.Errorf("%s: the sizes of its matrices", d.Name)
		}
	}
}
