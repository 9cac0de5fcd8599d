package symbolic

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/hamc-dev/hamc/internal/campaign"
	"github.com/hamc-dev/hamc/symbolic/expr"
)

// Sums over data that cancel, other than the squares of squares_test.go: each is
// evaluated as its text says, term by term with dual numbers, once in doubles and once
// in 300 bits.

// field is the arithmetic of one kind of numbers.
type field[T any] struct {
	num           func(float64) T
	add, sub, mul func(a, b T) T
}

var doubles = field[float64]{
	func(v float64) float64 { return v },
	func(a, b float64) float64 { return a + b },
	func(a, b float64) float64 { return a - b },
	func(a, b float64) float64 { return a * b },
}

func newBig() *big.Float { return new(big.Float).SetPrec(300) }

var bits300 = field[*big.Float]{
	func(v float64) *big.Float { return newBig().SetFloat64(v) },
	func(a, b *big.Float) *big.Float { return newBig().Add(a, b) },
	func(a, b *big.Float) *big.Float { return newBig().Sub(a, b) },
	func(a, b *big.Float) *big.Float { return newBig().Mul(a, b) },
}

// dual is a number with its derivative in one direction.
type dual[T any] struct{ v, d T }

func duals[T any](f field[T]) field[dual[T]] {
	return field[dual[T]]{
		func(v float64) dual[T] { return dual[T]{f.num(v), f.num(0)} },
		func(a, b dual[T]) dual[T] { return dual[T]{f.add(a.v, b.v), f.add(a.d, b.d)} },
		func(a, b dual[T]) dual[T] { return dual[T]{f.sub(a.v, b.v), f.sub(a.d, b.d)} },
		func(a, b dual[T]) dual[T] {
			return dual[T]{f.mul(a.v, b.v), f.add(f.mul(a.d, b.v), f.mul(a.v, b.d))}
		},
	}
}

// meaning is what a text says of datum i (from 0), in any arithmetic.
type meaning func(a *calculator, i int) int

// calculator evaluates a term: its numbers are handles, so that one text serves all
// arithmetics.
type calculator struct {
	data          map[string][]float64
	q             func(name string, i int) int
	num           func(float64) int
	add, sub, mul func(a, b int) int
}

func (a *calculator) at(name string, i int) int { return a.num(a.data[name][i]) }
func (a *calculator) square(x int) int          { return a.mul(x, x) }
func (a *calculator) neg(x int) int             { return a.sub(a.num(0), x) }

// normal is the log density of a normal with unit scale.
func (a *calculator) normal(e int) int {
	return a.sub(a.mul(a.num(-0.5), a.square(e)), a.num(0.5*math.Log(2*math.Pi)))
}

// evaluate returns Σ_i of a term from first on, and its derivative by coordinate k.
func evaluate[T any](f field[T], x *cancelling, data map[string][]float64, q []float64, k int) (v, d T) {
	f2 := duals(f)
	var values []dual[T]
	put := func(v dual[T]) int { values = append(values, v); return len(values) - 1 }
	binary := func(op func(a, b dual[T]) dual[T]) func(a, b int) int {
		return func(a, b int) int { return put(op(values[a], values[b])) }
	}
	a := &calculator{data: data, num: func(v float64) int { return put(f2.num(v)) }, add: binary(f2.add), sub: binary(f2.sub), mul: binary(f2.mul)}
	a.q = func(name string, i int) int {
		at := i
		for _, p := range x.params {
			if p.name == name {
				break
			}
			at += p.size
		}
		v := f2.num(q[at])
		if at == k {
			v.d = f.num(1)
		}
		return put(v)
	}
	total := f2.num(0)
	if x.prior != nil {
		total = values[x.prior(a, 0)]
	}
	for i := x.first; i < int(data["n"][0]); i++ {
		values = values[:0]
		total = f2.add(total, values[x.term(a, i)])
	}
	return total.v, total.d
}

// param is a parameter, with its level in units of that of the data.
type param struct {
	name  string
	size  int
	level float64
}

// cancelling is a model, and what its text says.
type cancelling struct {
	name, text  string
	params      []param
	first       int
	term, prior meaning
}

const cancelHead = "model m\ndata n, k int\ndata g int[n] in 1..k\ndata x, y, z, w real[n]\ndata m real\ndata u real[n, k]\n"

