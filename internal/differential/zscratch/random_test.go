package differential

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
)

// An author writes random models that are well defined everywhere: divisors,
// logarithms and scales stay away from zero, exponents are bounded.
type author struct {
	rng     *rand.Rand
	text    strings.Builder
	scalars []string            // real expressions without an index
	vectors map[string][]string // by size
	params  []parameter
	matrix  []matrix
	opened  []opened // indices in scope
	lets    int
}

type parameter struct{ name, size, bound string }

type matrix struct{ name, rows, cols string }

// opened is an index in scope, over 1..size, or over 2..size where lag is set.
type opened struct {
	name, size string
	lag        bool
}

// sizes of vectors; the data make n = 3 and k = 2.
var sizes = []string{"n", "k", "2", "k+1"}

const indexNames = "ijlrcu"

func (a *author) pick(list ...string) string { return list[a.rng.IntN(len(list))] }

func (a *author) printf(format string, args ...any) { fmt.Fprintf(&a.text, format+"\n", args...) }

// randomModel returns the model of a seed, with its data.
func randomModel(name string, seed uint64) *subject {
	a := &author{rng: rand.New(rand.NewPCG(seed, 17)), vectors: map[string][]string{}}
	a.printf("model %s", name)
	a.declare()
	for range a.rng.IntN(4) {
		a.let()
	}
	for _, p := range a.params {
		a.prior(p)
	}
	for range 1 + a.rng.IntN(3) {
		a.term()
	}
	a.metric()
	return &subject{name: name, text: a.text.String(), data: a.data()}
}

func (a *author) declare() {
	a.printf("data n, k int\ndata d0 real\ndata d1 real > 0\ndata yn, zn real[n]\ndata xk real[k]\ndata Xnk real[n, k]\ndata Xkn real[k, n]\ndata Xnn real[n, n]")
	a.printf("data bits int[n] in {0, 1}\ndata counts int[n] >= 0\ndata S cov[k]")
	a.scalars = []string{"d0", "d1", "0.5", "2"}
	a.vectors["n"] = []string{"yn", "zn", "bits"}
	a.vectors["k"] = []string{"xk"}
	a.matrix = []matrix{{"Xnk", "n", "k"}, {"Xkn", "k", "n"}, {"Xnn", "n", "n"}}
	names := []string{"a", "b", "theta", "mu", "x", "w", "q"}
	a.rng.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	for n := range 1 + a.rng.IntN(4) {
		p := parameter{name: names[n]}
		bounds := []string{"", "", "", " > 0", " < 2", " in (-1, 1)", " in (d0 - 1, 3)", " > -d1"}
		p.bound = a.pick(bounds...)
		if a.rng.IntN(2) == 0 {
			p.size = a.pick(sizes...)
			a.vectors[p.size] = append(a.vectors[p.size], p.name, p.name)
			a.printf("param %s real[%s]%s", p.name, p.size, p.bound)
		} else {
			a.scalars = append(a.scalars, p.name, p.name)
			a.printf("param %s real%s", p.name, p.bound)
		}
		a.params = append(a.params, p)
	}
}

// vectorSize is a size that has vectors.
func (a *author) vectorSize() string {
	for {
		s := a.pick(sizes...)
		if len(a.vectors[s]) > 0 {
			return s
		}
	}
}

// leaf is a scalar without operators.
func (a *author) leaf() string {
	if len(a.opened) > 0 && a.rng.IntN(3) > 0 {
		i := a.opened[a.rng.IntN(len(a.opened))]
		if a.rng.IntN(3) == 0 {
			for _, j := range a.opened {
				for _, m := range a.matrix {
					if m.rows == i.size && m.cols == j.size {
						return fmt.Sprintf("%s[%s,%s]", m.name, i.name, j.name)
					}
				}
			}
		}
		if list := a.vectors[i.size]; len(list) > 0 {
			sub := i.name
			if i.lag && a.rng.IntN(2) == 0 {
				sub += "-1"
			}
			return fmt.Sprintf("%s[%s]", a.pick(list...), sub)
		}
	}
	if a.rng.IntN(6) == 0 {
		s := a.vectorSize()
		return fmt.Sprintf("%s[%s]", a.pick(a.vectors[s]...), a.pick("1", s))
	}
	return a.pick(a.scalars...)
}

