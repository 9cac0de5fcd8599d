// Command heavytail holds draws of a posterior with a heavy tail against a quadrature: the parameter K_m of
// one_comp_mm_elim_abs of posteriordb, whose density falls like K_m⁻³ in the end. It has a mean and no variance.
//
//	go run ./internal/benchmarks/heavytail -target-accept 0.99
//
// It prints the probability beyond some values, as the quadrature has it and as runs of hamc found it.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"

	"github.com/hamc-dev/hamc/internal/benchmarks"
)

// The files, from the root of the module.
const (
	model = "internal/benchmarks/heavytail/one_comp_mm_elim_abs.ham"
	data  = "internal/fixtures/testdata/posteriordb/one_comp_mm_elim_abs/data.json"
)

func main() {
	target := flag.Float64("target-accept", 0.9, "target acceptance of the runs")
	seeds := flag.Int("seeds", 12, "runs")
	draws := flag.Int("draws", 2000, "draws of each of 4 chains")
	step := flag.Float64("step", 0.1, "of the quadrature in log k_a and in the logarithm of the rate; twice that in log K_m")
	flag.Parse()
	if err := run(*target, *seeds, *draws, *step); err != nil {
		fmt.Fprintln(os.Stderr, "heavytail:", err)
		os.Exit(1)
	}
}

// beyond are the values of K_m in the table.
var beyond = []float64{1, 5, 10, 20, 50, 100, 200}

func run(target float64, seeds, draws int, step float64) error {
	h, err := benchmarks.BuildHamc()
	if err != nil {
		return err
	}
	defer h.Remove()
	text, err := os.ReadFile(filepath.Join(h.Root, data))
	if err != nil {
		return err
	}
	var c compartment
	if err := json.Unmarshal(text, &c); err != nil {
		return err
	}
	exact, mean := c.tail(step)
	row("P(K_m > x), x =", beyond, "%.0f", "mean")
	row("quadrature", exact, "%.5f", fmt.Sprintf("%.4f", mean))
	average, averageMean := make([]float64, len(beyond)), 0.0
	for seed := 1; seed <= seeds; seed++ {
		o, err := h.Run(model, "--data", data, "--seed", strconv.Itoa(seed), "--draws", strconv.Itoa(draws), "--target-accept", fmt.Sprint(target))
		if err != nil {
			return err
		}
		share, mean, n := make([]float64, len(beyond)), 0.0, 0.0
		for _, chain := range o.By["K_m"] {
			for _, x := range chain {
				n++
				mean += x
				for i, limit := range beyond {
					if x > limit {
						share[i]++
					}
				}
			}
		}
		for i := range share {
			share[i] /= n
			average[i] += share[i] / float64(seeds)
		}
		averageMean += mean / n / float64(seeds)
		row(fmt.Sprintf("seed %d", seed), share, "%.5f", fmt.Sprintf("%.4f", mean/n))
	}
	row("all", average, "%.5f", fmt.Sprintf("%.4f", averageMean))
	return nil
}

func row(name string, x []float64, format, last string) {
	fmt.Printf("%-16s", name)
	for _, v := range x {
		fmt.Printf(" %8s", fmt.Sprintf(format, v))
	}
	fmt.Printf(" %8s\n", last)
}

// compartment is the data: C′ = k_a D/V exp(−k_a t) − V_m/V C/(K_m + C), C(0) = 0, with times that are half a day apart.
type compartment struct {
	D, V  float64
	Times []float64 `json:"times"`
	CHat  []float64 `json:"C_hat"`
}

// tail returns P(K_m > x) for each x of beyond and the mean of K_m. The integral is over log k_a, log K_m and the
// logarithm of the rate V_m·10/(K_m + 10) of elimination at a concentration of 10, in which the ridge is straight, by the trapezoidal
// rule, whose error falls exponentially with the step for a smooth density that vanishes at the ends; and over log σ given the sum S
// of squares of the residuals. Beyond the last K_m the density is taken for a multiple of K_m⁻³.
func (c *compartment) tail(step float64) (p []float64, mean float64) {
	const from, to = -9.0, 12.0
	du := 2 * step
	var density []float64
	for u := from; u <= to+du/2; u += du {
		density = append(density, c.marginal(math.Exp(u), step))
	}
	last := len(density) - 1
	at := func(u float64) float64 { // log-linear between the points
		k := (u - from) / du
		n := min(int(k), last-1)
		w := k - float64(n)
		return math.Exp((1-w)*math.Log(density[n]) + w*math.Log(density[n+1]))
	}
	total := 0.0
	for i, d := range density {
		total += d * du
		mean += d * du * math.Exp(from+float64(i)*du)
	}
	end := from + float64(last)*du
	mean += density[last] * math.Exp(end) // ∫ e^{−2(u − end)} e^u du beyond
	for _, x := range beyond {
		const fine = 1e-3
		sum := density[last] / 2
		for u := math.Log(x) + fine/2; u < end; u += fine {
			sum += at(u) * fine
		}
		p = append(p, sum/total)
	}
	return p, mean / total
}

// marginal returns the density of log K_m, up to a constant.
func (c *compartment) marginal(km, step float64) float64 {
	sum := 0.0
	for a := -1.6; a <= 1.2; a += step {
		ka := math.Exp(a)
		for r := -6.0; r <= 3; r += step {
			vm := math.Exp(r) * (km + 10) / 10
			s := c.squares(ka, km, vm)
			l := logScale(s, float64(len(c.CHat))) - math.Log1p(ka*ka) - math.Log1p(km*km) - math.Log1p(vm*vm) + a + math.Log(km) + math.Log(vm)
			sum += math.Exp(l - 20)
		}
	}
	return sum
}

// squares returns Σ (log C_hat − log C)², with 8 steps of the classical Runge–Kutta method between observations: with 16 and
// 32 the probabilities change in the fourth digit.
func (c *compartment) squares(ka, km, vm float64) float64 {
	const steps = 8
	f := func(t, x float64) float64 { return math.Exp(-ka*t)*c.D*ka/c.V - vm/c.V*x/(km+x) }
	s, x, t := 0.0, 0.0, 0.0
	for i, end := range c.Times {
		h := (end - t) / steps
		for range steps {
			k1 := f(t, x)
			k2 := f(t+h/2, x+h/2*k1)
			k3 := f(t+h/2, x+h/2*k2)
			k4 := f(t+h, x+h*k3)
			x += h / 6 * (k1 + 2*k2 + 2*k3 + k4)
			t += h
		}
		if !(x > 0) {
			return math.Inf(1)
		}
		e := math.Log(c.CHat[i] / x)
		s += e * e
	}
	return s
}

// logScale returns log ∫ σ⁻ⁿ exp(−S/2σ²) / (1 + σ²) dσ.
func logScale(s, n float64) float64 {
	if math.IsInf(s, 1) {
		return math.Inf(-1)
	}
	const h = 0.05
	mode := 0.5 * math.Log(s/(n-1))
	top := -(n-1)*mode - (n-1)/2
	sum := 0.0
	for i := -50; i <= 50; i++ {
		x := mode + h*float64(i)
		sum += h * math.Exp(-(n-1)*x-s/2*math.Exp(-2*x)-math.Log1p(math.Exp(2*x))-top)
	}
	return math.Log(sum) + top
}