var cancellations = []cancelling{
	{"a product of two residuals", "param a, b real\ndensity -sum(i in n) (y[i] - a)*(y[i] - b) - (a - b)^2\n",
		[]param{{"a", 1, 1}, {"b", 1, 1}}, 0,
		func(c *calculator, i int) int {
			return c.neg(c.mul(c.sub(c.at("y", i), c.q("a", 0)), c.sub(c.at("y", i), c.q("b", 0))))
		},
		func(c *calculator, _ int) int { return c.neg(c.square(c.sub(c.q("a", 0), c.q("b", 0)))) }},
	{"a product of two residuals about one level", "param a, b real\ndensity -sum(i in n) (y[i] - a)*(x[i] - a) - b^2\n",
		[]param{{"a", 1, 1}, {"b", 1, 0}}, 0,
		func(c *calculator, i int) int {
			return c.neg(c.mul(c.sub(c.at("y", i), c.q("a", 0)), c.sub(c.at("x", i), c.q("a", 0))))
		},
		func(c *calculator, _ int) int { return c.neg(c.square(c.q("b", 0))) }},
	{"a product of residuals with a shift", "param a, b real\ndensity -sum(i in n) (y[i] - a)*(x[i] - a - b*w[i])\n",
		[]param{{"a", 1, 1}, {"b", 1, 0}}, 0,
		func(c *calculator, i int) int {
			r := c.sub(c.sub(c.at("x", i), c.q("a", 0)), c.mul(c.q("b", 0), c.at("w", i)))
			return c.neg(c.mul(c.sub(c.at("y", i), c.q("a", 0)), r))
		}, nil},
	{"products of lags about the mean", "param a, b real\ndensity -sum(i in 2..n) ((y[i] - a)^2 - b*(y[i] - a)*(y[i-1] - a))\n",
		[]param{{"a", 1, 1}, {"b", 1, 0}}, 1,
		func(c *calculator, i int) int {
			u, v := c.sub(c.at("y", i), c.q("a", 0)), c.sub(c.at("y", i-1), c.q("a", 0))
			return c.neg(c.sub(c.square(u), c.mul(c.q("b", 0), c.mul(u, v))))
		}, nil},
	{"two levels and a shift", "param a, b real\ndensity -sum(i in n) ((y[i] - a)^2 + (x[i] - a - b)^2)\n",
		[]param{{"a", 1, 1}, {"b", 1, 0}}, 0,
		func(c *calculator, i int) int {
			v := c.sub(c.sub(c.at("x", i), c.q("a", 0)), c.q("b", 0))
			return c.neg(c.add(c.square(c.sub(c.at("y", i), c.q("a", 0))), c.square(v)))
		}, nil},
	{"a sum of residuals with a shift", "param a, b, d real\ndensity d*sum(i in n) w[i]*(x[i] - a - b)\n",
		[]param{{"a", 1, 1}, {"b", 1, 0}, {"d", 1, 0}}, 0,
		func(c *calculator, i int) int {
			return c.mul(c.q("d", 0), c.mul(c.at("w", i), c.sub(c.sub(c.at("x", i), c.q("a", 0)), c.q("b", 0))))
		}, nil},
	{"a residual by a regressor", "param a, b real\ndensity -sum(i in n) (y[i] - a)*x[i]*b\n",
		[]param{{"a", 1, 1}, {"b", 1, 0}}, 0,
		func(c *calculator, i int) int {
			return c.neg(c.mul(c.mul(c.sub(c.at("y", i), c.q("a", 0)), c.at("x", i)), c.q("b", 0)))
		}, nil},
	{"a residual by weights of both signs", "param a, b real\ndensity b*sum(i in n) w[i]*(y[i] - a)\n",
		[]param{{"a", 1, 1}, {"b", 1, 0}}, 0,
		func(c *calculator, i int) int {
			return c.mul(c.q("b", 0), c.mul(c.at("w", i), c.sub(c.at("y", i), c.q("a", 0))))
		}, nil},
	{"a plain sum of residuals", "param a, b real\ndensity b*sum(i in n) (y[i] - a)\n",
		[]param{{"a", 1, 1}, {"b", 1, 0}}, 0,
		func(c *calculator, i int) int { return c.mul(c.q("b", 0), c.sub(c.at("y", i), c.q("a", 0))) }, nil},
	{"residuals of data alone", "param a, b real\ndensity b*sum(i in n) (y[i] - m) + a\n",
		[]param{{"a", 1, 0}, {"b", 1, 0}}, 0,
		func(c *calculator, i int) int { return c.mul(c.q("b", 0), c.sub(c.at("y", i), c.at("m", 0))) },
		func(c *calculator, _ int) int { return c.q("a", 0) }},
	{"residuals of a line", "param a, b, s real\ndensity s*sum(i in n) w[i]*(z[i] - a - b*x[i])\n",
		[]param{{"a", 1, 3}, {"b", 1, 0}, {"s", 1, 0}}, 0,
		func(c *calculator, i int) int {
			r := c.sub(c.sub(c.at("z", i), c.q("a", 0)), c.mul(c.q("b", 0), c.at("x", i)))
			return c.mul(c.q("s", 0), c.mul(c.at("w", i), r))
		}, nil},
	{"residuals of a line about a datum", "param a, b, s real\ndensity s*sum(i in n) w[i]*(z[i] - a - b*(x[i] - m))\n",
		[]param{{"a", 1, 5}, {"b", 1, 0}, {"s", 1, 0}}, 0,
		func(c *calculator, i int) int {
			r := c.sub(c.sub(c.at("z", i), c.q("a", 0)), c.mul(c.q("b", 0), c.sub(c.at("x", i), c.at("m", 0))))
			return c.mul(c.q("s", 0), c.mul(c.at("w", i), r))
		}, nil},
	{"residuals of a line about its mean", "param a, b, s real\ndensity s*sum(i in n) w[i]*(y[i] - a - b*(x[i] - a))\n",
		[]param{{"a", 1, 1}, {"b", 1, 0}, {"s", 1, 0}}, 0,
		func(c *calculator, i int) int {
			r := c.sub(c.sub(c.at("y", i), c.q("a", 0)), c.mul(c.q("b", 0), c.sub(c.at("x", i), c.q("a", 0))))
			return c.mul(c.q("s", 0), c.mul(c.at("w", i), r))
		}, nil},
	{"two normals written out", "param a, b, r real\ndensity -0.5*sum(i in n) ((y[i] - a)^2 - 2*r*(y[i] - a)*(x[i] - b) + (x[i] - b)^2)\n",
		[]param{{"a", 1, 1}, {"b", 1, 1}, {"r", 1, 0}}, 0,
		func(c *calculator, i int) int {
			u, v := c.sub(c.at("y", i), c.q("a", 0)), c.sub(c.at("x", i), c.q("b", 0))
			s := c.add(c.sub(c.square(u), c.mul(c.mul(c.num(2), c.q("r", 0)), c.mul(u, v))), c.square(v))
			return c.mul(c.num(-0.5), s)
		}, nil},
	{"two regressions written out", "param a, b, c, d real\ndensity -sum(i in n) (z[i] - a - b*w[i])*(y[i] - c - d*w[i])\n",
		[]param{{"a", 1, 5}, {"b", 1, 0}, {"c", 1, 1}, {"d", 1, 0}}, 0,
		func(c *calculator, i int) int {
			u := c.sub(c.sub(c.at("z", i), c.q("a", 0)), c.mul(c.q("b", 0), c.at("w", i)))
			v := c.sub(c.sub(c.at("y", i), c.q("c", 0)), c.mul(c.q("d", 0), c.at("w", i)))
			return c.neg(c.mul(u, v))
		}, nil},
	{"an autoregression about its mean", "param a, b real\ny[i] ~ normal(a + b*(y[i-1] - a), 1) for i in 2..n\n",
		[]param{{"a", 1, 1}, {"b", 1, 0}}, 1,
		func(c *calculator, i int) int {
			mu := c.add(c.q("a", 0), c.mul(c.q("b", 0), c.sub(c.at("y", i-1), c.q("a", 0))))
			return c.normal(c.sub(c.at("y", i), mu))
		}, nil},
	{"an autoregression of the second order about its mean", "param a, b, d real\ny[i] ~ normal(a + b*(y[i-1] - a) + d*(y[i-2] - a), 1) for i in 3..n\n",
		[]param{{"a", 1, 1}, {"b", 1, 0}, {"d", 1, 0}}, 2,
		func(c *calculator, i int) int {
			mu := c.add(c.q("a", 0), c.mul(c.q("b", 0), c.sub(c.at("y", i-1), c.q("a", 0))))
			mu = c.add(mu, c.mul(c.q("d", 0), c.sub(c.at("y", i-2), c.q("a", 0))))
			return c.normal(c.sub(c.at("y", i), mu))
		}, nil},
	{"a walk with drift", "param a, b real\ny[i] ~ normal(y[i-1] + a + b*w[i], 1) for i in 2..n\n",
		[]param{{"a", 1, 0}, {"b", 1, 0}}, 1,
		func(c *calculator, i int) int {
			mu := c.add(c.add(c.at("y", i-1), c.q("a", 0)), c.mul(c.q("b", 0), c.at("w", i)))
			return c.normal(c.sub(c.at("y", i), mu))
		}, nil},
	{"effects of groups", "param a real[k]\ny[i] ~ normal(a[g[i]], 1) for i in n\n",
		[]param{{"a", 3, 1}}, 0,
		func(c *calculator, i int) int {
			return c.normal(c.sub(c.at("y", i), c.q("a", int(c.data["g"][i])-1)))
		}, nil},
	{"effects of groups about a mean", "param a real\nparam b real[k]\ny[i] ~ normal(a + b[g[i]], 1) for i in n\n",
		[]param{{"a", 1, 1}, {"b", 3, 0}}, 0,
		func(c *calculator, i int) int {
			return c.normal(c.sub(c.at("y", i), c.add(c.q("a", 0), c.q("b", int(c.data["g"][i])-1))))
		}, nil},
	{"a product of residuals of groups", "param a real[k]\nparam b real\ndensity -sum(i in n) (y[i] - a[g[i]])*(y[i] - b)\n",
		[]param{{"a", 3, 1}, {"b", 1, 1}}, 0,
		func(c *calculator, i int) int {
			return c.neg(c.mul(c.sub(c.at("y", i), c.q("a", int(c.data["g"][i])-1)), c.sub(c.at("y", i), c.q("b", 0))))
		}, nil},
	{"a matrix of residuals", "param a, b real\ndensity b*sum(i in n, j in k) (u[i,j] - a)\n",
		[]param{{"a", 1, 1}, {"b", 1, 0}}, 0,
		func(c *calculator, i int) int {
			total := c.num(0)
			for j := range 3 {
				total = c.add(total, c.sub(c.at("u", 3*i+j), c.q("a", 0)))
			}
			return c.mul(c.q("b", 0), total)
		}, nil},
	{"rows of residuals by a residual", "param a, b real\ndensity sum(i in n) (sum(j in k) (u[i,j] - a))*(w[i] - b)\n",
		[]param{{"a", 1, 1}, {"b", 1, 0}}, 0,
		func(c *calculator, i int) int {
			total := c.num(0)
			for j := range 3 {
				total = c.add(total, c.sub(c.at("u", 3*i+j), c.q("a", 0)))
			}
			return c.mul(total, c.sub(c.at("w", i), c.q("b", 0)))
		}, nil},
	{"a matrix about levels of its columns", "param a real[k]\ndensity sum(i in n, j in k) -0.5*(u[i,j] - a[j])^2\n",
		[]param{{"a", 3, 1}}, 0,
		func(c *calculator, i int) int {
			total := c.num(0)
			for j := range 3 {
				total = c.add(total, c.mul(c.num(-0.5), c.square(c.sub(c.at("u", 3*i+j), c.q("a", j)))))
			}
			return total
		}, nil},
	{"a matrix about levels of its rows", "param a real[n]\ndensity sum(i in n, j in k) -0.5*(u[i,j] - a[i])^2\n",
		[]param{{"a", 40, 1}}, 0,
		func(c *calculator, i int) int {
			total := c.num(0)
			for j := range 3 {
				total = c.add(total, c.mul(c.num(-0.5), c.square(c.sub(c.at("u", 3*i+j), c.q("a", i)))))
			}
			return total
		}, nil},
	{"residuals of a matrix of columns", "param a, b real\nparam d real[k]\ndensity b*sum(i in n) w[i]*(z[i] - a - sum(j in k) (u[i,j] - m)*d[j])\n",
		[]param{{"a", 1, 5}, {"b", 1, 0}, {"d", 3, 0}}, 0,
		func(c *calculator, i int) int {
			r := c.sub(c.at("z", i), c.q("a", 0))
			for j := range 3 {
				r = c.sub(r, c.mul(c.sub(c.at("u", 3*i+j), c.at("m", 0)), c.q("d", j)))
			}
			return c.mul(c.q("b", 0), c.mul(c.at("w", i), r))
		}, nil},
	{"products under an early factor", "param a, b real\ndensity -0.5*sum(i in n) w[i]^2*(y[i] - a)^2 - sum(i in n) x[i]*(y[i] - a - b*w[i])/m\n",
		[]param{{"a", 1, 1}, {"b", 1, 0}}, 0,
		func(c *calculator, i int) int {
			r := c.sub(c.at("y", i), c.q("a", 0))
			first := c.mul(c.num(-0.5), c.mul(c.square(c.at("w", i)), c.square(r)))
			over := c.mul(c.at("x", i), c.num(1/c.data["m"][0]))
			return c.sub(first, c.mul(over, c.sub(r, c.mul(c.q("b", 0), c.at("w", i)))))
		}, nil},
	{"parameters about their mean", "param mu real\nparam theta real[n]\ntheta ~ normal(mu, 1)\n",
		[]param{{"mu", 1, 1}, {"theta", 40, 1}}, 0,
		func(c *calculator, i int) int { return c.normal(c.sub(c.q("theta", i), c.q("mu", 0))) }, nil},
}