// scalar is a real expression.
func (a *author) scalar(depth int) string {
	if depth <= 0 {
		return a.leaf()
	}
	switch a.rng.IntN(16) {
	case 0, 1:
		return fmt.Sprintf("(%s + %s)", a.scalar(depth-1), a.scalar(depth-1))
	case 2:
		return fmt.Sprintf("(%s - %s)", a.scalar(depth-1), a.scalar(depth-1))
	case 3, 4:
		return fmt.Sprintf("%s*%s", a.scalar(depth-1), a.scalar(depth-1))
	case 5:
		return fmt.Sprintf("(%s)^2", a.scalar(depth-1))
	case 6:
		return fmt.Sprintf("%s/(%s)", a.scalar(depth-1), a.positive(depth-1))
	case 7, 8:
		return fmt.Sprintf("%s(%s)", a.pick("sin", "cos", "tanh", "atan", "inv_logit", "log1p_exp", "Phi"), a.scalar(depth-1))
	case 9:
		return fmt.Sprintf("%s(%s)", a.pick("log", "sqrt", "inv", "lgamma"), a.positive(depth-1))
	case 10:
		return fmt.Sprintf("exp(sin(%s))", a.scalar(depth-1))
	case 11:
		return fmt.Sprintf("pow(%s, %s)", a.positive(depth-1), a.pick("0.5", "-1", "1.5", "3"))
	case 12, 13:
		if len(a.opened) < 3 {
			s := a.vectorSize()
			i := a.open(s)
			body := a.scalar(depth - 1)
			a.opened = a.opened[:len(a.opened)-1]
			return fmt.Sprintf("(sum(%s in %s) (%s))", i.name, i.over(), body)
		}
	case 14:
		s := a.vectorSize()
		return fmt.Sprintf("%s(%s)", a.pick("sum", "mean"), a.vector(s, depth-1))
	case 15:
		s := a.vectorSize()
		return fmt.Sprintf("dot(%s, %s)", a.vector(s, depth-1), a.vector(s, depth-1))
	}
	return a.leaf()
}

func (i opened) over() string {
	if i.lag {
		return "2.." + i.size
	}
	return i.size
}

func (a *author) open(size string) opened {
	i := opened{name: indexNames[len(a.opened) : len(a.opened)+1], size: size, lag: a.rng.IntN(4) == 0}
	a.opened = append(a.opened, i)
	return i
}

// positive is a real expression above 0.1 or so.
func (a *author) positive(depth int) string {
	switch a.rng.IntN(4) {
	case 0:
		return fmt.Sprintf("1 + (%s)^2", a.scalar(depth-1))
	case 1:
		return fmt.Sprintf("exp(tanh(%s))", a.scalar(depth-1))
	case 2:
		return fmt.Sprintf("0.5 + log1p_exp(%s)", a.scalar(depth-1))
	}
	return fmt.Sprintf("2 + cos(%s)", a.scalar(depth-1))
}

// vector is a real expression of a size.
func (a *author) vector(size string, depth int) string {
	if depth > 0 {
		switch a.rng.IntN(8) {
		case 0:
			return fmt.Sprintf("(%s + %s)", a.vector(size, depth-1), a.vector(size, depth-1))
		case 1:
			return fmt.Sprintf("(%s.*%s)", a.vector(size, depth-1), a.vector(size, depth-1))
		case 2:
			return fmt.Sprintf("%s(%s)", a.pick("sin", "tanh", "inv_logit", "log1p_exp"), a.vector(size, depth-1))
		case 3, 4:
			for _, m := range a.matrix {
				if m.rows == size && len(a.vectors[m.cols]) > 0 && a.rng.IntN(2) == 0 {
					return fmt.Sprintf("(%s*%s)", m.name, a.pick(a.vectors[m.cols]...))
				}
				if m.cols == size && len(a.vectors[m.rows]) > 0 && a.rng.IntN(2) == 0 {
					return fmt.Sprintf("(%s'*%s)", m.name, a.pick(a.vectors[m.rows]...))
				}
			}
		case 5:
			return fmt.Sprintf("((%s)*%s)", a.scalar(depth-1), a.vector(size, depth-1))
		case 6:
			return fmt.Sprintf("%s.^2", a.pick(a.vectors[size]...))
		}
	}
	return a.pick(a.vectors[size]...)
}

