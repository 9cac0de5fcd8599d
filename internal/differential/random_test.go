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
	draws   bool // random numbers and log densities are expressions too

	fisher bool // the metrics are Fisher's: no statement has another form than it knows
	solved bool // there are differential equations: no metric of second derivatives
	states []string
}

type parameter struct{ name, size, bound string }

type matrix struct{ name, rows, cols string }

// opened is an index in scope, over a range in which it may be shifted by from … to.
type opened struct {
	name, size, over string
	from, to         int
}

// sizes of vectors; the data make n = 3 and k = 2, and T one of a few.
var sizes = []string{"n", "k", "2", "k+1", "T"}

// spans are ranges over a part of a size, with the shifts that stay inside it. No
// size that has them is below 3.
var spans = []opened{
	{over: "2..%s", from: -1}, {over: "3..%s", from: -2}, {over: "%s-1", to: 1}, {over: "2..%s-1", from: -1, to: 1}, {over: "%s-2", to: 2},
}

const indexNames = "ijlrcu"

func (a *author) pick(list ...string) string { return list[a.rng.IntN(len(list))] }

func (a *author) printf(format string, args ...any) { fmt.Fprintf(&a.text, format+"\n", args...) }

// randomModel returns the model of a seed, with its data.
func randomModel(name string, seed uint64) *subject {
	a := &author{rng: rand.New(rand.NewPCG(seed, 17)), vectors: map[string][]string{}}
	a.fisher = a.rng.IntN(4) == 0
	a.printf("model %s", name)
	a.declare()
	for range a.rng.IntN(4) {
		a.let()
	}
	if a.rng.IntN(4) == 0 {
		a.equation()
	}
	for _, p := range a.params {
		a.prior(p)
	}
	for range 1 + a.rng.IntN(3) {
		a.term()
	}
	a.blocks()
	a.generate()
	return &subject{name: name, text: a.text.String(), data: a.data(), random: true}
}

func (a *author) declare() {
	a.printf("data n, k, T, m int\ndata tm, ym real[m]\ndata yT, zT real[T]\ndata d0 real\ndata d1 real > 0\ndata yn, zn real[n]\ndata xk real[k]\ndata Xnk real[n, k]\ndata Xkn real[k, n]\ndata Xnn real[n, n]")
	a.printf("data bits int[n] in {0, 1}\ndata counts int[n] >= 0\ndata S cov[k]")
	a.printf("data nk int[n] in 1..k\ndata nn int[n] in 1..n\ndata kn int[k] in 1..n\ndata Tn int[T] in 1..n\ndata Tk int[T] in {1, 2}\ndata nT int[n] in 2..T-1")
	a.scalars = []string{"d0", "d1", "0.5", "2"}
	a.vectors["n"] = []string{"yn", "zn", "bits"}
	a.vectors["k"] = []string{"xk"}
	a.vectors["T"] = []string{"yT", "zT"}
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
		if e := a.gathered(i); e != "" && a.rng.IntN(3) == 0 {
			return e
		}
		if list := a.vectors[i.size]; len(list) > 0 {
			return fmt.Sprintf("%s[%s]", a.pick(list...), i.shifted(i.from+a.rng.IntN(i.to-i.from+1)))
		}
	}
	if a.rng.IntN(6) == 0 {
		s := a.vectorSize()
		return fmt.Sprintf("%s[%s]", a.pick(a.vectors[s]...), a.pick("1", s))
	}
	return a.pick(a.scalars...)
}

// gathers are the integer data, with what they select from and the shifts that stay
// inside.
var gathers = []struct {
	name, size, from string
	shift            []int
}{
	{"nk", "n", "k", []int{0}}, {"nn", "n", "n", []int{0}}, {"kn", "k", "n", []int{0}}, {"Tn", "T", "n", []int{0}}, {"Tk", "T", "k", []int{0}}, {"nT", "n", "T", []int{-1, 0, 1}},
}

// gathered is an element of a vector at a position taken from data at an index,
// perhaps by way of other data; "" if there is none.
func (a *author) gathered(i opened) string {
	at, size := i.shifted(i.from+a.rng.IntN(i.to-i.from+1)), i.size
	for range 1 + a.rng.IntN(2) {
		g := gathers[a.rng.IntN(len(gathers))]
		if g.size != size {
			continue
		}
		at, size = g.name+"["+at+"]", g.from
		if a.rng.IntN(3) == 0 || len(g.shift) > 1 {
			if by := g.shift[a.rng.IntN(len(g.shift))]; len(a.vectors[size]) > 0 {
				return fmt.Sprintf("%s[%s]", a.pick(a.vectors[size]...), opened{name: at}.shifted(by))
			}
		}
	}
	if len(a.vectors[size]) == 0 || at == i.name {
		return ""
	}
	return fmt.Sprintf("%s[%s]", a.pick(a.vectors[size]...), at)
}