// TestCancellation: value and gradient have at most twice the error of the text as it
// stands, at the worst of the points, or 1e-13 of the result, with data that are far from
// zero beside their spread.
func TestCancellation(t *testing.T) {
	for n := range 2 * len(cancellations) {
		if !campaign.Long(t) && n%2 != n/2%2 {
			continue // each with one grain, in turn
		}
		x, by := cancellations[n/2], []expr.Grain{expr.Coarse, expr.Fine}[n%2]
		t.Run(fmt.Sprintf("%s, grain %d", x.name, by.Tree), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(3, 4))
			d := loadBy(t, cancelHead+x.text+"metric identity\n", by)
			worst := 0.0
			for _, offset := range []float64{0, 1e3, 1e6, 1e9} {
				const n, k = 40, 3
				data := map[string][]float64{"n": {n}, "k": {k}, "m": {offset + 4}}
				for i := range n {
					v, u := offset+rng.NormFloat64(), rng.NormFloat64()
					data["x"] = append(data["x"], v)
					data["y"] = append(data["y"], offset+0.5*(v-offset)+rng.NormFloat64())
					data["z"] = append(data["z"], 5*offset+2*(v-offset)+rng.NormFloat64())
					data["w"] = append(data["w"], u)
					for range k {
						data["u"] = append(data["u"], offset+rng.NormFloat64())
					}
					data["g"] = append(data["g"], float64(1+i%k))
				}
				used := map[string][]float64{}
				for _, tensor := range d.Data {
					used[tensor.Name] = data[tensor.Name]
				}
				b := newBench(t, d, used)
				var got, want, loop [][]float64
				for range campaign.Cases(t, 6, 12) {
					var q []float64
					for _, p := range x.params {
						for range p.size {
							// Near the data's level, where the residuals are those of a posterior.
							q = append(q, p.level*offset+rng.NormFloat64())
						}
					}
					b.set(q)
					result := append([]float64{b.logDensity(q)}, b.vector(d.Gradient, q)...)
					exact, plain := make([]float64, len(result)), make([]float64, len(result))
					for c := range q {
						v, dv := evaluate(bits300, &x, data, q, c)
						exact[0], _ = v.Float64()
						exact[1+c], _ = dv.Float64()
						plain[0], plain[1+c] = evaluate(doubles, &x, data, q, c)
					}
					got, want, loop = append(got, result), append(want, exact), append(loop, plain)
				}
				for j := range got[0] {
					allowed := 0.0
					for p := range got {
						allowed = max(allowed, 2*math.Abs(loop[p][j]-want[p][j]))
					}
					for p := range got {
						e := math.Abs(got[p][j] - want[p][j])
						limit := max(allowed, 1e-13*math.Abs(want[p][j]))
						if e == 0 {
							continue
						}
						worst = max(worst, e/limit)
						if !(e <= limit) {
							t.Errorf("data near %.0e: result %d is %.17g, want %.17g: error %.3g, of the loop at most %.3g", offset, j, got[p][j], want[p][j], e, allowed/2)
							break
						}
					}
				}
			}
			t.Logf("the largest error is %.3g of what is allowed", worst)
		})
	}
}