func (a *author) let() {
	a.lets++
	name := fmt.Sprintf("let%d", a.lets)
	switch a.rng.IntN(4) {
	case 0:
		a.printf("let %s = %s", name, a.scalar(2))
		a.scalars = append(a.scalars, name)
	case 1:
		s := a.vectorSize()
		a.printf("let %s = %s", name, a.vector(s, 2))
		a.vectors[s] = append(a.vectors[s], name)
	case 2:
		s := a.vectorSize()
		a.opened = []opened{{"i", s, false}}
		a.printf("let %s[i in %s] = %s", name, s, a.scalar(2))
		a.vectors[s] = append(a.vectors[s], name)
	case 3:
		a.opened = []opened{{"i", "n", false}, {"j", "k", false}}
		a.printf("let %s[i in n, j in k] = %s", name, a.scalar(2))
		a.matrix = append(a.matrix, matrix{name, "n", "k"})
	}
	a.opened = nil
}

func (a *author) prior(p parameter) {
	switch {
	case p.bound == " > 0" && a.rng.IntN(2) == 0:
		a.printf("%s ~ %s", p.name, a.pick("gamma(2, 1.5)", "lognormal(0, 1)", "exponential(1)", "inv_gamma(3, 2)"))
	case p.size == "k" && a.rng.IntN(3) == 0:
		a.printf("%s ~ multi_normal(xk, S)", p.name)
	default:
		a.printf("%s ~ %s", p.name, a.pick("normal(0, 1)", "normal(d0, 2)", "student_t(5, 0, 1)"))
	}
}

// term adds a term of the density. Each holds a parameter for certain: one that
// depends on data alone is an error.
func (a *author) term() {
	own := a.element(a.params[a.rng.IntN(len(a.params))])
	switch a.rng.IntN(7) {
	case 0:
		a.printf("yn ~ normal(%s + %s, %s)", own, a.vector("n", 2), a.positive(1))
	case 1:
		a.printf("bits ~ bernoulli_logit(%s*%s)", own, a.vector("n", 2))
	case 2:
		a.printf("counts ~ poisson_log(0.3*sin(%s + %s))", own, a.vector("n", 2))
	case 3:
		a.opened = []opened{{"i", "n", a.rng.IntN(2) == 0}}
		mu, sigma := a.scalar(3), a.positive(2)
		a.printf("zn[i] ~ normal(%s - %s, %s) for i in %s", mu, own, sigma, a.opened[0].over())
	case 4:
		a.printf("d0 ~ student_t(4, %s*%s, %s)", own, a.scalar(2), a.positive(2))
	case 5:
		a.printf("density -(%s + %s)^2/10", own, a.scalar(3))
	case 6:
		a.printf("density d1*cos(%s)/5", own)
	}
	a.opened = nil
}

// element is a scalar of a parameter.
func (a *author) element(p parameter) string {
	if p.size == "" {
		return p.name
	}
	return p.name + "[1]"
}

func (a *author) metric() {
	switch a.rng.IntN(6) {
	case 0:
		a.printf("metric hessian + 20*identity")
	case 1:
		a.printf("metric softabs(alpha = %s)", a.pick("1", "10", "d1"))
	case 2, 3:
		for i, p := range a.params {
			if p.size == "" {
				a.printf("metric[%s, %s] = 1 + %s", p.name, p.name, a.positive(2))
			} else {
				e := a.element(p)
				a.printf("metric[%s[i], %s[j]] = (2 + cos(%s))*delta(i, j)", p.name, p.name, e)
			}
			for _, q := range a.params[:i] {
				if p.size == "" && q.size == "" && a.rng.IntN(2) == 0 {
					a.printf("metric[%s, %s] = 0.2*sin(%s)", p.name, q.name, a.scalar(1))
				}
			}
		}
	case 4:
		a.printf("metric 2*identity")
	default:
		a.printf("metric hessian/2 + identity*d1 + 20*identity")
	}
}

// data are numbers of a seed's own for the declarations.
func (a *author) data() []byte {
	const n, k = 3, 2
	x := func() float64 { return math.Round(1000*a.rng.NormFloat64()) / 1000 }
	list := func(n int) []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = x()
		}
		return v
	}
	rows := func(n, k int) [][]float64 {
		m := make([][]float64, n)
		for i := range m {
			m[i] = list(k)
		}
		return m
	}
	r := x() / 10
	out, err := json.MarshalIndent(map[string]any{
		"n": n, "k": k, "d0": x(), "d1": math.Abs(x()) + 0.1, "yn": list(n), "zn": list(n), "xk": list(k),
		"Xnk": rows(n, k), "Xkn": rows(k, n), "Xnn": rows(n, n),
		"bits": []int{1, 0, 1}, "counts": []int{2, 0, 3}, "S": [][]float64{{1, r}, {r, 2}},
	}, "", " ")
	if err != nil {
		panic(err)
	}
	return out
}