// scalar is a real expression.
func (a *author) scalar(depth int) string {
	if depth <= 0 {
		return a.leaf()
	}
	if a.draws && a.rng.IntN(4) == 0 {
		return a.draw(depth)
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
		return fmt.Sprintf("%s(%s)", a.pick("sin", "cos", "tanh", "atan", "asinh", "inv_logit", "log1p_exp", "Phi"), a.scalar(depth-1))
	case 9:
		return fmt.Sprintf("%s(%s)", a.pick("log", "sqrt", "inv", "lgamma"), a.positive(depth-1))
	case 10:
		return fmt.Sprintf("exp(sin(%s))", a.scalar(depth-1))
	case 11:
		return fmt.Sprintf("pow(%s, %s)", a.positive(depth-1), a.pick("0.5", "-1", "1.5", "3"))
	case 12, 13:
		if len(a.opened) < 3 {
			s := a.vectorSize()
			i := a.open(s, a.rng.IntN(3) == 0)
			body := a.scalar(depth - 1)
			a.opened = a.opened[:len(a.opened)-1]
			return fmt.Sprintf("(sum(%s in %s) (%s))", i.name, i.over, body)
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

// shifted is the index, shifted.
func (i opened) shifted(by int) string {
	if by == 0 {
		return i.name
	}
	return fmt.Sprintf("%s%+d", i.name, by)
}

// open opens an index over a size or, where part says so, over a part of it.
func (a *author) open(size string, part bool) opened {
	i := opened{over: size}
	switch {
	case !part:
	case size == "n" || size == "T":
		i = spans[a.rng.IntN(len(spans))]
		i.over = fmt.Sprintf(i.over, size)
	default:
		i = opened{over: "2.." + size, from: -1}
	}
	i.name, i.size = indexNames[len(a.opened):len(a.opened)+1], size
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
		case 7:
			for _, g := range gathers {
				if g.size == size && len(a.vectors[g.from]) > 0 && a.rng.IntN(2) == 0 {
					return fmt.Sprintf("%s[%s]", a.pick(a.vectors[g.from]...), g.name)
				}
			}
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
		a.open(s, false)
		a.printf("let %s[i in %s] = %s", name, s, a.scalar(2))
		a.vectors[s] = append(a.vectors[s], name)
	case 3:
		a.open("n", false)
		a.open("k", false)
		a.printf("let %s[i in n, j in k] = %s", name, a.scalar(2))
		a.matrix = append(a.matrix, matrix{name, "n", "k"})
	}
	a.opened = nil
}

// generate adds generated quantities, which use each other.
func (a *author) generate() {
	a.draws = true
	a.printf("generate {")
	for n := range 2 + a.rng.IntN(5) {
		name := fmt.Sprintf("quantity%d", n+1)
		switch a.rng.IntN(5) {
		case 0:
			a.printf("  %s = %s", name, a.scalar(3))
			a.scalars = append(a.scalars, name)
		case 1:
			s := a.vectorSize()
			v := a.vector(s, 2)
			if a.rng.IntN(2) == 0 {
				v = fmt.Sprintf("normal_rng(%s, %s)", v, a.pick("1", a.positive(1)))
			}
			a.printf("  %s = %s", name, v)
			a.vectors[s] = append(a.vectors[s], name)
		case 2, 3:
			s := a.vectorSize()
			a.open(s, false)
			a.printf("  %s[i in %s] = %s", name, s, a.scalar(3))
			a.vectors[s] = append(a.vectors[s], name)
		case 4:
			a.open("n", false)
			a.open("k", false)
			a.printf("  %s[i in n, j in k] = %s", name, a.scalar(2))
			a.matrix = append(a.matrix, matrix{name, "n", "k"})
		}
		a.opened = nil
	}
	if len(a.vectors["k"]) > 0 && a.rng.IntN(3) == 0 {
		a.printf("  last = multi_normal_rng(%s, S)", a.vector("k", 1))
	}
	a.printf("}")
	a.draws = false
}

// draw is a random number, or the log density of something.
func (a *author) draw(depth int) string {
	d := depth - 1
	if len(a.opened) > 2 || a.rng.IntN(4) == 0 {
		switch a.rng.IntN(4) {
		case 0:
			return fmt.Sprintf("normal_lpdf(%s | %s, %s)", a.scalar(d), a.scalar(d), a.positive(d))
		case 1:
			return fmt.Sprintf("gamma_lpdf(%s | 2, %s)", a.positive(d), a.positive(d))
		case 2:
			return fmt.Sprintf("bernoulli_logit_lpmf(bits | %s)", a.scalar(d))
		}
		s := a.vectorSize()
		return fmt.Sprintf("student_t_lpdf(%s | 4, %s, 2)", a.vector(s, d), a.vector(s, d))
	}
	switch a.rng.IntN(9) {
	case 0, 1:
		return fmt.Sprintf("normal_rng(%s, %s)", a.scalar(d), a.positive(d))
	case 2:
		return fmt.Sprintf("student_t_rng(9, %s, %s)", a.scalar(d), a.positive(d))
	case 3:
		return fmt.Sprintf("gamma_rng(2, %s)", a.positive(d))
	case 4:
		return fmt.Sprintf("poisson_rng(%s)", a.positive(d))
	case 5:
		return fmt.Sprintf("bernoulli_logit_rng(%s)", a.scalar(d))
	case 6:
		return fmt.Sprintf("beta_rng(%s, %s)", a.positive(d), a.positive(d))
	case 7:
		return fmt.Sprintf("binomial_logit_rng(poisson_rng(7), %s)", a.scalar(d))
	}
	return "uniform_rng(-1, 1)"
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
	if (p.size == "n" || p.size == "T") && p.bound == "" && a.rng.IntN(2) == 0 {
		a.chain(p)
	}
}

// chain adds a prior of the elements of a vector given their neighbours.
func (a *author) chain(p parameter) {
	x, scale := p.name, a.positive(1)
	switch a.rng.IntN(5) {
	case 0:
		a.printf("%s[t] ~ normal(0.5*%s[t-1], %s) for t in 2..%s", x, x, a.pick("1", scale), p.size)
	case 1:
		a.printf("%s[t] ~ normal(tanh(%s)*%s[t-1] - 0.3*%s[t-2], %s) for t in 3..%s", x, a.scalar(1), x, x, scale, p.size)
	case 2:
		a.printf("%s[t+1] ~ normal(sin(%s[t]), %s) for t in %s-1", x, x, scale, p.size)
	case 3:
		a.printf("%s[t+1] - 2*%s[t] + %s[t-1] ~ student_t(5, %s, 2) for t in 2..%s-1", x, x, x, a.scalar(1), p.size)
	case 4:
		a.printf("%s[t-2] ~ normal(%s[t] + %s[%s]/3, exp(tanh(%s[t-1]))) for t in 3..%s", x, x, x, a.pick("1", p.size), x, p.size)
	}
}

// equation adds a differential equation with one or two solutions.
func (a *author) equation() {
	a.solved = true
	n := 1 + a.rng.IntN(2)
	a.states = []string{"v1", "v2"}[:n]
	head := strings.Join(a.states, ", ")
	if a.rng.IntN(2) == 0 {
		head += "; arg"
		a.states = append(a.states, "arg")
	}
	over := ""
	if a.rng.IntN(2) == 0 {
		over = " over time"
		a.states = append(a.states, "time")
	}
	a.printf("ode f(%s)%s {", head, over)
	for _, v := range a.states[:n] {
		a.printf("  %s' = %s", v, a.rate(2))
	}
	a.printf("}")
	all := a.states
	a.states = nil
	for k := range 1 + a.rng.IntN(2) {
		name := fmt.Sprintf("s%d", k)
		var args []string
		for _, v := range all {
			if v != "time" {
				args = append(args, fmt.Sprintf("%s = %s", v, a.pick("1", "d0", "tanh("+a.element(a.params[a.rng.IntN(len(a.params))])+")", "d1/2")))
			}
		}
		a.printf("let %s = solve f(%s) from %s at tm", name, strings.Join(args, ", "), a.pick("0", "-0.2"))
		own := a.element(a.params[a.rng.IntN(len(a.params))])
		if a.fisher {
			a.printf("ym ~ normal(%s.%s + %s*%s.v1, %s)", name, all[n-1], own, name, a.positive(1))
			continue
		}
		for _, v := range all[:n] {
			a.vectors["m"] = append(a.vectors["m"], name+"."+v)
			a.scalars = append(a.scalars, name+"."+v+"[1]", name+"."+v+"[m]")
		}
		a.printf("ym ~ normal(%s + %s, %s)", own, a.vector("m", 1), a.positive(1))
	}
}

// rate is the right side of a differential equation, whose solution stays finite.
func (a *author) rate(depth int) string {
	leaf := func() string {
		if a.rng.IntN(2) == 0 {
			return a.pick(a.states...)
		}
		return a.pick(append(a.scalars, a.element(a.params[a.rng.IntN(len(a.params))]))...)
	}
	if depth == 0 {
		return leaf()
	}
	switch a.rng.IntN(6) {
	case 0:
		return fmt.Sprintf("(%s - %s)", a.rate(depth-1), a.rate(depth-1))
	case 1:
		return fmt.Sprintf("%s(%s)", a.pick("sin", "tanh", "inv_logit"), a.rate(depth-1))
	case 2:
		return fmt.Sprintf("tanh(%s)*%s", a.rate(depth-1), leaf())
	case 3:
		return fmt.Sprintf("%s*sin(%s)", leaf(), leaf())
	case 4:
		return fmt.Sprintf("-%s/(1 + (%s)^2)", leaf(), a.rate(depth-1))
	}
	return fmt.Sprintf("0.5*%s", leaf())
}

// term adds a term of the density. Each holds a parameter for certain: one that
// depends on data alone is an error.
func (a *author) term() {
	own := a.element(a.params[a.rng.IntN(len(a.params))])
	forms := 8
	if a.fisher {
		forms = 6 // which knows the information of these
	}
	switch a.rng.IntN(forms) {
	case 0:
		a.printf("yn ~ normal(%s + %s, %s)", own, a.vector("n", 2), a.positive(1))
	case 1:
		a.printf("bits ~ bernoulli_logit(%s*%s)", own, a.vector("n", 2))
	case 2:
		a.printf("counts ~ poisson_log(0.3*sin(%s + %s))", own, a.vector("n", 2))
	case 3:
		i := a.open("n", a.rng.IntN(2) == 0)
		mu, sigma := a.scalar(3), a.positive(2)
		a.printf("zn[i] ~ normal(%s - %s, %s) for i in %s", mu, own, sigma, i.over)
	case 4:
		a.printf("d0 ~ student_t(4, %s*%s, %s)", own, a.scalar(2), a.positive(2))
	case 5:
		i := a.open("T", true)
		left := "yT[" + i.shifted(i.from+a.rng.IntN(i.to-i.from+1)) + "]"
		mu, sigma := a.scalar(3), a.positive(1)
		a.printf("%s ~ normal(%s*%s, %s) for i in %s", left, own, mu, sigma, i.over)
	case 6:
		a.printf("density -(%s + %s)^2/10", own, a.scalar(3))
	case 7:
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

// blocks writes the metric, or a partition of the parameters with theirs.
func (a *author) blocks() {
	if len(a.params) == 1 || a.rng.IntN(3) > 0 {
		a.metric("", a.params)
		return
	}
	rest := append([]parameter{}, a.params...)
	a.rng.Shuffle(len(rest), func(i, j int) { rest[i], rest[j] = rest[j], rest[i] })
	for n := 0; len(rest) > 0; n++ {
		k := 1 + a.rng.IntN(len(rest))
		var names []string
		for _, p := range rest[:k] {
			names = append(names, p.name)
		}
		a.metric(fmt.Sprintf("block b%d(%s) ", n, strings.Join(names, ", ")), rest[:k])
		rest = rest[k:]
	}
}

// metric writes the metric of parameters, behind the head of their block if they
// have one.
func (a *author) metric(head string, params []parameter) {
	r := a.rng.IntN(9)
	if a.solved && r < 2 {
		r = 2 // third-order sensitivities are not known
	}
	if a.fisher && r < 2 {
		r = 7
	}
	switch r {
	case 0:
		a.printf("%smetric hessian + 20*identity", head)
	case 1:
		a.printf("%smetric softabs(alpha = %s)", head, a.pick("1", "10", "d1"))
	case 5:
		a.printf("%smetric 2*identity", head)
	case 6:
		switch {
		case a.solved:
			a.printf("%smetric %s", head, a.pick("identity", "d1*identity"))
		default:
			a.printf("%smetric hessian/2 + identity*d1 + 20*identity", head)
		}
	case 7:
		a.printf("%smetric fisher + 20*identity", head)
	case 8:
		a.printf("%smetric auto", head)
	default:
		if head != "" {
			a.printf("%s", head)
		}
		a.entries(params)
	}
}

// entries writes an explicit metric by entries.
func (a *author) entries(params []parameter) {
	for i, p := range params {
		x, e := p.name, a.element(p)
		if p.size == "" {
			a.printf("metric[%s, %s] = 4 + %s", x, x, a.positive(2))
		} else {
			a.printf("metric[%s[i], %s[j]] = (6 + cos(%s))*delta(i, j)%s", x, x, e, a.band(x))
		}
		for _, q := range params[:i] {
			y := q.name
			switch {
			case a.rng.IntN(2) == 0:
			case p.size == "" && q.size == "":
				a.printf("metric[%s, %s] = 0.2*sin(%s)", x, y, a.scalar(1))
			case p.size == "":
				a.printf("metric[%s[j], %s] = 0.3*sin(%s[j] + %s)", y, x, y, a.scalar(0))
			case q.size == "":
				a.printf("metric[%s[i], %s] = 0.3*tanh(%s[i])*%s", x, y, x, a.pick("1", "cos("+y+")"))
			case q.size == p.size && a.rng.IntN(2) == 0:
				a.printf("metric[%s[i], %s[j]] = 0.3*sin(%s[i])*cos(%s[j])*%s", x, y, x, y, a.pick("delta(i, j)", "delta(i, j+1)", "delta(i+2, j)"))
			default:
				a.printf("metric[%s[i], %s[j]] = 0.1*sin(%s[i])*cos(%s[j])", x, y, x, y)
			}
		}
	}
}

// band is what a banded metric of a vector has beside its diagonal, or a dense one.
func (a *author) band(x string) string {
	out := ""
	for range a.rng.IntN(3) {
		o := 1 + a.rng.IntN(3)
		switch a.rng.IntN(5) {
		case 0:
			out += fmt.Sprintf(" + 0.4*sin(%s[i])*cos(%s[j])*delta(i, j+%d) + 0.4*sin(%s[j])*cos(%s[i])*delta(i+%d, j)", x, x, o, x, x, o)
		case 1:
			out += fmt.Sprintf(" + 0.3*tanh(%s[i]*%s[j])*(delta(i, j+%d) + delta(i, j-%d))", x, x, o, o)
		case 2:
			out += fmt.Sprintf(" + 0.2*(delta(i+%d, j) + delta(i-%d, j))", o, o)
		case 3:
			out += fmt.Sprintf(" + 0.5*%s*(delta(i, j+%d) + delta(i+%d, j))", "cos("+x+"[1])", o, o)
		case 4:
			out += fmt.Sprintf(" + 0.1*sin(%s[i])*sin(%s[j])", x, x)
		}
	}
	return out
}

// data are numbers of a seed's own for the declarations.
func (a *author) data() []byte {
	const n, k, m = 3, 2, 3
	T := 3 + a.rng.IntN(5)
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
	ints := func(n, lo, hi int) []int {
		v := make([]int, n)
		for i := range v {
			v[i] = lo + a.rng.IntN(hi-lo+1)
		}
		return v
	}
	times := []float64{0.1, 0.3, 0.3}
	for i := range times {
		times[i] += float64(i) / 4
	}
	r := x() / 10
	out, err := json.MarshalIndent(map[string]any{
		"n": n, "k": k, "m": m, "T": T, "tm": times, "ym": list(m), "yT": list(T), "zT": list(T), "d0": x(), "d1": math.Abs(x()) + 0.1, "yn": list(n), "zn": list(n), "xk": list(k),
		"nk": ints(n, 1, k), "nn": ints(n, 1, n), "kn": ints(k, 1, n), "Tn": ints(T, 1, n), "Tk": ints(T, 1, k), "nT": ints(n, 2, T-1),
		"Xnk": rows(n, k), "Xkn": rows(k, n), "Xnn": rows(n, n),
		"bits": []int{1, 0, 1}, "counts": []int{2, 0, 3}, "S": [][]float64{{1, r}, {r, 2}},
	}, "", " ")
	if err != nil {
		panic(err)
	}
	return out
}
